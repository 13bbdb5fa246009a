"""A finished copy of the new content beside the file that it is to become."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

__all__ = ["EXCLUSIVE_FLAGS", "Inode", "Staged", "inode_of", "staged", "write_all"]

Inode: TypeAlias = tuple[int, int]
"""Device and inode, by which a file is recognised under another name."""

EXCLUSIVE_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Staged:
    """A temporary file that holds the new content.

    Attributes:
        path: its name, in the directory of the target.
        inode: its device and inode.
        keep: while set, whatever has the temporary name stays there at the end.
    """

    def __init__(self, path: str, inode: Inode) -> None:
        self.path = path
        self.inode = inode
        self.keep = False


@contextmanager
def staged(target: str, data: bytes, like: os.stat_result | None) -> Iterator[Staged]:
    """Write the content under an unpredictable name beside the target, and remove that name at the end or on failure.

    Args:
        target: the file that is to be written.
        data: its new content.
        like: the stat of the file to replace, whose mode and, where possible, owner are kept; `None` for a new file.
    """
    path = os.path.join(os.path.dirname(target), f".guidefs-{secrets.token_hex(8)}.tmp")
    descriptor = os.open(path, EXCLUSIVE_FLAGS, 0o666 if like is None else 0o600)
    file = Staged(path, inode_of(os.fstat(descriptor)))
    try:
        try:
            write_all(descriptor, data)
            if like is not None:
                _resemble(descriptor, like)
        finally:
            os.close(descriptor)
        yield file
    finally:
        if not file.keep:
            with suppress(FileNotFoundError):
                os.unlink(path)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte to an open file."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _resemble(descriptor: int, like: os.stat_result) -> None:
    """Give an open file the mode and owner of another; a foreign owner takes privileges that a process may lack."""
    if not hasattr(os, "fchmod"):
        return
    mode = stat.S_IMODE(like.st_mode)
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.fchown(descriptor, like.st_uid, like.st_gid)
        except PermissionError:
            mode &= ~(stat.S_ISUID | stat.S_ISGID)  # they would act for another owner than before
            with suppress(PermissionError):
                os.fchown(descriptor, -1, like.st_gid)
    os.fchmod(descriptor, mode)


def inode_of(found: os.stat_result) -> Inode:
    """The inode that a stat is of."""
    return found.st_dev, found.st_ino
