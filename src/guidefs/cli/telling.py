"""A diagnostic in one line of plain words."""

from __future__ import annotations

from typing import assert_never

from guidefs.values.diagnostic import (
    Diagnostic,
    FileDuplicate,
    FileLoaded,
    FileOmitted,
    FileRemoved,
    FileTruncated,
    FileUnavailable,
    LogRepaired,
    NearMiss,
    NothingRendered,
    RootUndecided,
)

__all__ = ["told"]


def told(diagnostic: Diagnostic) -> str:
    """Say what a diagnostic means."""
    match diagnostic:
        case FileLoaded() | FileRemoved() | FileDuplicate() | NearMiss():
            return _told_of_file(diagnostic)
        case FileOmitted(path, max_bytes):
            return f"{path} is omitted: the budget of {max_bytes} bytes has no room for it"
        case FileTruncated(path, source_bytes, kept_bytes):
            return f"{path} is truncated: {kept_bytes} of its {source_bytes} bytes are shown"
        case FileUnavailable(path, error):
            return f"{path} is unavailable: {error}"
        case NothingRendered(paths, max_bytes):
            return f"nothing fits the budget of {max_bytes} bytes; left out: {', '.join(paths)}"
        case RootUndecided(path, error):
            return f"the project root is undecided, since {path} cannot be examined: {error}"
        case LogRepaired(path, line, reason):
            return f"line {line} of {path} was passed over: {reason}"
        case _:
            assert_never(diagnostic)


def _told_of_file(diagnostic: FileLoaded | FileRemoved | FileDuplicate | NearMiss) -> str:
    match diagnostic:
        case FileLoaded(path, source_bytes, updated):
            return f"{path} is {'told again' if updated else 'told'}, {source_bytes} bytes"
        case FileRemoved(path):
            return f"{path} is told as removed"
        case FileDuplicate(path, original):
            return f"{path} is left out: it has the same text as {original}"
        case NearMiss(path, candidate):
            return f"{path} is not loaded; {candidate} would be"
        case _:
            assert_never(diagnostic)
