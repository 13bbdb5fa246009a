"""What a host may want to know about the loading of instruction files, never shown to a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "Diagnostic",
    "FileDuplicate",
    "FileLoaded",
    "FileOmitted",
    "FileRemoved",
    "FileTruncated",
    "FileUnavailable",
    "LogRepaired",
    "NearMiss",
    "NothingRendered",
    "RootUndecided",
]


@dataclass(frozen=True, slots=True)
class FileLoaded:
    """The text of a file was rendered, new or anew.

    Args:
        path: the path as the model is shown it.
        source_bytes: the size of the text in bytes.
        updated: whether the model had an older text of the file.
    """

    path: str
    source_bytes: int
    updated: bool


@dataclass(frozen=True, slots=True)
class FileRemoved:
    """The model is told that a file is gone."""

    path: str


@dataclass(frozen=True, slots=True)
class FileOmitted:
    """A file did not fit the budget and stays due at a later touch."""

    path: str
    max_bytes: float


@dataclass(frozen=True, slots=True)
class FileTruncated:
    """Only the first bytes of a file fit the budget.

    Args:
        path: the path as the model is shown it.
        source_bytes: the size of the text in bytes.
        kept_bytes: how many of them are shown; the model can read on from there with its own tools.
    """

    path: str
    source_bytes: int
    kept_bytes: int


@dataclass(frozen=True, slots=True)
class FileUnavailable:
    """Nothing is known of a file now; its state is kept and the next touch asks again.

    Args:
        path: the path as the model would be shown it.
        error: why: a failure of the backend, or that the file is too large or not text.
    """

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class FileDuplicate:
    """A file repeats an earlier file of its directory and is left out."""

    path: str
    original: str


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A file is named almost like a candidate, so it is not loaded.

    Args:
        path: the file.
        candidate: the name that would have been loaded.
    """

    path: str
    candidate: str


@dataclass(frozen=True, slots=True)
class RootUndecided:
    """A marker could not be examined, so the working directory is taken for the project root."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class NothingRendered:
    """The budget has no room for anything at all.

    Args:
        paths: the files that had something to say.
        max_bytes: the budget.
    """

    paths: tuple[str, ...]
    max_bytes: float


@dataclass(frozen=True, slots=True)
class LogRepaired:
    """A saved log held something that could not be read and was passed over.

    Args:
        path: the log file.
        line: the number of the line, from 1.
        reason: what was wrong with it.
    """

    path: str
    line: int
    reason: str


Diagnostic: TypeAlias = (
    FileLoaded
    | FileRemoved
    | FileOmitted
    | FileTruncated
    | FileUnavailable
    | FileDuplicate
    | NearMiss
    | RootUndecided
    | NothingRendered
    | LogRepaired
)
