"""zarr's own suite for stores, over the asynchronous half of wrapped filesystems."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

from guidefs.filesystem import GuideFileSystem

if not os.environ.get("CI"):
    pytest.importorskip("zarr")

from zarr.core.buffer import cpu
from zarr.storage import FsspecStore
from zarr.testing.store import StoreTests


class Suite(StoreTests[FsspecStore, cpu.Buffer]):
    """Every test of a store, always in a call."""

    store_cls = FsspecStore
    buffer_cls = cpu.Buffer

    @pytest.fixture
    def fs(self, twin: str, inner: Any, recorder: Any) -> Any:
        """The tested filesystem, in asynchronous mode."""
        if twin == "wrapped":
            return GuideFileSystem(inner, recorder=recorder, asynchronous=True)
        return inner if inner.async_impl else AsyncFileSystemWrapper(inner, asynchronous=True)

    @pytest.fixture
    def store_kwargs(self, fs: Any, root: str) -> dict[str, Any]:
        """What makes a store."""
        return {"fs": fs, "path": root}

    @pytest.fixture
    def store(self, event_loop_runner: asyncio.Runner, open_kwargs: dict[str, Any]) -> Any:
        """An open store."""
        return event_loop_runner.run(self.store_cls.open(**open_kwargs))

    @pytest.fixture
    def store_not_open(self, store_kwargs: dict[str, Any]) -> Any:
        """A store that has yet to be opened."""
        return self.store_cls(**store_kwargs)

    async def set(self, store: Any, key: str, value: Any) -> None:
        """Store a value behind the store's back."""
        await store.fs._pipe_file(f"{store.path}/{key}", value.to_bytes())

    async def get(self, store: Any, key: str) -> Any:
        """Fetch a value behind the store's back."""
        return self.buffer_cls.from_bytes(await store.fs._cat_file(f"{store.path}/{key}"))

    def test_store_repr(self, store: Any) -> None:
        """A store shows what it is."""
        assert "FsspecStore" in str(store)

    def test_store_supports_writes(self, store: Any) -> None:
        """A store can be written."""
        assert store.supports_writes

    def test_store_supports_partial_writes(self, store: Any) -> None:
        """A store cannot be written in part."""
        assert not store.supports_partial_writes

    def test_store_supports_listing(self, store: Any) -> None:
        """A store can be listed."""
        assert store.supports_listing


class TestMemory(Suite):
    """A synchronous filesystem."""

    @pytest.fixture
    def inner(self) -> Any:
        """The memory filesystem that a store may find again after it was pickled."""
        from fsspec.implementations.memory import MemoryFileSystem

        return MemoryFileSystem()

    @pytest.fixture
    def root(self, inner: Any) -> Iterator[str]:
        """A directory of the test's own."""
        path = f"/{uuid.uuid4().hex}"
        yield path
        if inner.exists(path):
            inner.rm(path, recursive=True)


@pytest.mark.differential("test_serializable_store")
class TestObjectStore(Suite):
    """A filesystem of coroutines on the loop of the tests; zarr's pickling test fails on it by itself."""

    @pytest.fixture
    def inner(self, object_store: dict[str, Any], event_loop_runner: asyncio.Runner) -> Iterator[Any]:
        """The object store in asynchronous mode."""
        s3fs = pytest.importorskip("s3fs")
        fs = s3fs.S3FileSystem(**object_store, asynchronous=True, skip_instance_cache=True)
        event_loop_runner.run(fs.set_session())
        yield fs
        event_loop_runner.run(fs.s3.close())

    @pytest.fixture
    def root(self, bucket: str) -> str:
        """A directory in a bucket of the test's own."""
        return f"{bucket}/store"


def test_a_plain_wrapper_becomes_asynchronous_by_its_own_json(recorder: Any, object_store: dict[str, Any]) -> None:
    """zarr makes a filesystem asynchronous through JSON or through its options; the session goes along."""
    s3fs = pytest.importorskip("s3fs")
    fs = GuideFileSystem(s3fs.S3FileSystem(**object_store), recorder=recorder)
    described = {**json.loads(fs.to_json()), "asynchronous": True}
    from_json = type(fs).from_json(json.dumps(described))
    from_options = type(fs)(*fs.storage_args, **{**fs.storage_options, "asynchronous": True})
    for made in (from_json, from_options):
        assert made.asynchronous
        assert made.fs.asynchronous
        assert made.guide_session is recorder
