"""What is asked of a backend in one batch, with each answer it may give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType, TypeAlias

__all__ = [
    "Absent",
    "Answer",
    "Exists",
    "Marker",
    "NotText",
    "Question",
    "Text",
    "TooLarge",
    "Unavailable",
    "Unchanged",
    "Version",
]

Version = NewType("Version", str)
"""A backend's opaque change token of one file: compared for equality, never interpreted, like an HTTP ETag
(RFC 9110, section 8.8.3). Equal versions mean equal content as far as the backend can tell."""


@dataclass(frozen=True, slots=True)
class Question:
    """The text of one file, unless its version is `known`.

    Args:
        path: the file, in the form that the asked filesystem uses for its own paths.
        known: the version for which no text is needed; `None` asks for the text whatever the version.
        may_lag: the path is off the chain of directories of the touch at hand, so that a provider whose deployment
            accepts it (a setting such as `max_age_seconds`) may repeat a recent answer. False asks afresh, always.
    """

    path: str
    known: Version | None = None
    may_lag: bool = False


@dataclass(frozen=True, slots=True)
class Marker:
    """Whether anything, a file or a directory, has this name.

    Args:
        path: the name, in the form that the asked filesystem uses for its own paths. On an object store a directory
            is a prefix that some key begins with.
    """

    path: str


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The file is a regular file whose version equals the known one; nothing was read."""


@dataclass(frozen=True, slots=True)
class Absent:
    """The backend is certain that there is no regular file of this name.

    Missing files, dangling and looping links, paths through a regular file, directories, links to directories and
    other non-files are absent. An absence that comes from a listing cache is not certain.
    """


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The backend failed or refused, so nothing is known about this one path.

    Args:
        error: the kind of failure and its message, for people; never shown to a model.
    """

    error: str


@dataclass(frozen=True, slots=True)
class TooLarge:
    """The file is larger than `Limits.max_source_bytes`.

    Args:
        version: the version of the file, `None` where the backend has none to trust.
        size: its size in bytes, `None` where only a bounded read showed that it is too large.
    """

    version: Version | None
    size: int | None


@dataclass(frozen=True, slots=True)
class NotText:
    """The file is not UTF-8, or has a NUL in its first 8,192 bytes.

    Args:
        version: the version of the file, `None` where the backend has none to trust.
    """

    version: Version | None


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a regular file.

    Args:
        version: the version that this text was read at, `None` where the backend has none to trust.
        text: the whole text, without one leading byte-order mark.
    """

    version: Version | None
    text: str


@dataclass(frozen=True, slots=True)
class Exists:
    """The answer to a `Marker`: something has this name."""


Answer: TypeAlias = Unchanged | Absent | Unavailable | TooLarge | NotText | Text | Exists
"""Everything that a `Question` may be answered with, and `Exists` for a `Marker`."""
