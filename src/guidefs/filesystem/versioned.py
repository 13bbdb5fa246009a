"""Versioned stats, bounded reads, guarded writes: what plain fsspec does not offer."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from guidefs.errors import ArgumentError
from guidefs.filesystem.recorder import TouchSink
from guidefs.storage.bridge import Bridge
from guidefs.storage.provider import Chunk, Guard, Presence, Written
from guidefs.storage.registry import provider_for
from guidefs.values.touch import Operation

__all__ = ["VersionedAccess"]


class VersionedAccess:
    """The three primitives, answered by the provider of the inner filesystem and never by a listing cache.

    Paths are the inner filesystem's own, in any form that it takes. A successful read or write is a touch, as it is
    with fsspec's methods.
    """

    fs: Any

    @cached_property
    def _storage(self) -> Bridge:
        """The provider of the inner filesystem, found when it is first needed."""
        return Bridge(provider_for(self.fs, {}), self.fs)

    def _sink(self) -> TouchSink | None:
        """The receiver for an operation that starts now."""
        raise NotImplementedError

    def versioned_stat(self, path: str) -> Presence:
        """Stat one path, links followed, as fresh as the backend can tell. It is no touch.

        Args:
            path: the file or directory.

        Returns:
            A `Stat` with kind, size and version; `Absent` if the backend is certain that there is nothing;
            `Unavailable` if it failed. No exception is raised for a backend's failure.
        """
        return self._storage.stat(self._located(path))

    async def _versioned_stat(self, path: str) -> Presence:
        """Stat one path as `versioned_stat` does."""
        return await self._storage.astat(self._located(path))

    def read_bounded(self, path: str, max_bytes: int, *, offset: int = 0) -> Chunk:
        """Read a piece of a file with the version that it belongs to, whatever size the backend states.

        Args:
            path: the file.
            max_bytes: the most bytes to hold or transfer; not negative.
            offset: the first byte, 0-based; past the end the data is empty.

        Raises:
            ArgumentError: `max_bytes` or `offset` is negative.
            FileError: there is no such file, it is no regular file, or the backend failed.
        """
        located, sink = self._located(path), self._sink()
        _check_range(max_bytes, offset)
        chunk = self._storage.read(located, offset=offset, max_bytes=max_bytes)
        _report(sink, located, "read")
        return chunk

    async def _read_bounded(self, path: str, max_bytes: int, *, offset: int = 0) -> Chunk:
        """Read a piece of a file as `read_bounded` does."""
        located, sink = self._located(path), self._sink()
        _check_range(max_bytes, offset)
        chunk = await self._storage.aread(located, offset=offset, max_bytes=max_bytes)
        _report(sink, located, "read")
        return chunk

    def write_guarded(self, path: str, data: bytes, guard: Guard) -> Written:
        """Replace a whole content, or create a file, if the guard holds.

        Args:
            path: the file.
            data: the new content.
            guard: `CreateOnly()`, `IfVersion(version)` or `IfContent(fingerprint)`.

        Returns:
            The new version, with how strongly the guard held.

        Raises:
            AlreadyExistsError: the file was to be created and exists.
            StaleVersionError: the file is another one now, or gone; nothing was written.
            GuardUnsupportedError: the backend cannot enforce this guard; nothing was written.
            FileError: any other failure; nothing was written.
        """
        located, sink = self._located(path), self._sink()
        written = self._storage.write(located, data, guard)
        self._written(sink, located)
        return written

    async def _write_guarded(self, path: str, data: bytes, guard: Guard) -> Written:
        """Replace a whole content, or create a file, as `write_guarded` does."""
        located, sink = self._located(path), self._sink()
        written = await self._storage.awrite(located, data, guard)
        self._written(sink, located)
        return written

    def _written(self, sink: TouchSink | None, located: str) -> None:
        self.fs.invalidate_cache(self.fs._parent(located))  # providers write past the listing cache of the filesystem
        _report(sink, located, "write")

    def _located(self, path: str) -> str:
        return str(self.fs._strip_protocol(path))


def _report(sink: TouchSink | None, path: str, operation: Operation) -> None:
    if sink is not None:
        sink.touch(path, operation)


def _check_range(max_bytes: int, offset: int) -> None:
    for name, value in (("max_bytes", max_bytes), ("offset", offset)):
        if value < 0:
            raise ArgumentError(f"{name} must not be negative, but is {value}")
