"""Instruction files for AI agents, delivered with the file access that makes them relevant."""
