"""The sentences with which a file tool says what went wrong, for a model that has to act on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from guidefs.tools.target import Target

__all__ = [
    "aborted",
    "already_exists",
    "denied",
    "failed",
    "not_a_directory",
    "not_found",
    "not_observed",
    "not_regular",
    "stale",
    "too_large",
    "too_large_for_backend",
    "torn",
]


def not_observed(target: Target) -> str:
    """The file is to be changed and was never read."""
    return (
        f"{target.shown} exists, but this session has not read it, so nothing was written. "
        f"Read {target.shown} first, then repeat the {target.operation}."
    )


def stale(target: Target) -> str:
    """The file is to be changed and is not the one any more that was read."""
    return (
        f"{target.shown} was changed or removed after this session read it, so nothing was written. "
        f"Read {target.shown} again, then repeat the {target.operation}."
    )


def torn(target: Target) -> str:
    """The file changed on the way, and its pieces do not fit together."""
    return f"{target.shown} was changed while it was being read. Read {target.shown} again."


def already_exists(target: Target) -> str:
    """The file is to be created and its name is taken."""
    return (
        f"{target.shown} was to be created, but exists by now, so nothing was written. "
        f"Read {target.shown}, then decide whether to write or edit it."
    )


def not_regular(target: Target, kind: Literal["directory", "other"]) -> str:
    """The path leads to something that is no regular file."""
    if kind == "directory":
        return f"{target.shown} is a directory: name a file inside it."
    return f"{target.shown} is a device, pipe or socket: the file tools work on regular files only."


def too_large(target: Target, size: int | None, bound: int) -> str:
    """The file is too large to be held as a whole.

    Args:
        target: the file.
        size: its size in bytes, `None` where only reading showed that it is over the bound.
        bound: the largest size in bytes that an edit takes.
    """
    size_bytes = f"{size} bytes" if size is not None else f"more than {bound} bytes"
    return (
        f"{target.shown} has {size_bytes}, but an edit takes files of at most {bound} bytes. "
        "Change it with a program that works on streams."
    )


def too_large_for_backend(target: Target, detail: str) -> str:
    """The backend does not take a file of that size."""
    return f"{target.shown} gets too large for where it is kept ({detail}). Write less."


def not_found(target: Target) -> str:
    """There is no such file."""
    return f"There is no file {target.shown}. Check the name, or create it with write."


def not_a_directory(target: Target) -> str:
    """The path leads through a file."""
    return f"{target.shown} leads through something that is not a directory. Check the part before the last slash."


def denied(target: Target, detail: str) -> str:
    """The backend refused."""
    return (
        f"The backend refused to {target.operation} {target.shown} ({detail}). Choose another file, or ask for access."
    )


def aborted(target: Target) -> str:
    """The backend gave up because it was told to."""
    return (
        f"The {target.operation} of {target.shown} was aborted before it changed anything. "
        "Repeat it if it is still wanted."
    )


def failed(target: Target, detail: str) -> str:
    """The backend failed for another reason."""
    return (
        f"The backend failed to {target.operation} {target.shown} ({detail}). Try again; if it fails again, report it."
    )
