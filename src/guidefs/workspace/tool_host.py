"""A session as its file tools see it."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from guidefs.driver.call import Call, innermost
from guidefs.errors import FileInputOutputError
from guidefs.storage.provider import Chunk, Guard, Presence, Written
from guidefs.tools.host import ToolCall
from guidefs.values.context import Context
from guidefs.values.touch import Operation
from guidefs.workspace.address import Address

__all__ = ["SessionToolHost"]


class SessionToolHost:
    """What the file tools of one session need.

    Args:
        address: where the session works.
        storage: the primitives of the backend, both ways.
        key: the identity of the session, by which its open calls are found.
        open_call: makes a call of its own for a tool that runs outside any.
        keep: takes the contexts that found no place in a result.
    """

    def __init__(
        self,
        address: Address,
        storage: Any,
        *,
        key: object,
        open_call: Callable[[], Call],
        keep: Callable[[tuple[Context, ...]], None],
    ) -> None:
        self._address = address
        self._storage = storage
        self._key = key
        self._open_call = open_call
        self._keep = keep

    def resolve(self, path: str) -> str:
        """The absolute path of a tool's path.

        Raises:
            FileInputOutputError: the path is blank, or names another filesystem by its scheme.
        """
        resolved = self._address.resolve(path)
        if resolved is None:
            raise FileInputOutputError(f"{path!r} names no file of this workspace; give a path inside it", path=path)
        return resolved

    def observing(self, operation: Operation, path: str) -> _Observing:
        """The context manager around one run of a tool."""
        return _Observing(innermost(self._key), self._open_call)

    def keep(self, call: ToolCall) -> None:
        """Keep the contexts of an ended call for `take`."""
        if isinstance(call, _OwnCall):
            self._keep(call.contexts)

    def stat(self, path: str) -> Presence:
        """Stat one path."""
        return self._storage.stat(path)  # type: ignore[no-any-return] # the bridge keeps the seam's types

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece of a file."""
        return self._storage.read(path, offset=offset, max_bytes=max_bytes)  # type: ignore[no-any-return] # as above

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Write a whole file under a guard."""
        return self._storage.write(path, data, guard)  # type: ignore[no-any-return] # as above

    async def astat(self, path: str) -> Presence:
        """Stat one path on an event loop."""
        return await self._storage.astat(path)  # type: ignore[no-any-return] # as above

    async def aread(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece of a file on an event loop."""
        return await self._storage.aread(path, offset=offset, max_bytes=max_bytes)  # type: ignore[no-any-return] # as above

    async def awrite(self, path: str, data: bytes, guard: Guard) -> Written:
        """Write a whole file under a guard, on an event loop."""
        return await self._storage.awrite(path, data, guard)  # type: ignore[no-any-return] # as above


class _OuterCall:
    """The host's open call, which carries its own text."""

    text = ""

    def __init__(self, call: Call) -> None:
        self._call = call

    def touch(self, path: str, operation: Operation) -> None:
        self._call.touch(path, operation)

    def show(self, path: str, text_digest: str, result: str) -> None:
        self._call.show(path, text_digest, result)


class _OwnCall:
    """A call that a tool opened for itself."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def text(self) -> str:
        return self._call.text

    @property
    def contexts(self) -> tuple[Context, ...]:
        return self._call.contexts

    def touch(self, path: str, operation: Operation) -> None:
        self._call.touch(path, operation)

    def show(self, path: str, text_digest: str, result: str) -> None:
        self._call.show(path, text_digest, result)


class _Observing:
    """One run of a tool, in the host's open call or in a call of its own."""

    def __init__(self, outer: Call | None, open_call: Callable[[], Call]) -> None:
        self._outer = outer
        self._own = None if outer is not None else open_call()

    def __enter__(self) -> ToolCall:
        if self._own is not None:
            self._own.__enter__()
        return self._call()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._own is not None:
            self._own.__exit__(kind, error, trace)

    async def __aenter__(self) -> ToolCall:
        if self._own is not None:
            await self._own.__aenter__()
        return self._call()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._own is not None:
            await self._own.__aexit__(kind, error, trace)

    def _call(self) -> ToolCall:
        if self._own is not None:
            return _OwnCall(self._own)
        assert self._outer is not None  # noqa: S101 - one of the two is always there
        return _OuterCall(self._outer)
