"""The filesystem that hosts use in place of their own."""

from __future__ import annotations

from inspect import iscoroutinefunction
from types import MethodType
from typing import Any, ClassVar

import fsspec
from fsspec.asyn import AsyncFileSystem, get_loop
from fsspec.implementations.chained import ChainedFileSystem
from fsspec.utils import tokenize

from guidefs.errors import UnknownOptionError, UsageError
from guidefs.filesystem.bare import make_recorder
from guidefs.filesystem.methods import asynchronous_half, generated_methods, synchronous_half
from guidefs.filesystem.modes import has_coroutines, in_mode
from guidefs.filesystem.operations import BACKEND_OPERATIONS, OPERATIONS
from guidefs.filesystem.recorder import Recorder, TouchSink
from guidefs.filesystem.registry import UNBOUND, Binding, bind, find
from guidefs.filesystem.versioned import VersionedAccess

__all__ = ["GuideFileSystem"]

_ROWS = {operation.method: operation for operation in (*OPERATIONS, *BACKEND_OPERATIONS)}
_COPIED = ("protocol", "sep", "root_marker", "blocksize", "disable_throttling", "_strip_protocol", "_parent")


class GuideFileSystem(VersionedAccess, AsyncFileSystem, ChainedFileSystem):  # type: ignore[misc]  # fsspec is untyped
    """Does what the wrapped filesystem does, telling a session which files were read, written or edited.

    Every method is handed to the same method of the inner filesystem with the arguments as they came, the
    synchronous half to the synchronous one, the asynchronous half to the asynchronous one. Where the inner
    filesystem has no coroutines the asynchronous half runs the synchronous method in a worker thread.

    An access is reported when it has succeeded, to the call that was open when it began, once. Outside a call
    everything passes through. Files opened for reading are the inner filesystem's own objects; files opened for
    writing report when they are closed well, or when their transaction commits.

    Pickles, copies, JSON and dask tokens carry the inner filesystem with a random token for the session. A process
    that does not know the token passes everything through.

    Args:
        fs: the filesystem to wrap. Give either this or `target_protocol`.
        recorder: what is told about accesses. Without one, without `session` and without `max_bytes` a wrapped `fs`
            passes everything through.
        session: the token of a recorder, as pickles hold it. Give at most one of this and `recorder`.
        fo: the path of a chained URL, set by fsspec.
        target_protocol: the protocol of the filesystem to make and wrap, as in a chained URL. Without a recorder the
            wrapper then has a session of its own, `guide_session`.
        target_options: the arguments of the filesystem to make.
        asynchronous: whether the wrapper is to be used on the caller's event loop; `None` takes the mode of the
            inner filesystem. An inner filesystem in the other mode is made anew.
        max_bytes: the budget in bytes of the session of its own; without it `GUIDEFS_MAX_BYTES` counts.
        cwd: the working directory of the session of its own; without it the session derives one from the URL.
        unknown: always refused; fsspec hands stray storage options to the outermost filesystem of a chain.

    Raises:
        UnknownOptionError: an argument that does not exist.
        UsageError: there is nothing to wrap, or arguments contradict each other.
        ConfigurationError: a session of its own needs `max_bytes`.
    """

    protocol: ClassVar[Any] = "guide"
    cachable = False
    mirror_sync_methods = False
    fs: Any = None
    asynchronous: bool = False
    guidefs_transparent = True
    """Tells the search for a provider to look at `fs` instead."""

    def __init__(
        self,
        fs: Any = None,
        *,
        recorder: Recorder | None = None,
        session: str | None = None,
        fo: str | None = None,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        asynchronous: bool | None = None,
        max_bytes: float | str | None = None,
        cwd: str | None = None,
        **unknown: Any,
    ) -> None:
        _refuse(unknown, fs=fs, target_protocol=target_protocol, recorder=recorder, session=session)
        made = fs is None
        source = _given(target_protocol=target_protocol, target_options=target_options) if made else {"fs": fs}
        if made:
            fs = fsspec.filesystem(target_protocol, **(target_options or {}))
        if asynchronous is not None:
            fs = in_mode(fs, asynchronous=asynchronous)
        # The state that AbstractFileSystem.__init__ would make is the inner filesystem's, `__getattr__` finds it there.
        self._cached = True
        self.fs = fs
        self.asynchronous = bool(getattr(fs, "asynchronous", False)) if asynchronous is None else asynchronous
        self._native = has_coroutines(fs) and bool(getattr(fs, "asynchronous", False)) == self.asynchronous
        self.async_impl = self._native or self.asynchronous
        for name in _COPIED:
            if hasattr(fs, name):
                setattr(self, name, getattr(fs, name))
        if recorder is None and session is None and (made or max_bytes is not None):
            recorder = make_recorder(fs, max_bytes=max_bytes, path=fo, cwd=cwd)
        self._binding = _binding(recorder, session)
        self._options = {**source, **_given(asynchronous=asynchronous, session=self._binding.token or None)}

    def _sink(self) -> TouchSink | None:
        """The receiver for an operation that starts now."""
        recorder = self._binding.recorder
        return None if recorder is None else recorder.current()

    @property
    def guide_session(self) -> Any:
        """The session that is told about accesses, `None` where there is none or this process does not know it.

        It is what the recorder names as its `session`, or the recorder itself.
        """
        recorder = self._binding.recorder
        return getattr(recorder, "session", recorder)

    @property
    def loop(self) -> Any:
        """The event loop that the coroutines run on, `None` in asynchronous mode."""
        if self.asynchronous:
            return None
        return self.fs.loop if self._native else get_loop()

    @property
    def fsid(self) -> Any:
        """The identity of the inner filesystem."""
        return self.fs.fsid

    @property
    def transaction_type(self) -> Any:
        """The transaction class of the inner filesystem."""
        return self.fs.transaction_type

    @property
    def transaction(self) -> Any:
        """The transaction of the inner filesystem."""
        return self.fs.transaction

    @property
    def storage_args(self) -> tuple[()]:
        """No positional arguments: `storage_options` makes an equal wrapper."""
        return ()

    @storage_args.setter
    def storage_args(self, value: Any) -> None:
        """Ignore what fsspec stores after construction, which may hold a recorder."""

    @property
    def storage_options(self) -> dict[str, Any]:
        """The arguments that make an equal wrapper, in this process or another."""
        return dict(self._options)

    @storage_options.setter
    def storage_options(self, value: Any) -> None:
        """Ignore what fsspec stores after construction, which may hold a recorder."""

    @property
    def _fs_token(self) -> str:
        return str(tokenize(self.fs._fs_token, self._binding.token, self.asynchronous))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fs!r})"

    def __getattr__(self, name: str) -> Any:
        """Find whatever fsspec's interface does not have in the inner filesystem.

        Raises:
            AttributeError: the inner filesystem does not have it either.
        """
        if name.startswith("__") or name in {"fs", "_binding", "_native"}:
            raise AttributeError(name)
        operation = _ROWS.get(name.removeprefix("_"))
        if operation is None:
            return getattr(self.fs, name)
        if name == operation.method:
            getattr(self.fs, name)  # what the inner filesystem lacks is lacking here
            return MethodType(synchronous_half(operation), self)
        inner = getattr(self.fs, name if self._native else operation.method)
        if self._native and not (operation.observed and iscoroutinefunction(inner)):
            return inner
        return MethodType(asynchronous_half(operation), self)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set the wrapper's own attributes here, those of the inner filesystem there."""
        inner = self.__dict__.get("fs")
        own = name.startswith("_") or name in self.__dict__ or hasattr(type(self), name)
        if own or inner is None or not hasattr(inner, name):
            super().__setattr__(name, value)
        else:
            setattr(inner, name, value)


for _name, _method in generated_methods().items():
    setattr(GuideFileSystem, _name, _method)


def _binding(recorder: Recorder | None, session: str | None) -> Binding:
    if recorder is not None:
        return bind(recorder)
    return UNBOUND if session is None else find(session)


def _given(**options: Any) -> dict[str, Any]:
    """The options that have a value."""
    return {name: value for name, value in options.items() if value is not None}


def _refuse(unknown: dict[str, Any], **given: Any) -> None:
    """Check the arguments of a wrapper.

    Raises:
        UnknownOptionError: an argument that does not exist.
        UsageError: there is nothing to wrap, or arguments contradict each other.
    """
    if unknown:
        names = ", ".join(sorted(unknown))
        raise UnknownOptionError(
            f"GuideFileSystem has no option {names}: options of another filesystem of a chain go under its protocol, "
            "as in s3={...}, or into target_options"
        )
    if (given["fs"] is None) == (given["target_protocol"] is None):
        raise UsageError(
            "GuideFileSystem wraps one filesystem: pass either fs or target_protocol, or a URL such as guide::s3://..."
        )
    if given["recorder"] is not None and given["session"] is not None:
        raise UsageError("GuideFileSystem takes either a recorder or the token of a session, not both")
