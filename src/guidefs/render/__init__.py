"""The text that the model reads."""
