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
    StaleVersionError,
)
from guidefs.tools import sentence

if TYPE_CHECKING:
    from guidefs.tools.target import Target

__all__ = ["translated"]


def translated(error: OSError | FutureCancelledError, target: Target) -> FileError:
    """The typed error for a failure of a primitive.

    A failed guard is told anew, because only the tool knows what its caller should do next; other errors that are
    typed already are handed back as they are.
    """
    match error:
        case StaleVersionError():
            return StaleVersionError(sentence.stale(target), path=target.path)
        case FileExistsError():
            return AlreadyExistsError(sentence.already_exists(target), path=target.path)
        case FileError():
            return error
        case FutureCancelledError():
            return AbortedError(sentence.aborted(target), path=target.path)
        case _:
            return _by_type(error, target) or _by_number(error, target)


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
    match error.errno:
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


def _detail(error: OSError) -> str:
    """The backend's own words, on one line."""
    return " ".join(f"{type(error).__name__}: {error.strerror or error}".split())
