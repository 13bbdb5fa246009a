"""Recorders, inner filesystems, the object store that the tests of the wrapper share."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from fsspec.asyn import AbstractAsyncStreamedFile, AsyncFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile

from guidefs.filesystem import GuideFileSystem


class Log:
    """A receiver of touches that keeps them in order."""

    def __init__(self) -> None:
        self.touches: list[tuple[str, str]] = []

    def touch(self, path: str, operation: str) -> None:
        """Keep one touch."""
        self.touches.append((path, operation))


class ContextRecorder:
    """A recorder whose open call lives in a context variable, as a session keeps it."""

    def __init__(self) -> None:
        self._current: ContextVar[Log | None] = ContextVar("current", default=None)

    def current(self) -> Log | None:
        """The log of the open call."""
        return self._current.get()

    @contextmanager
    def call(self) -> Iterator[Log]:
        """Open a call."""
        log = Log()
        token = self._current.set(log)
        try:
            yield log
        finally:
            self._current.reset(token)


class SteadyRecorder:
    """A recorder that is always in one call."""

    def __init__(self) -> None:
        self.log = Log()

    def current(self) -> Log:
        """The one log."""
        return self.log

    @property
    def touches(self) -> list[tuple[str, str]]:
        """Everything that was touched."""
        return self.log.touches


@pytest.fixture
def recorder() -> SteadyRecorder:
    """A recorder that is always in one call."""
    return SteadyRecorder()


@pytest.fixture
def session() -> ContextRecorder:
    """A recorder whose calls are opened explicitly."""
    return ContextRecorder()


@pytest.fixture
def new_session() -> type[ContextRecorder]:
    """Makes further recorders."""
    return ContextRecorder


@pytest.fixture
def new_recorder() -> type[SteadyRecorder]:
    """Makes further recorders that are always in one call."""
    return SteadyRecorder


@pytest.fixture
def memory() -> MemoryFileSystem:
    """A memory filesystem that nothing else sees."""
    return MemoryFileSystem(global_store=False, skip_instance_cache=True)


class AsyncFile(AbstractAsyncStreamedFile):  # type: ignore[misc]  # fsspec ships no types
    """A streamed file of `AsyncMemoryFileSystem`."""

    async def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes((await self.fs._cat_file(self.path))[start:end])

    async def _upload_chunk(self, *, final: bool = False) -> None:
        if final:
            await self.fs._pipe_file(self.path, self.buffer.getvalue())


def _store_locally(path: Path, content: bytes | None) -> None:
    if content is None:
        path.mkdir(exist_ok=True)
    elif not path.is_dir():
        path.write_bytes(content)


def _read_locally(path: Path) -> bytes | None:
    return None if path.is_dir() else path.read_bytes()


class AsyncMemoryFileSystem(AsyncFileSystem):  # type: ignore[misc]  # fsspec ships no types
    """A filesystem of coroutines that notes in which thread each of them ran."""

    protocol = "asyncmemory"
    cachable = False
    root_marker = "/"

    def __init__(self, store: dict[str, bytes] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.content: dict[str, bytes] = {} if store is None else store
        self.threads: list[str] = []

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(each) for each in path]
        return "/" + str(super()._strip_protocol(path)).strip("/")

    def _found(self, path: str) -> bytes:
        self.threads.append(threading.current_thread().name)
        if (path := self._strip_protocol(path)) not in self.content:
            raise FileNotFoundError(path)
        return self.content[path]

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        await asyncio.sleep(0)
        return self._found(path)[start:end]

    async def _pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        self.content[self._strip_protocol(path)] = value

    async def _rm_file(self, path: str, **kwargs: Any) -> None:
        self._found(path)
        del self.content[self._strip_protocol(path)]

    async def _rm(self, path: Any, *recursive: bool, batch_size: int | None = None, **kwargs: Any) -> None:
        paths = await self._expand_path(path, *recursive, **kwargs)
        if not [path for path in paths if self.content.pop(path, None) is not None]:
            raise FileNotFoundError(path)

    async def _cp_file(self, path1: str, path2: str, **kwargs: Any) -> None:
        if not await self._isdir(path1):
            await self._pipe_file(path2, self._found(path1))

    async def _get_file(self, rpath: str, lpath: str, **kwargs: Any) -> None:
        content = None if await self._isdir(rpath) else self._found(rpath)
        await asyncio.to_thread(_store_locally, Path(lpath), content)

    async def _put_file(self, lpath: str, rpath: str, mode: str = "overwrite", **kwargs: Any) -> None:
        if (content := await asyncio.to_thread(_read_locally, Path(lpath))) is not None:
            await self._pipe_file(rpath, content)

    async def _ls(self, path: str, *, detail: bool = True, **kwargs: Any) -> list[Any]:
        prefix = self._strip_protocol(path).rstrip("/") + "/"
        below = [name[len(prefix) :].split("/") for name in self.content if name.startswith(prefix)]
        if not below:
            raise FileNotFoundError(path)
        names = {prefix + first: "directory" if rest else "file" for first, *rest in below}
        sized = [{"name": name, "type": kind, "size": len(self.content.get(name, b""))} for name, kind in names.items()]
        return sized if detail else sorted(names)

    async def _info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        if path in self.content:
            return {"name": path, "type": "file", "size": len(self._found(path))}
        await self._ls(path)
        return {"name": path, "type": "directory", "size": 0}

    async def open_async(self, path: str, mode: str = "rb", **kwargs: Any) -> AsyncFile:
        """Open a streamed file."""
        size = len(self._found(path)) if mode == "rb" else None
        return AsyncFile(self, self._strip_protocol(path), mode, size=size)

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        return BufferedFile(self, path, mode)


class BufferedFile(AbstractBufferedFile):  # type: ignore[misc]  # fsspec ships no types
    """A synchronous file of `AsyncMemoryFileSystem`."""

    def _upload_chunk(self, *, final: bool = False) -> None:
        if final:
            self.fs.pipe_file(self.path, self.buffer.getvalue())


@pytest.fixture
def native() -> type[AsyncMemoryFileSystem]:
    """Makes filesystems of coroutines."""
    return AsyncMemoryFileSystem


@pytest.fixture
def guide(memory: MemoryFileSystem, recorder: SteadyRecorder) -> GuideFileSystem:
    """A wrapped memory filesystem, always in a call."""
    return GuideFileSystem(memory, recorder=recorder)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def object_store() -> Iterator[dict[str, Any]]:
    """The storage options of s3fs for an S3 server that lives as long as the test run."""
    pytest.importorskip("moto") if not os.environ.get("CI") else None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not _answers(port):
            assert server.poll() is None, "the S3 server ended before it answered"
            time.sleep(0.05)
        yield {
            "key": "key",
            "secret": "secret",
            "endpoint_url": f"http://127.0.0.1:{port}",
            "client_kwargs": {"region_name": "us-east-1"},
        }
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def bucket(object_store: dict[str, Any]) -> Iterator[str]:
    """A bucket of the test's own."""
    s3fs = pytest.importorskip("s3fs")
    fs = s3fs.S3FileSystem(**object_store)
    name = f"bucket-{uuid.uuid4().hex}"
    fs.call_s3("create_bucket", Bucket=name)  # `mkdir` sends the region, which this one must not be sent
    yield name
    fs.invalidate_cache()
    fs.rm(name, recursive=True)


@pytest.fixture
def s3(object_store: dict[str, Any], bucket: str) -> Any:
    """The object store in synchronous mode, as a host would make it."""
    fs = pytest.importorskip("s3fs").S3FileSystem(**object_store)
    fs.invalidate_cache()
    return fs
