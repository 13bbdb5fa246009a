"""The providers of the core do what every provider has to do."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest
from fsspec.implementations.dirfs import DirFileSystem

from guidefs.testing import FakeProvider, FaultyProvider, ProviderTests


class StoreGround(ProviderTests):
    """A store of the kind that fsspec's in-memory filesystem has, written directly."""

    store_fs: Any
    hostile_names: ClassVar[tuple[str, ...]] = (*ProviderTests.hostile_names, "not \udcff utf-8")

    def put(self, path: str, data: bytes) -> None:
        """Store new bytes under the name."""
        self.store_fs.pipe_file(self.in_store(path), data)

    def get(self, path: str) -> bytes:
        """The stored bytes."""
        return bytes(self.store_fs.store[self.in_store(path)].getvalue())

    def delete(self, path: str) -> None:
        """Remove the name."""
        del self.store_fs.store[self.in_store(path)]

    def mkdir(self, path: str) -> None:
        """Make a directory."""
        self.store_fs.makedirs(self.in_store(path))

    def make_filesystem(self) -> Any:
        """The filesystem under test."""
        return self.store_fs

    def in_store(self, path: str) -> str:
        """The name in the store of a path of the filesystem under test."""
        return path


class TestMemoryProvider(StoreGround):
    """Over fsspec's in-memory filesystem."""

    @pytest.fixture(autouse=True)
    def ground(self, clean_memory: Any) -> None:
        """Work in the emptied store."""
        self.store_fs, self.root = clean_memory, "/work"
        clean_memory.makedirs("/work")


class TestMemoryProviderInDirectory(StoreGround):
    """Over a filesystem that shows one directory of the in-memory one."""

    @pytest.fixture(autouse=True)
    def ground(self, clean_memory: Any) -> None:
        """Work in the emptied store."""
        self.store_fs, self.root = clean_memory, "work"
        clean_memory.makedirs("/base/work")

    def make_filesystem(self) -> Any:
        """The filesystem under test."""
        return DirFileSystem(path="/base", fs=self.store_fs)

    def in_store(self, path: str) -> str:
        """The name in the store of a path of the filesystem under test."""
        return f"/base/{path}"


class GenericGround(StoreGround):
    """What the generic provider cannot promise is left out."""

    guards = frozenset({"create", "content"})
    supports_versions = False


class TestGenericProvider(GenericGround):
    """Over a filesystem without versions."""

    @pytest.fixture(autouse=True)
    def ground(self, foreign: Any) -> None:
        """Work in an empty store."""
        self.store_fs, self.root = foreign, "/work"
        foreign.makedirs("/work")


class TestGenericProviderWithListingCache(GenericGround):
    """Over a filesystem whose `info` may come from a listing cache that cannot be refreshed."""

    @pytest.fixture(autouse=True)
    def ground(self, listing: Any) -> None:
        """Work in an empty store."""
        self.store_fs, self.root = listing, "/work"
        listing.makedirs("/work")


class TestGenericProviderWithVersions(StoreGround):
    """Over a filesystem that gives entity tags."""

    @pytest.fixture(autouse=True)
    def ground(self, tagged: Any) -> None:
        """Work in an empty store."""
        self.store_fs, self.root = tagged, "/work"
        tagged.makedirs("/work")


class AsyncGround(StoreGround):
    """An async filesystem over a store."""

    asynchronous: ClassVar[bool]

    @pytest.fixture(autouse=True)
    def ground(self, make_async: Any) -> None:
        """Work in an empty store."""
        self.async_fs = make_async(asynchronous=self.asynchronous)
        self.store_fs, self.root = self.async_fs.inner, "/work"
        self.store_fs.makedirs("/work")

    def make_filesystem(self) -> Any:
        """The filesystem under test."""
        return self.async_fs


class TestAsyncGenericProvider(AsyncGround):
    """On fsspec's own loop."""

    asynchronous = False


class TestAsyncGenericProviderOnOneLoop(AsyncGround):
    """On the caller's loop."""

    asynchronous = True

    def list_directory(self, path: str) -> None:
        """List a directory as a user would."""
        asyncio.run(self.async_fs._ls(path))


class TestAsyncGenericProviderInDirectory(AsyncGround):
    """On fsspec's own loop, with one directory shown."""

    asynchronous = False

    @pytest.fixture(autouse=True)
    def ground(self, make_async: Any) -> None:
        """Work in an empty store."""
        self.async_fs = make_async(asynchronous=False)
        self.store_fs, self.root = self.async_fs.inner, "work"
        self.store_fs.makedirs("/base/work")

    def make_filesystem(self) -> Any:
        """The filesystem under test."""
        return DirFileSystem(path="/base", fs=self.async_fs)

    def in_store(self, path: str) -> str:
        """The name in the store of a path of the filesystem under test."""
        return f"/base/{path}"


class TestFakeProvider(ProviderTests):
    """The fake is a provider like any other."""

    root = "/work"

    def make_filesystem(self) -> Any:
        """A filesystem that plays no part."""
        return None

    def make_provider(self, filesystem: Any) -> object:
        """The provider under test."""
        self.fake.mkdir("/work")
        return self.fake

    @pytest.fixture(autouse=True)
    def ground(self) -> None:
        """Start with an empty tree."""
        self.fake = FakeProvider()

    def put(self, path: str, data: bytes) -> None:
        """Put a file, with its parents."""
        parts = path.split("/")[:-1]
        for count in range(1, len(parts)):
            self.fake.mkdir("/".join(parts[: count + 1]))
        self.fake.put(path, data)

    def get(self, path: str) -> bytes:
        """The content of a file."""
        return self.fake.read(path, offset=0, max_bytes=1 << 30).data

    def delete(self, path: str) -> None:
        """Delete a file."""
        self.fake.delete(path)

    def mkdir(self, path: str) -> None:
        """Make a directory."""
        self.fake.mkdir(path)

    def list_directory(self, path: str) -> None:
        """There is nothing that could cache a listing."""


class TestFaultyProvider(TestFakeProvider):
    """A layer with injected faults changes nothing else."""

    supports_hiding = True

    @pytest.fixture(autouse=True)
    def ground(self) -> None:
        """Start with an empty tree."""
        self.fake = FakeProvider()
        self.faulty = FaultyProvider(self.fake)

    def make_provider(self, filesystem: Any) -> object:
        """The provider under test."""
        self.fake.mkdir("/work")
        return self.faulty

    def hide(self, path: str) -> None:
        """Let reads of a file fail."""
        self.faulty.fail(path, at="read")
