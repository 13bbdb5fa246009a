"""The record of a session's messages, from which its state is rebuilt."""
