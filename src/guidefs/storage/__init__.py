"""The seam to a backend: what people who write a provider implement, and what they may build it from."""
