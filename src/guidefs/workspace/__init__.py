"""The public objects that join everything: a workspace, and the sessions over it."""
