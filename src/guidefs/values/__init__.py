"""The nouns: immutable values that every other part speaks in. None of them does I/O."""
