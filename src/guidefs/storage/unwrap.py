"""Which filesystem a wrapped one really asks, with the way its paths change on the way in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper
from fsspec.implementations.cached import CachingFileSystem
from fsspec.implementations.dirfs import DirFileSystem

from guidefs.errors import SandboxDeniedError

__all__ = ["Origin", "is_caching", "layers", "origin_of"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The innermost filesystem that a provider can be made from.

    Args:
        filesystem: the filesystem itself.
        directories: the directories that `DirFileSystem`s put before each path, outermost first; each with the
            separator that joins it.
    """

    filesystem: Any
    directories: tuple[tuple[str, str], ...]

    def locate(self, path: str) -> str:
        """The innermost filesystem's path for a path of the outermost one.

        Raises:
            SandboxDeniedError: it climbs out of a directory with `..`.
        """
        for directory, separator in self.directories:
            if _climbs_out(path, separator):
                message = f"{path!r} leads out of the directory {directory!r} that the filesystem is confined to"
                raise SandboxDeniedError(message, path=path)
            relative = path.strip(separator)
            path = f"{directory}{separator}{relative}" if relative else directory or separator
        return path


def layers(filesystem: Any) -> Iterator[Any]:
    """A filesystem and those that it wraps transparently, outermost first.

    A wrapper is transparent if what is read through it is what the inner filesystem has right now: `DirFileSystem`,
    `AsyncFileSystemWrapper`, and classes that say `guidefs_transparent = True` and keep the inner one in `fs`.
    Caching filesystems are not: what they show may be older than what they wrap.
    """
    yield filesystem
    inner = _inner(filesystem)
    if inner is not None:
        yield from layers(inner)


def origin_of(filesystem: Any) -> Origin:
    """Find the innermost filesystem."""
    chain = list(layers(filesystem))
    directories = tuple(
        (layer.path.rstrip(layer.fs.sep), layer.fs.sep)
        for layer in chain[:-1]
        if isinstance(layer, DirFileSystem) and layer.path
    )
    return Origin(chain[-1], directories)


def is_caching(filesystem: Any) -> bool:
    """Whether a filesystem may show older content than there is."""
    return issubclass(type(filesystem), CachingFileSystem)


def _inner(filesystem: Any) -> Any:
    if is_caching(filesystem):
        return None
    if isinstance(filesystem, DirFileSystem) or getattr(type(filesystem), "guidefs_transparent", False) is True:
        return filesystem.fs
    if isinstance(filesystem, AsyncFileSystemWrapper):
        return filesystem.sync_fs
    return None


def _climbs_out(path: str, separator: str) -> bool:
    depth = 0
    for part in path.split(separator):
        depth += -1 if part == ".." else part not in {"", "."}
        if depth < 0:
            return True
    return False
