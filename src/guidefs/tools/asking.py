"""The questions of a file tool, with every failure of the backend translated into a typed error."""

from __future__ import annotations

from concurrent.futures import CancelledError as FutureCancelledError
from typing import TYPE_CHECKING, cast

from guidefs.errors import FileInputOutputError, NotRegularFileError
from guidefs.storage.provider import Chunk, Presence, Stat, Written
from guidefs.tools import sentence
from guidefs.tools.request import ReadRequest, Reply, Request, StatRequest, Steps, WriteRequest
from guidefs.tools.translation import translated
from guidefs.values.answer import Absent, Unavailable

if TYPE_CHECKING:
    from guidefs.storage.provider import Guard
    from guidefs.tools.target import Target

__all__ = ["ask_read", "ask_stat", "ask_write", "size_before_reading"]


def ask_stat(target: Target) -> Steps[Presence]:
    """Ask what the path leads to.

    Raises:
        FileError: the backend failed where it should have answered `Unavailable`.
        NotRegularFileError: the path leads to a directory, device, pipe or socket.
    """
    presence = cast(Presence, (yield from _ask(StatRequest(target.address), target)))
    match presence:
        case Stat(kind="directory" | "other" as kind):
            raise NotRegularFileError(sentence.not_regular(target, kind), path=target.path)
        case _:
            return presence


def ask_read(target: Target, *, offset: int, max_bytes: int) -> Steps[Chunk]:
    """Ask for at most `max_bytes` bytes of the file from byte `offset`.

    Raises:
        FileInputOutputError: the backend sent more, so that there is no telling which bytes they are.
    """
    chunk = cast(Chunk, (yield from _ask(ReadRequest(target.address, offset, max_bytes), target)))
    if len(chunk.data) > max_bytes:
        detail = f"it sent {len(chunk.data)} bytes where {max_bytes} were asked for"
        raise FileInputOutputError(sentence.failed(target, detail), path=target.path)
    return chunk


def ask_write(target: Target, data: bytes, guard: Guard) -> Steps[Written]:
    """Ask for a guarded write of the whole content."""
    return cast(Written, (yield from _ask(WriteRequest(target.address, data, guard), target)))


def size_before_reading(presence: Presence) -> int | None:
    """The stated size in bytes of a file that is about to be read.

    `None` also where the stat did not find a file: it says *that*, the read that follows says *why*, with the kind
    of error that the caller is owed.
    """
    match presence:
        case Stat(size=size):
            return size
        case Absent() | Unavailable():
            return None


def _ask(request: Request, target: Target) -> Steps[Reply]:
    try:
        return (yield request)
    except (OSError, FutureCancelledError) as error:
        known = translated(error, target)
        if known is error:
            raise
        raise known from error
