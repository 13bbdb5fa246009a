"""A workspace in memory for the tests of the file tools, used from threads and from event loops alike."""

from __future__ import annotations

import asyncio
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast

import fsspec
import pytest

from guidefs.errors import AlreadyExistsError, StaleVersionError
from guidefs.storage.provider import Chunk, CreateOnly, Guard, IfContent, IfVersion, Presence, Stat, Written
from guidefs.storage.text import fingerprint
from guidefs.tools import FileTools
from guidefs.values.answer import Absent, Unavailable, Version
from guidefs_local import LocalProvider

if TYPE_CHECKING:
    from types import TracebackType

    from guidefs.tools import ToolCall
    from guidefs.values.touch import Operation

Mode = Literal["sync", "async"]
Primitive = Literal["stat", "read", "write"]


@dataclass
class MemoryCall:
    """One run of a tool as the fake session sees it."""

    host: MemoryHost
    text: str = ""
    pending: list[tuple[str, str]] = field(default_factory=list)

    def touch(self, path: str, operation: Operation) -> None:
        """Gather a touch."""
        self.pending.append((operation, path))

    def show(self, path: str, text_digest: str, result: str) -> None:
        """Pass over what is shown: this session tells no instruction files."""


class MemoryObserving:
    """The context manager around one run of a tool."""

    def __init__(self, host: MemoryHost) -> None:
        self._call = MemoryCall(host)

    def __enter__(self) -> ToolCall:
        self._call.host.running += 1
        return self._call

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        host = self._call.host
        host.running -= 1
        if kind is not None:
            return
        host.touches += self._call.pending
        if self._call.pending and not host.inside_call:
            self._call.text = host.news

    async def __aenter__(self) -> ToolCall:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        try:
            if kind is None and self._call.host.slow_end is not None:
                await self._call.host.slow_end.wait()
        except asyncio.CancelledError as cancelled:
            self.__exit__(type(cancelled), cancelled, None)
            raise
        self.__exit__(kind, error, trace)


class MemoryHost:
    """A fake session over files in memory.

    Attributes:
        files: address to content.
        kinds: addresses that are no regular files, with what they are.
        versioned: whether the backend has versions.
        sized: whether its stat knows sizes.
        failures: what a primitive raises for an address.
        before: called before each primitive with its name and address; the place to interfere.
        news: the text of a call that the host opens itself.
        inside_call: whether a call of the session is open.
        requests: every primitive that was asked for, with the number of bytes asked for or sent.
    """

    def __init__(self, files: dict[str, bytes] | None = None, *, versioned: bool = True, sized: bool = True) -> None:
        self.files = {f"/w/{name}": content for name, content in (files or {}).items()}
        self.kinds: dict[str, Literal["directory", "other"]] = {}
        self.versioned = versioned
        self.sized = sized
        self.failures: dict[tuple[Primitive, str], BaseException] = {}
        self.before: Callable[[Primitive, str], None] = lambda primitive, address: None
        self.news = ""
        self.inside_call = False
        self.slow_end: asyncio.Event | None = None
        self.requests: list[tuple[Primitive, str, int]] = []
        self.guards: list[Guard] = []
        self.touches: list[tuple[str, str]] = []
        self.kept: list[str] = []
        self.running = 0
        self.touched_versions: dict[str, int] = {}

    def resolve(self, path: str) -> str:
        """Addresses lie under `/w`."""
        return path if path.startswith("/") else f"/w/{path}"

    def observing(self, operation: Operation, path: str) -> MemoryObserving:
        """A fresh run of a tool."""
        return MemoryObserving(self)

    def keep(self, call: ToolCall) -> None:
        """Note the text that found no place."""
        self.kept.append(call.text)

    def stat(self, path: str) -> Presence:
        """The versioned stat."""
        try:
            self._begin("stat", path, 0)
        except OSError as error:
            return Unavailable(f"{type(error).__name__}: {error}")
        if path in self.kinds:
            return Stat(self.kinds[path], None, None)
        if path not in self.files:
            return Absent()
        return Stat("file", len(self.files[path]) if self.sized else None, self.version(path))

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """The bounded read."""
        self._begin("read", path, max_bytes)
        content = self._content(path)
        return Chunk(content[offset : offset + max_bytes], self.version(path), len(content) if self.sized else None)

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """The guarded write."""
        self._begin("write", path, len(data))
        self.guards.append(guard)
        current = self.files.get(path)
        match guard:
            case CreateOnly():
                if current is not None:
                    raise AlreadyExistsError("taken", path=path)
            case IfVersion(version):
                if current is None or self.version(path) != version:
                    raise StaleVersionError("another version", path=path)
            case IfContent(content):
                if current is None or fingerprint(current) != content:
                    raise StaleVersionError("another content", path=path)
        self.files[path] = data
        return Written(self.version(path), "atomic")

    async def astat(self, path: str) -> Presence:
        """The versioned stat, after the loop had a turn."""
        await asyncio.sleep(0)
        return self.stat(path)

    async def aread(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """The bounded read, after the loop had a turn."""
        await asyncio.sleep(0)
        return self.read(path, offset=offset, max_bytes=max_bytes)

    async def awrite(self, path: str, data: bytes, guard: Guard) -> Written:
        """The guarded write, after the loop had a turn."""
        await asyncio.sleep(0)
        return self.write(path, data, guard)

    def version(self, address: str) -> Version | None:
        """A version that follows the content and the times its mode bits changed."""
        if not self.versioned:
            return None
        return Version(f"{fingerprint(self.files[address])}/{self.touched_versions.get(address, 0)}")

    def change_mode(self, name: str) -> None:
        """Give a file another version with the same content, as `chmod` does."""
        address = self.resolve(name)
        self.touched_versions[address] = self.touched_versions.get(address, 0) + 1

    def asked(self, primitive: Primitive) -> list[int]:
        """The numbers of bytes asked for, or sent, through one primitive."""
        return [size for name, _, size in self.requests if name == primitive]

    def _begin(self, primitive: Primitive, address: str, size: int) -> None:
        self.requests.append((primitive, address, size))
        self.before(primitive, address)
        failure = self.failures.get((primitive, address))
        if failure is not None:
            raise failure

    def _content(self, address: str) -> bytes:
        if self.kinds.get(address) == "directory":
            raise IsADirectoryError(21, "Is a directory", address)
        if address not in self.files:
            raise FileNotFoundError(2, "No such file or directory", address)
        return self.files[address]


class DiskHost(MemoryHost):
    """A fake session over a directory of the local disk, through the provider for it."""

    def __init__(self, root: pathlib.Path) -> None:
        super().__init__()
        self._root = root
        self._provider = LocalProvider(fsspec.filesystem("file"))

    def resolve(self, path: str) -> str:
        """Addresses lie under the directory."""
        return str(self._root / path)

    def stat(self, path: str) -> Presence:
        """The versioned stat of the provider."""
        self._begin("stat", path, 0)
        return self._provider.stat(path)

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """The bounded read of the provider."""
        self._begin("read", path, max_bytes)
        return self._provider.read(path, offset=offset, max_bytes=max_bytes)

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """The guarded write of the provider."""
        self._begin("write", path, len(data))
        return self._provider.write(path, data, guard)


class Workbench:
    """The file tools over a fake session, called in one of the two ways."""

    def __init__(self, mode: Mode, host: MemoryHost) -> None:
        self.mode = mode
        self.host = host
        self.tools = FileTools(host)

    def read(self, path: str, offset: int = 1, limit: int = 2_000) -> str:
        """Run the tool `read`."""
        if self.mode == "sync":
            return self.tools.read(path, offset, limit)
        return asyncio.run(self.tools.aread(path, offset, limit))

    def write(self, path: str, content: str) -> str:
        """Run the tool `write`."""
        if self.mode == "sync":
            return self.tools.write(path, content)
        return asyncio.run(self.tools.awrite(path, content))

    def edit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> str:
        """Run the tool `edit`."""
        if self.mode == "sync":
            return self.tools.edit(path, old, new, replace_all=replace_all)
        return asyncio.run(self.tools.aedit(path, old, new, replace_all=replace_all))

    def content(self, path: str) -> bytes:
        """What a file holds."""
        return self.host.files[self.host.resolve(path)]


MakeBench = Callable[..., Workbench]


def make_bench(
    mode: Mode, files: dict[str, bytes] | None = None, *, versioned: bool = True, sized: bool = True
) -> Workbench:
    """Lay out files and put the tools over them."""
    return Workbench(mode, MemoryHost(files, versioned=versioned, sized=sized))


@pytest.fixture(params=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> Mode:
    """The way in which the tools are called; every test that uses it runs in both."""
    return cast(Mode, request.param)


@pytest.fixture
def bench(mode: Mode) -> Callable[..., Workbench]:
    """Make a workbench for the way in which this test calls the tools."""

    def make(files: dict[str, bytes] | None = None, *, versioned: bool = True, sized: bool = True) -> Workbench:
        return make_bench(mode, files, versioned=versioned, sized=sized)

    return make


@pytest.fixture
def disk(mode: Mode, tmp_path: pathlib.Path) -> Workbench:
    """The tools over an empty directory of the local disk."""
    return Workbench(mode, DiskHost(tmp_path))


@pytest.fixture(scope="session")
def bench_of() -> Callable[..., Workbench]:
    """Make a workbench for a given way; safe to share among the examples of a property."""
    return make_bench


@pytest.fixture
def host() -> MemoryHost:
    """A fake session without files."""
    return MemoryHost()
