"""The provider for the host's own disk, as fsspec's `LocalFileSystem` shows it."""

from guidefs_local.provider import LocalProvider

__all__ = ["LocalProvider"]
