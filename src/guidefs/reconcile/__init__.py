"""The decisions: which files matter, which have to be read, what the model has to be told. None of them does I/O."""
