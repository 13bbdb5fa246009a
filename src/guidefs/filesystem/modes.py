"""The synchronous or asynchronous mode of an inner filesystem."""

from __future__ import annotations

from typing import Any

from fsspec.implementations.dirfs import DirFileSystem
from fsspec.spec import AbstractFileSystem

__all__ = ["has_coroutines", "in_mode"]


def has_coroutines(fs: Any) -> bool:
    """Whether the asynchronous methods of a filesystem can be awaited.

    `DirFileSystem` claims so whatever it wraps, so there the wrapped filesystem is asked.
    """
    if isinstance(fs, DirFileSystem):
        return has_coroutines(fs.fs)
    return bool(getattr(fs, "async_impl", False))


def in_mode(fs: Any, *, asynchronous: bool) -> Any:
    """The same filesystem in another mode: made anew, with every filesystem that it is made of.

    One that is made for a loop of the caller's stays out of fsspec's cache of instances, since its connections belong
    to the first loop that it is used on.

    Args:
        fs: a filesystem in either mode.
        asynchronous: the mode in which it is needed.

    Returns:
        `fs` itself where it has no coroutines or is in that mode already.
    """
    if not has_coroutines(fs) or bool(getattr(fs, "asynchronous", False)) == asynchronous:
        return fs
    options = {name: _converted(value, asynchronous=asynchronous) for name, value in fs.storage_options.items()}
    args = (_converted(value, asynchronous=asynchronous) for value in fs.storage_args)
    return type(fs)(*args, **{**options, "asynchronous": asynchronous, "skip_instance_cache": asynchronous})


def _converted(value: Any, *, asynchronous: bool) -> Any:
    return in_mode(value, asynchronous=asynchronous) if isinstance(value, AbstractFileSystem) else value
