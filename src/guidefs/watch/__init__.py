"""What happened to files without any call: events, polling, and a sweep after a command."""
