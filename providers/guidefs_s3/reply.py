"""What an engine brings back from one request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from guidefs.values.answer import Version

__all__ = [
    "Body",
    "Entry",
    "Failed",
    "GetReply",
    "ListReply",
    "Listed",
    "Missing",
    "NotModified",
    "Refused",
    "Withheld",
]


@dataclass(frozen=True, slots=True)
class Body:
    """The first bytes of an object.

    Args:
        version: the version that the bytes belong to.
        size: the stated size of the whole object in bytes.
        data: its first bytes, all of them unless the bound was reached.
    """

    version: Version | None
    size: int | None
    data: bytes


@dataclass(frozen=True, slots=True)
class Withheld:
    """An object whose body was not wanted once its size was known; it was not read."""

    version: Version | None
    size: int | None


@dataclass(frozen=True, slots=True)
class NotModified:
    """The object still has the version that was named in the request."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The service is certain that the bucket has no such key."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The request failed, so nothing is known."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Refused:
    """The service does not answer this kind of request, whatever the key; other kinds may do."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Entry:
    """What a listing says about one object."""

    version: Version | None
    size: int | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A listing that was made for this request.

    Args:
        objects: the objects directly under the prefix, by key.
        prefixes: the directories directly under the prefix, each with its trailing `/`.
        complete: False if there are more names than one page holds, so that a missing name proves nothing.
    """

    objects: Mapping[str, Entry]
    prefixes: frozenset[str]
    complete: bool

    @property
    def names(self) -> int:
        """How many objects and directories were listed."""
        return len(self.objects) + len(self.prefixes)


GetReply: TypeAlias = Body | Withheld | NotModified | Missing | Failed
"""Everything that a conditional ranged GET may come back with."""

ListReply: TypeAlias = Listed | Refused | Failed
"""Everything that a LIST may come back with."""
