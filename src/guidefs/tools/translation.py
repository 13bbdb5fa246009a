"""The typed error for each way in which a primitive of a backend can fail."""

from __future__ import annotations

import errno
from concurrent.futures import CancelledError as FutureCancelledError
from typing import TYPE_CHECKING

from guidefs.errors import (
    AbortedError,
    AccessDeniedError,
    AlreadyExistsError,
    FileError,
    FileInputOutputError,
    FileTooLargeError,
    NotADirectoryFileError,
    NotFoundError,
    NotRegularFileError,
    SandboxDeniedError,
    StaleVersionError,
)
from guidefs.storage.failures import describe
from guidefs.tools import sentence

if TYPE_CHECKING:
    from guidefs.tools.target import Target

__all__ = ["translated"]


def translated(error: OSError | FutureCancelledError, target: Target) -> FileError:
    """The typed error for a failure of a primitive, told for the caller of a tool.

    Storage names its own absolute path and knows nothing of tools, so what it typed already is told anew, of the same
    type, wherever the caller can be told more: the path as it was named, and what to do next.
    """
    match error:
        case StaleVersionError():
            return StaleVersionError(sentence.stale(target), path=target.path)
        case FileExistsError():
            return AlreadyExistsError(sentence.already_exists(target), path=target.path)
        case FutureCancelledError():
            return AbortedError(sentence.aborted(target), path=target.path)
        case FileInputOutputError():
            return _by_number(error, target)
        case SandboxDeniedError() | NotRegularFileError():
            return error
        case _:
            return _by_type(error, target) or (error if isinstance(error, FileError) else _by_number(error, target))


def _by_type(error: OSError, target: Target) -> FileError | None:
    """The typed error for a failure that Python has a class for."""
    match error:
        case FileNotFoundError():
            return NotFoundError(sentence.not_found(target), path=target.path)
        case NotADirectoryError():
            return NotADirectoryFileError(sentence.not_a_directory(target), path=target.path)
        case IsADirectoryError():
            return NotRegularFileError(sentence.not_regular(target, "directory"), path=target.path)
        case PermissionError():
            return AccessDeniedError(sentence.denied(target, _detail(error)), path=target.path)
        case InterruptedError():
            return AbortedError(sentence.aborted(target), path=target.path)
        case _:
            return None


def _by_number(error: OSError, target: Target) -> FileError:
    """The typed error for a failure that only its number tells apart."""
    origin = _origin(error)
    if isinstance(origin, FutureCancelledError):
        return AbortedError(sentence.aborted(target), path=target.path)
    match origin.errno if isinstance(origin, OSError) else None:
        case errno.ELOOP:
            return NotFoundError(sentence.not_found(target), path=target.path)
        case errno.EROFS:
            return AccessDeniedError(sentence.denied(target, _detail(error)), path=target.path)
        case errno.ECANCELED:
            return AbortedError(sentence.aborted(target), path=target.path)
        case errno.EFBIG:
            return FileTooLargeError(sentence.too_large_for_backend(target, _detail(error)), path=target.path)
        case _:
            return FileInputOutputError(sentence.failed(target, _detail(error)), path=target.path)


def _origin(error: OSError) -> BaseException:
    """What the backend itself raised."""
    return error.__cause__ if isinstance(error, FileError) and error.__cause__ is not None else error


def _detail(error: OSError) -> str:
    """The backend's own words on one line, without the path that an operating system adds."""
    origin = _origin(error)
    if isinstance(origin, OSError) and origin.strerror:
        return " ".join(f"{type(origin).__name__}: {origin.strerror}".split())
    return describe(origin)
