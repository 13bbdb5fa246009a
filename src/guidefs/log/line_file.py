"""The bytes of a file of JSON lines: where its lines end, and what its first one says."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = [
    "CHUNK_BYTES",
    "Header",
    "NotBegun",
    "Other",
    "encoded",
    "end_of_lines",
    "line_at",
    "read_header",
    "write_all",
]

CHUNK_BYTES = 1 << 20
"""How much is read at once."""

_HEADER_START = b'{"guidefs": '
_HEADER_BYTES = 256
"""More than any header has, and little of a file that is another's."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a file of ours.

    Args:
        kind: what its lines are about.
        version: the version of its format; of any type, since it may be from the future.
        identity: what tells this file from another that took its place; `None` before it has one.
    """

    kind: str
    version: object
    identity: str | None

    def to_json(self) -> dict[str, Any]:
        """The line."""
        return {"guidefs": self.kind, "v": self.version, "id": self.identity}


@dataclass(frozen=True, slots=True)
class NotBegun:
    """The file is empty, or its first line was cut off."""


@dataclass(frozen=True, slots=True)
class Other:
    """The file does not begin as ours do."""


FirstLine: TypeAlias = Header | NotBegun | Other


def read_header(fd: int) -> FirstLine:
    """What the first line of an open file says."""
    begun = os.pread(fd, _HEADER_BYTES, 0)
    line, ended, _ = begun.partition(b"\n")
    if not ended and _HEADER_START.startswith(begun[: len(_HEADER_START)]):
        return NotBegun()
    try:
        value = json.loads(line)
    except ValueError:
        return Other()
    if not isinstance(value, dict) or not isinstance(value.get("guidefs"), str):
        return Other()
    return Header(value["guidefs"], value.get("v"), str(value.get("id")))


def end_of_lines(fd: int, size: int) -> int:
    """Where the last whole line of a file of some size ends; 0 where there is none."""
    end = size
    while end > 0:
        begin = max(0, end - CHUNK_BYTES)
        found = os.pread(fd, end - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def line_at(fd: int, offset: int) -> int:
    """The number, from 1, of the line that begins at an offset."""
    count, position = 1, 0
    while position < offset and (chunk := os.pread(fd, min(CHUNK_BYTES, offset - position), position)):
        count += chunk.count(b"\n")
        position += len(chunk)
    return count


def encoded(value: dict[str, Any]) -> bytes:
    """A line, in ASCII, with its end.

    Raises:
        TypeError: the value is no JSON.
    """
    return json.dumps(value).encode() + b"\n"


def write_all(fd: int, data: bytes) -> None:
    """Write all of some bytes, in one call where the system takes them at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
