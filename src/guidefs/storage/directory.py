"""The provider of a filesystem that shows one directory of another."""

from __future__ import annotations

from guidefs.storage.layer import Access, ProviderLayer
from guidefs.storage.unwrap import Origin

__all__ = ["DirectoryProvider", "placed"]


class DirectoryProvider(ProviderLayer):
    """Asks an inner filesystem's provider by the inner paths; a path that climbs out is refused.

    Args:
        inner: the provider of the innermost filesystem.
        origin: how the paths change.
    """

    def __init__(self, inner: object, origin: Origin) -> None:
        super().__init__(inner)
        self._origin = origin

    def locate(self, path: str, access: Access) -> str:
        """The path by which the innermost filesystem knows the file."""
        return self._origin.locate(path)


def placed(provider: object, origin: Origin) -> object:
    """The provider as seen through the directories of an origin; itself where there are none."""
    return DirectoryProvider(provider, origin) if origin.directories else provider
