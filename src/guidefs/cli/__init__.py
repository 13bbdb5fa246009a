"""The command line: what a session would tell a model, and why."""
