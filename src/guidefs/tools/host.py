"""What the file tools need of the session that owns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from guidefs.storage.provider import AsyncPrimitives, Primitives

if TYPE_CHECKING:
    from types import TracebackType

    from guidefs.values.touch import Operation

__all__ = ["Observing", "ToolCall", "ToolHost"]


class ToolCall(Protocol):
    """The call that a tool runs in."""

    @property
    def text(self) -> str:
        """What has to follow the tool's result, once the call has ended.

        Empty inside an open call of the host (that call carries its own text) and when there is nothing to say.
        """
        ...

    def touch(self, path: str, operation: Operation) -> None:
        """Count one access that has succeeded.

        It never fails: a path that is blank or cannot be resolved is no touch.

        Args:
            path: the file as the tool's caller named it: relative to the working directory, or absolute with a
                leading `/` or a scheme.
            operation: what the access did.
        """
        ...

    def show(self, path: str, text_digest: str, result: str) -> None:
        """Say that the tool's result shows a whole file, which then need not be told as an instruction file too.

        Args:
            path: the file, as for `touch`.
            text_digest: the digest of its text.
            result: the result as the caller gets it, before anything is appended.
        """
        ...


class Observing(Protocol):
    """A context manager, plain and asynchronous, around one run of a tool.

    Inside an open call of the session it only hands on touches. Outside any call it is a call of its own, which
    reconciles when it ends well; an exception ends it without touches and passes through.
    """

    def __enter__(self) -> ToolCall: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    async def __aenter__(self) -> ToolCall: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class ToolHost(Primitives, AsyncPrimitives, Protocol):
    """A session as its file tools see it: paths, the primitives of the backend both ways, calls."""

    def resolve(self, path: str) -> str:
        """Turn a path as a tool gets it into the backend's own absolute path, without asking the backend.

        Raises:
            FileError: no such path can exist, such as one with a NUL, or it leads out of the workspace's backend.
        """
        ...

    def observing(self, operation: Operation, path: str) -> Observing:
        """Make the context manager for one run of a tool.

        Args:
            operation: what the tool is about to do (the first thing, if it does several); for diagnostics.
            path: the file it is about (the first one, `""` if there is none); for diagnostics.
        """
        ...

    def keep(self, call: ToolCall) -> None:
        """Keep the contexts of an ended call whose text found no place in a result.

        They stay available through the session's `take()`.
        """
        ...
