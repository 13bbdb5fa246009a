"""The failures of backends in guidefs's own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from guidefs.errors import (
    AbortedError,
    AccessDeniedError,
    AlreadyExistsError,
    FileError,
    FileInputOutputError,
    GuideError,
    NotADirectoryFileError,
    NotFoundError,
    NotRegularFileError,
)

__all__ = ["describe", "file_error", "translated"]

MAX_DESCRIPTION_CHARACTERS = 500

_KINDS: tuple[tuple[type[Exception], type[FileError], str], ...] = (
    (FileNotFoundError, NotFoundError, "does not exist; check the path"),
    (FileExistsError, AlreadyExistsError, "exists already; read it before changing it"),
    (IsADirectoryError, NotRegularFileError, "is not a regular file; name a file"),
    (NotADirectoryError, NotADirectoryFileError, "leads through something that is no directory; check the path"),
    (PermissionError, AccessDeniedError, "was refused by the backend; check the permissions"),
    (InterruptedError, AbortedError, "was interrupted; try again"),
)


def describe(error: BaseException) -> str:
    """The kind of a failure and its message on one line of bounded length, for people."""
    kind = type(error).__name__
    message = " ".join(str(error).split())
    return f"{kind}: {message}"[:MAX_DESCRIPTION_CHARACTERS] if message else kind


def file_error(error: Exception, path: str) -> FileError:
    """The typed error for a foreign exception about one file; raise it `from` the original.

    Args:
        error: what the backend raised. A `FileError` is returned as it is.
        path: the file, as the caller named it.
    """
    if isinstance(error, FileError):
        return error
    for foreign, own, remark in _KINDS:
        if isinstance(error, foreign):
            return own(f"{path!r} {remark} ({describe(error)})", path=path)
    return FileInputOutputError(f"{path!r} could not be accessed: {describe(error)}", path=path)


@contextmanager
def translated(path: str, kinds: tuple[type[Exception], ...] = (OSError, ValueError)) -> Iterator[None]:
    """Turn foreign exceptions of the body into the typed error for a file, with the original as its cause.

    Args:
        path: the file, as the caller named it.
        kinds: what is translated; everything else, and what guidefs itself raises, passes as it is.
    """
    try:
        yield
    except kinds as error:
        if isinstance(error, GuideError):
            raise
        failure = file_error(error, path)
        raise failure from error
