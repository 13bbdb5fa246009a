"""Files opened for writing, which report one touch when they are closed well."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from guidefs.filesystem.pending import PendingTouch

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["AsyncWrittenFile", "WrittenFile"]


_OWN = frozenset({"_deferred", "_file", "_pending", "fs"})


class _Settling:
    """When the touch of a file is due."""

    _pending: PendingTouch
    _deferred: bool

    @contextmanager
    def _settling(self, *, committing: bool = False) -> Iterator[None]:
        """Report the touch when the body succeeds, drop it when it fails, leave it where a commit is to come."""
        try:
            yield
        except BaseException:
            self._pending.drop()
            raise
        if committing or not self._deferred:
            self._pending.report()


def _delegated(name: str) -> Callable[..., Any]:
    def method(self: WrittenFile, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._file, name)(*args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"Call `{name}` of the inner file."
    return method


class WrittenFile(_Settling, io.IOBase):
    """Stands in front of one binary file of the inner filesystem that was opened for writing.

    The inner file itself is left as it is: backends share such objects (`MemoryFileSystem` stores them), and context
    managers need not go through their `close`.

    Args:
        file: the inner file.
        fs: what the file shows as its filesystem.
        pending: the touch to report.
        deferred: whether the content gets its name only by a commit, not when the file is closed.
    """

    def __init__(self, file: Any, fs: Any, pending: PendingTouch, *, deferred: bool) -> None:
        self._file = file
        self._pending = pending
        self._deferred = deferred
        self.fs = fs

    def close(self) -> None:
        """Close the inner file; the touch is reported the first time, if it closes well."""
        with self._settling():
            self._file.close()

    def commit(self) -> Any:
        """Give the written content its name."""
        with self._settling(committing=True):
            return self._file.commit()

    def discard(self) -> Any:
        """Throw the written content away."""
        self._pending.drop()
        return self._file.discard()

    def __enter__(self) -> Self:
        self._file.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        # What a failed body has written stays written on most backends, so the touch follows the closing alone.
        with self._settling():
            return self._file.__exit__(*error)

    def __iter__(self) -> Any:
        return iter(self._file)

    def __next__(self) -> Any:
        return next(self._file)

    @property
    def closed(self) -> bool:
        """Whether the inner file is closed."""
        file = self.__dict__.get("_file")
        return file is None or bool(file.closed)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_file":
            raise AttributeError(name)
        return getattr(self._file, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN:
            super().__setattr__(name, value)
        else:
            setattr(self._file, name, value)

    def __reduce__(self) -> Any:
        raise TypeError("a file that is open for writing cannot be pickled: close it and open it where it is needed")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._file!r}>"


for _name in (
    *("read", "readinto", "readline", "readlines", "readable"),
    *("write", "writelines", "writable", "truncate", "flush"),
    *("seek", "seekable", "tell", "fileno", "isatty"),
):
    setattr(WrittenFile, _name, _delegated(_name))


class AsyncWrittenFile(_Settling):
    """Stands in front of one streamed file of `open_async` that was opened for writing.

    Args:
        file: the inner file.
        fs: what the file shows as its filesystem.
        pending: the touch to report.
    """

    _deferred = False

    def __init__(self, file: Any, fs: Any, pending: PendingTouch) -> None:
        self._file = file
        self._pending = pending
        self.fs = fs

    async def close(self) -> None:
        """Close the inner file; the touch is reported the first time, if it closes well."""
        with self._settling():
            await self._file.close()

    async def __aenter__(self) -> Self:
        await self._file.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        with self._settling():
            return await self._file.__aexit__(*error)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_file":
            raise AttributeError(name)
        return getattr(self._file, name)
