"""What the arguments of the file tools have to satisfy before anything is asked of a backend."""

from __future__ import annotations

import os
from typing import TypeGuard

from guidefs.errors import ArgumentError
from guidefs.tools.page import MAX_LINES
from guidefs.tools.replacement import on_lf

__all__ = ["check_edit", "check_window", "encoded", "path_text"]


def path_text(path: object) -> str:
    """A path argument as text.

    Raises:
        ArgumentError: it is neither a string nor an `os.PathLike` of strings, is empty, or holds a NUL.
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or not text:
        raise ArgumentError(f"path is {path!r}: give the path of one file as a string.")
    if "\0" in text:
        raise ArgumentError(f"path is {path!r}, but no file has a NUL in its name: leave it out.")
    return text


def check_window(offset: object, limit: object) -> None:
    """Check which lines a reading asks for.

    Raises:
        ArgumentError: `offset` is no whole number from 1 on, or `limit` none from 1 to 2,000.
    """
    if not _whole(offset) or offset < 1:
        raise ArgumentError(f"offset is {offset!r}: lines are counted from 1, so give a whole number from 1 on.")
    if not _whole(limit) or not 1 <= limit <= MAX_LINES:
        raise ArgumentError(f"limit is {limit!r}: give a whole number of lines from 1 to {MAX_LINES}.")


def check_edit(old: str, new: str) -> None:
    """Check the two texts of an edit.

    Raises:
        ArgumentError: one is no string or cannot be written as UTF-8, `old` is empty, or both are the same but for
            line ends.
    """
    encoded("old", old)
    if not old:
        raise ArgumentError("old is empty: give the exact text to replace, or use write to set the whole content.")
    encoded("new", new)
    if on_lf(old) == on_lf(new):
        raise ArgumentError("old and new are the same text, so the edit would change nothing: give another new text.")


def encoded(name: str, text: object) -> bytes:
    """The UTF-8 bytes of a text argument.

    Raises:
        ArgumentError: it is no string, or holds a surrogate, which has no UTF-8 form.
    """
    if not isinstance(text, str):
        raise ArgumentError(f"{name} is of type {type(text).__name__}: give the text as a string.")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(
            f"{name} holds {text[error.start]!r} at character {error.start}, which UTF-8 cannot express: leave it out."
        ) from error


def _whole(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool)
