"""How one file is opened under observation."""

from __future__ import annotations

import inspect
import io
from dataclasses import dataclass
from typing import Any

from fsspec.compression import compr
from fsspec.core import get_compression
from fsspec.spec import AbstractFileSystem

from guidefs.filesystem.arguments import Call
from guidefs.filesystem.commits import deferred_files, on_commit
from guidefs.filesystem.pending import PendingTouch
from guidefs.filesystem.recorder import TouchSink
from guidefs.filesystem.writing import AsyncWrittenFile, WrittenFile
from guidefs.values.touch import Operation

__all__ = ["opened", "opened_async"]

_OPEN = inspect.signature(AbstractFileSystem.open)
_TEXT_OPTIONS = ("encoding", "errors", "newline")


def _effect(mode: str) -> Operation:
    """What a file of this mode does: `w` and `x` store a whole content, `a` and `+` change one."""
    if "w" in mode or "x" in mode:
        return "write"
    return "edit" if "a" in mode or "+" in mode else "read"


def _path_of(call: Call) -> Any:
    return call.args[0] if call.args else call.kwargs["path"]


def _mode_of(call: Call) -> str:
    return str(call.args[1] if len(call.args) > 1 else call.kwargs.get("mode", "rb"))


@dataclass(frozen=True, slots=True)
class _Layers:
    """What `open` puts on top of the binary file of the backend, as fsspec does it.

    Args:
        mode: the mode that the caller asked for.
        compression: the codec, `None` for none.
        text: the arguments of `io.TextIOWrapper`, `None` for a binary file.
    """

    mode: str
    compression: str | None = None
    text: dict[str, Any] | None = None

    def over(self, file: WrittenFile, path: Any) -> Any:
        """Put the layers on a binary file."""
        layered: Any = file
        if self.compression is not None:
            layered = compr[get_compression(path, self.compression)](file, mode=self.mode[0])
        return layered if self.text is None else io.TextIOWrapper(layered, **self.text)


def _taken_apart(call: Call) -> tuple[Call, _Layers]:
    """Split an `open` into the one of the binary file below, verbatim where nothing is layered on it."""
    bound = _OPEN.bind(None, *call.args, **call.kwargs).arguments
    mode, compression = _mode_of(call), bound.get("compression")
    if "b" in mode and compression is None:
        return call, _Layers(mode)
    options = {name: value for name, value in bound.items() if name not in {"self", "mode", "compression", "kwargs"}}
    options |= bound.get("kwargs", {})
    text: dict[str, Any] | None = None
    if "b" not in mode:
        text = {name: options.pop(name) for name in _TEXT_OPTIONS if name in options}
        options["mode"] = mode.replace("t", "") + "b"
    else:
        options["mode"] = mode
    return Call(call.function, (options.pop("path"),), options), _Layers(mode, compression, text)


def opened(wrapper: Any, sink: TouchSink, call: Call, *, layered: bool) -> Any:
    """Open a file, seeing to it that its touch is reported.

    A file that is opened for reading is the inner filesystem's own object, its touch is reported here. One that is
    opened for writing stands behind a `WrittenFile`; text and compression are layered on top of that, so that the
    touch comes when the bytes are really closed.

    Args:
        wrapper: the wrapping filesystem, whose `fs` is the inner one.
        sink: the receiver of the touch.
        call: a call of `open` or `_open` of the inner filesystem.
        layered: whether the method knows text and compression, as `open` does.
    """
    effect = _effect(_mode_of(call))
    if effect == "read":
        file = call.function(*call.args, **call.kwargs)
        sink.touch(wrapper.fs._strip_protocol(_path_of(call)), effect)
        return file
    binary, layers = _taken_apart(call) if layered else (call, _Layers(_mode_of(call)))
    pending = PendingTouch(sink, wrapper.fs._strip_protocol(_path_of(call)), effect)
    return layers.over(_written(wrapper, pending, binary), _path_of(call))


def _written(wrapper: Any, pending: PendingTouch, call: Call) -> WrittenFile:
    waiting = deferred_files(wrapper.fs)
    file = call.function(*call.args, **call.kwargs)
    deferred = deferred_files(wrapper.fs) > waiting or not getattr(file, "autocommit", True)
    transaction = getattr(wrapper.fs, "_transaction", None)
    if deferred and transaction is not None:
        on_commit(transaction, pending.report)
    return WrittenFile(file, wrapper, pending, deferred=deferred)


async def opened_async(wrapper: Any, sink: TouchSink, call: Call) -> Any:
    """Open a streamed file as `opened` does; it has no layers, takes part in no transaction."""
    effect = _effect(_mode_of(call))
    file = await call.function(*call.args, **call.kwargs)
    path = wrapper.fs._strip_protocol(_path_of(call))
    if effect == "read":
        sink.touch(path, effect)
        return file
    return AsyncWrittenFile(file, wrapper, PendingTouch(sink, path, effect))
