"""A file of JSON lines that several processes append to, and that a crash can cost nothing but the line at work.

Under the exclusive lock (flock, Linux) nobody else is writing, so what then stands behind the last line end was begun
by a process that died. Without the lock it may still become a line.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import stat
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from guidefs.errors import LogError
from guidefs.log.line_file import CHUNK_BYTES, Header, NotBegun, encoded, end_of_lines, line_at, read_header, write_all

__all__ = ["Entry", "Journal"]

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a journal.

    Args:
        offset: where it begins in the file, in bytes.
        size: its size in bytes, without the line end.
        number: the number of the line, from 1.
        value: what it says, as JSON.
    """

    offset: int
    size: int
    number: int
    value: dict[str, Any]


class Journal:
    """The file behind a saved log or ledger. Not for use by several threads without a lock of the caller's.

    Its first line is a header with the kind of journal, the version of its format and an identity of the file's own.

    Args:
        path: the file; it is made where it does not exist, its directory is not.
        kind: what the lines are about, to refuse files of another kind.
        sync: whether each append waits until the bytes are on the disk, so that they outlive a loss of power and not
            only of the process.
        read_only: whether the file is left as it is: it has to exist, is not repaired, and appending is refused.
        on_damage: called with the number of a line (from 1) that cannot be read, and why.

    Raises:
        LogError: the file cannot be opened, or is no journal of this kind.
    """

    def __init__(
        self, path: str, kind: str, *, sync: bool, read_only: bool, on_damage: Callable[[int, str], None]
    ) -> None:
        self.path = os.path.realpath(path)
        self.kind = kind
        self.generation = 0
        self._sync = sync
        self._flags = os.O_RDONLY if read_only else os.O_RDWR | os.O_APPEND
        self._on_damage = on_damage
        self._identity: str | None = None
        self._fd = self._pid = -1
        self._position = self._number = 0
        self._close: Callable[[], object] = _nothing
        self._open(self._flags if read_only else self._flags | os.O_CREAT)
        if not read_only:
            with self.exclusive():
                pass

    def close(self) -> None:
        """Close the file; nothing can be asked of it afterwards."""
        self._close()
        self._close, self._fd = _nothing, -1

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep other processes from writing, with the file whole and of this path.

        Raises:
            LogError: the file was taken away, something else lies in its place, or it is open for reading only.
        """
        if self._flags == os.O_RDONLY:
            raise LogError(f"the log {self.path!r} is open for reading only; open it without read_only to add to it")
        self._lock()
        try:
            self._repair()
            yield
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def news(self) -> Iterator[Entry]:
        """The whole lines that were not given out before.

        When a rewritten file took the place of the one that was open, `generation` has grown and everything in it is
        given out. Lines that cannot be read are reported and passed over.
        """
        if self._pid != os.getpid() or os.fstat(self._fd).st_nlink == 0:
            self._open(self._flags)
        for offset, line in self._lines():
            self._number += 1
            if self._number == 1:
                self._check_header(self._fd)  # it may have been empty when it was opened
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                self._on_damage(self._number, f"it is no JSON ({error})")
                continue
            if isinstance(value, dict):
                yield Entry(offset, len(line), self._number, value)
            else:
                self._on_damage(self._number, "it is no JSON object")

    def has_news(self) -> bool:
        """Whether the file grew, or another took its place, since everything was given out; one system call."""
        found = os.fstat(self._fd)
        return found.st_size != self._position or found.st_nlink == 0 or self._pid != os.getpid()

    def append(self, value: dict[str, Any]) -> Entry:
        """Add a line under the lock, all of it or nothing; everything before it was given out.

        Raises:
            LogError: the line cannot be written, for instance because the disk is full.
            TypeError: the value is no JSON.
        """
        line = encoded(value)
        offset = self._position
        try:
            write_all(self._fd, line)
            if self._sync:
                os.fdatasync(self._fd)
        except BaseException as error:
            with suppress(OSError):
                os.ftruncate(self._fd, offset)
            if isinstance(error, OSError):
                raise LogError(f"the log {self.path!r} cannot be appended to ({error}); nothing was added") from error
            raise
        self._position = offset + len(line)
        self._number += 1
        return Entry(offset, len(line) - 1, self._number, value)

    def read(self, offset: int, size: int) -> dict[str, Any]:
        """Read a line that was given out before.

        Raises:
            LogError: it is not there any more.
        """
        try:
            value = json.loads(os.pread(self._fd, size, offset))
        except (OSError, ValueError, RecursionError) as error:
            raise LogError(f"the log {self.path!r} was changed from outside at byte {offset} ({error})") from error
        found: dict[str, Any] = value
        return found

    def rewrite(self, values: Iterable[dict[str, Any]]) -> None:
        """Put a file with other lines in the place of this one, under the lock, in one step.

        Raises:
            LogError: it cannot be written; the old file stays.
        """
        fresh = f"{self.path}.{secrets.token_hex(8)}.tmp"
        try:
            with open(fresh, "xb") as file:
                os.fchmod(file.fileno(), stat.S_IMODE(os.fstat(self._fd).st_mode))
                file.write(encoded(Header(self.kind, _VERSION, self._identity).to_json()))
                file.writelines(encoded(value) for value in values)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, self.path)
        except OSError as error:
            raise LogError(f"the log {self.path!r} cannot be rewritten ({error}); it is as it was") from error
        finally:
            with suppress(FileNotFoundError):
                os.unlink(fresh)
        # The lock on the old file goes with it; who waits for it finds the file replaced.
        self._open(self._flags)
        fcntl.flock(self._fd, fcntl.LOCK_EX)

    def _open(self, flags: int) -> None:
        try:
            fd = os.open(self.path, flags | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise LogError(f"the log {self.path!r} cannot be opened ({error})") from error
        try:
            self._check_header(fd)
        except BaseException as error:
            os.close(fd)
            if isinstance(error, OSError) and not isinstance(error, LogError):
                raise LogError(f"the log {self.path!r} cannot be read ({error})") from error
            raise
        self._close()
        self._close = weakref.finalize(self, os.close, fd)
        self._fd, self._pid = fd, os.getpid()
        self._position, self._number = 0, 0
        self.generation += 1

    def _lock(self) -> None:
        while True:
            if self._pid != os.getpid():
                # A lock belongs to an open file, which a forked process shares with its parent.
                self._open(self._flags)
            fcntl.flock(self._fd, fcntl.LOCK_EX)
            if self._is_in_place():
                return
            fcntl.flock(self._fd, fcntl.LOCK_UN)
            self._open(self._flags)

    def _is_in_place(self) -> bool:
        try:
            found, held = os.stat(self.path), os.fstat(self._fd)
        except OSError as error:
            raise LogError(f"the log {self.path!r} was taken away ({error}); open it anew") from error
        return (found.st_dev, found.st_ino) == (held.st_dev, held.st_ino)

    def _repair(self) -> None:
        """Drop what a dead process left unfinished, and begin an empty file."""
        size = os.fstat(self._fd).st_size
        end = end_of_lines(self._fd, size)
        if end < size:
            os.ftruncate(self._fd, end)
            self._on_damage(line_at(self._fd, end), f"its last {size - end} bytes had no line end, and were dropped")
        if end == 0:
            self._identity = secrets.token_hex(16)
            write_all(self._fd, encoded(Header(self.kind, _VERSION, self._identity).to_json()))
        elif self._identity is None:
            self._check_header(self._fd)  # another process began it since it was opened

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        rest = b""
        while chunk := os.pread(self._fd, CHUNK_BYTES, self._position + len(rest)):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                offset = self._position
                self._position += len(line) + 1
                yield offset, line

    def _check_header(self, fd: int) -> None:
        """Refuse a file that is another's, before anything in it is changed.

        Raises:
            LogError: it is another's.
        """
        header = read_header(fd)
        if isinstance(header, NotBegun):
            return
        if not isinstance(header, Header) or header.kind != self.kind:
            raise LogError(f"{self.path!r} is no {self.kind} of guidefs; give another file")
        if header.version != _VERSION:
            raise LogError(
                f"{self.path!r} has version {header.version!r} of the format, known here is {_VERSION}; update guidefs"
            )
        if self._identity not in {None, header.identity}:
            raise LogError(f"another log took the place of {self.path!r}; open it anew")
        self._identity = header.identity


def _nothing() -> None:
    """Close what is not open."""
