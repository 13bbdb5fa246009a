"""Bounded reads of local files, with the version and the bytes of one and the same inode."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from guidefs.errors import NotRegularFileError
from guidefs.storage.failures import translated
from guidefs.storage.provider import Chunk, Limits
from guidefs.storage.text import decode, read_bound
from guidefs.values.answer import NotText, Text, TooLarge, Unavailable
from guidefs_local.identity import trusted_version
from guidefs_local.links import LinkPolicy, path_of

__all__ = ["opened", "pieces", "read_chunk", "read_text"]

PIECE_BYTES = 1 << 20  # 1 MiB

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def opened(path: str, flags: int = 0) -> Iterator[tuple[int, os.stat_result]]:
    """A regular file, open for reading, with its stat; never blocks on a pipe that took the file's place.

    Other failures to open it are plain `OSError`s.

    Raises:
        NotRegularFileError: the path is no regular file.
    """
    descriptor = os.open(path, _FLAGS | flags)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise NotRegularFileError(f"{path!r} is not a regular file; name a file", path=path)
        yield descriptor, found
    finally:
        os.close(descriptor)


def pieces(descriptor: int, *, offset: int = 0, max_bytes: int | None = None) -> Iterator[bytes]:
    """The content of an open file from `offset` on, at most `max_bytes` in all, in pieces of at most 1 MiB."""
    left = max_bytes
    os.lseek(descriptor, offset, os.SEEK_SET)
    while left is None or left > 0:
        piece = os.read(descriptor, PIECE_BYTES if left is None else min(left, PIECE_BYTES))
        if not piece:
            return
        if left is not None:
            left -= len(piece)
        yield piece


def read_text(
    path: str, limits: Limits, links: LinkPolicy, trusted_before: int
) -> Text | NotText | TooLarge | Unavailable:
    """The answer for a regular file that has to be read; fails as `opened` does."""
    with opened(path, links.open_flags) as (descriptor, found):
        objection = None if links.follows else links.objection(path, path_of(descriptor, path))
        if objection is not None:
            return Unavailable(objection)
        version = trusted_version(found, trusted_before)
        if found.st_size > limits.max_source_bytes:
            return TooLarge(version, found.st_size)
        data = b"".join(pieces(descriptor, max_bytes=read_bound(limits)))
    return decode(data, version, limits, size=found.st_size)


def read_chunk(path: str, *, offset: int, max_bytes: int, trusted_before: int) -> Chunk:
    """The piece of a file that `guidefs.storage.Primitives.read` promises.

    The kind is looked at before the file is opened, because opening a device can have effects.

    Raises:
        NotRegularFileError: the path is no regular file.
    """
    with translated(path):
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise NotRegularFileError(f"{path!r} is not a regular file; name a file", path=path)
        with opened(path) as (descriptor, found):
            data = b"".join(pieces(descriptor, offset=offset, max_bytes=max_bytes))
    return Chunk(data, trusted_version(found, trusted_before), found.st_size)
