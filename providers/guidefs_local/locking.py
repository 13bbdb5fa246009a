"""The lock that keeps guidefs writers of one directory from one another."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from guidefs.errors import FileInputOutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment] # the name has to exist where the module does not

__all__ = ["directory_lock"]

LOCK_TIMEOUT_SECONDS = 10.0
_POLL_SECONDS = 0.002


@contextmanager
def directory_lock(directory: str, *, timeout_seconds: float = LOCK_TIMEOUT_SECONDS) -> Iterator[None]:
    """Hold the advisory lock of a directory; it leaves no file behind and ends with the process.

    Where the directory cannot be opened or the filesystem knows no such lock, the body runs without it. If somebody
    else holds the lock until the time-out, the body does not run, and a `FileInputOutputError` says so.
    """
    descriptor = _descriptor(directory)
    try:
        if descriptor is not None:
            _acquire(descriptor, directory, timeout_seconds)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _descriptor(directory: str) -> int | None:
    if fcntl is None:
        return None
    try:
        return os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None


def _acquire(descriptor: int, directory: str, timeout_seconds: float) -> None:
    deadline = time.monotonic() + timeout_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                message = (
                    f"{directory!r} stayed locked by another process for {timeout_seconds} s; "
                    "find out who holds a lock (flock) on it, or try again"
                )
                raise FileInputOutputError(message, path=directory) from None
            time.sleep(_POLL_SECONDS)
        except OSError:
            return  # a filesystem without this lock, such as NFS before version 4
        else:
            return
