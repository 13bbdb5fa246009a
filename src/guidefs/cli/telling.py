"""What somebody may want to know, each in one line of plain words."""

from __future__ import annotations

from collections.abc import Iterator
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
from guidefs.values.explanation import ExplainedFile, Explanation

__all__ = ["found", "told", "unlisted"]


def found(explanation: Explanation) -> Iterator[str]:
    """Say what somebody should look at."""
    if explanation.root_failure is not None:
        yield told(RootUndecided(*explanation.root_failure))
    yield from map(_told_finding, explanation.findings)
    yield from unlisted(explanation)


def unlisted(explanation: Explanation) -> Iterator[str]:
    """Say where nobody could look for links and near misses."""
    for path, error in explanation.unlisted:
        yield f"{path} cannot be listed, so near misses there are not seen: {error}"


def _told_finding(file: ExplainedFile) -> str:
    link = "" if file.link_target is None else f" -> {file.link_target}"
    return f"{file.standing.value}: {file.label}{link}, {file.detail}"


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
