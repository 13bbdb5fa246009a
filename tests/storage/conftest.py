"""Filesystems that guidefs knows nothing about."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from fsspec.asyn import AsyncFileSystem
from fsspec.implementations.memory import MemoryFileSystem


class ForeignFileSystem(MemoryFileSystem):  # type: ignore[misc] # fsspec has no types
    """A synchronous filesystem of a protocol that nobody answers for, with a store of its own."""

    protocol = "foreign"
    cachable = False

    def __init__(self, **options: Any) -> None:
        super().__init__(global_store=False, **options)


class ListingFileSystem(ForeignFileSystem):
    """One whose `info` answers from a listing cache as long as it has one, like many remote filesystems."""

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:  # noqa: FBT001, FBT002 - fsspec's signature
        """List a directory, from the cache if it is there."""
        own = self._strip_protocol(path)
        if own not in self.dircache:
            self.dircache[own] = super().ls(path, detail=True)
        return self.dircache[own] if detail else [entry["name"] for entry in self.dircache[own]]

    def info(self, path: str, **options: Any) -> Any:
        """Look at the cached listing of the parent first."""
        own = self._strip_protocol(path)
        listing = self.dircache.get(self._parent(own))
        if listing is None:
            return super().info(path)
        for entry in listing:
            if entry["name"] == own:
                return entry
        raise FileNotFoundError(path)

    def invalidate_cache(self, path: str | None = None) -> None:
        """Forget one listing, or all."""
        if path is None:
            self.dircache.clear()
        else:
            self.dircache.pop(self._strip_protocol(path), None)


class TaggedFileSystem(ListingFileSystem):
    """One that gives entity tags and can be told to look past its listing cache."""

    def info(self, path: str, refresh: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002 - as s3fs has it
        """Add a tag that changes with every write."""
        details = dict(ForeignFileSystem.info(self, path) if refresh else super().info(path))
        if details["type"] == "file":
            details["ETag"] = f'"{id(self.store[self._strip_protocol(path)])}-{hash(self.cat_file(path))}"'
        return details


class AsyncForeignFileSystem(AsyncFileSystem):  # type: ignore[misc] # fsspec has no types
    """An async filesystem over a foreign one; it notes the threads that its coroutines run in."""

    protocol = "foreignasync"
    cachable = False

    def __init__(self, inner: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self.inner = TaggedFileSystem() if inner is None else inner
        self.threads: set[str] = set()
        self.running = 0
        self.most_running = 0

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        return MemoryFileSystem._strip_protocol(path)

    async def _wait(self) -> None:
        self.threads.add(threading.current_thread().name)
        self.running += 1
        self.most_running = max(self.running, self.most_running)
        try:
            await asyncio.sleep(0)
        finally:
            self.running -= 1

    async def _info(self, path: str, refresh: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002 - as s3fs has it
        await self._wait()
        return self.inner.info(path, refresh=refresh)

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> Any:
        await self._wait()
        return self.inner.cat_file(path, start=start, end=end)

    async def _pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **options: Any) -> None:
        await self._wait()
        self.inner.pipe_file(path, value, mode=mode)

    async def _ls(self, path: str, detail: bool = True, **options: Any) -> Any:  # noqa: FBT001, FBT002 - fsspec's signature
        return self.inner.ls(path, detail=detail)

    async def _makedirs(self, path: str, exist_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - fsspec's signature
        self.inner.makedirs(path, exist_ok=exist_ok)


@pytest.fixture
def foreign() -> Any:
    """A synchronous filesystem without versions or caches."""
    return ForeignFileSystem()


@pytest.fixture
def listing() -> Any:
    """A synchronous filesystem whose `info` may be old."""
    return ListingFileSystem()


@pytest.fixture
def tagged() -> Any:
    """A synchronous filesystem with entity tags."""
    return TaggedFileSystem()


@pytest.fixture
def make_async() -> type[AsyncForeignFileSystem]:
    """The class of an async filesystem with entity tags."""
    return AsyncForeignFileSystem


@pytest.fixture
def clean_memory() -> Iterator[MemoryFileSystem]:
    """fsspec's shared in-memory filesystem, emptied before and after."""
    filesystem = MemoryFileSystem()
    filesystem.store.clear()
    filesystem.pseudo_dirs[:] = [""]
    yield filesystem
    filesystem.store.clear()
    filesystem.pseudo_dirs[:] = [""]
