"""The provider for fsspec's in-memory filesystem."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, ClassVar

from guidefs.errors import (
    AlreadyExistsError,
    NotADirectoryFileError,
    NotFoundError,
    NotRegularFileError,
    StaleVersionError,
)
from guidefs.storage.batch import BatchBudget
from guidefs.storage.failures import describe, translated
from guidefs.storage.provider import Chunk, CreateOnly, Guard, IfContent, IfVersion, Limits, Presence, Stat, Written
from guidefs.storage.text import decode, fingerprint, read_bound
from guidefs.values.answer import Absent, Answer, Exists, Marker, Question, TooLarge, Unavailable, Unchanged, Version

__all__ = ["MemoryProvider"]

_ABSENT = Absent()
_writing = threading.Lock()
"""Held while a guard is checked and the file replaced; one for all, because filesystems share one store."""


class MemoryProvider:
    """Answers from the store of a `MemoryFileSystem`.

    The version of a file is the hash of its bytes: the filesystem's `info` stays the same when a file is changed in
    place. A name counts as taken if a file, a directory that was made, or anything below it exists.

    Args:
        filesystem: a `MemoryFileSystem`.
    """

    SETTINGS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, filesystem: Any) -> None:
        self.filesystem = filesystem

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch from the last question backwards."""
        budget = BatchBudget(limits)
        return [budget.admit(self._answer(question, limits)) for question in reversed(questions)][::-1]

    def stat(self, path: str) -> Presence:
        """Stat one path."""
        try:
            data = self._content(path)
            if data is not None:
                return Stat("file", len(data), _version(data))
            return Stat("directory", None, None) if self._is_directory(path) else _ABSENT
        except ValueError as error:
            return Unavailable(describe(error))

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece of a file.

        Raises:
            NotFoundError: there is no such file.
            NotRegularFileError: the path is a directory.
        """
        with translated(path):
            data = self._content(path)
        if data is None:
            if self._is_directory(path):
                raise NotRegularFileError(f"{path!r} is a directory; name a file", path=path)
            raise NotFoundError(f"{path!r} does not exist; check the path", path=path)
        return Chunk(data[offset : offset + max_bytes], _version(data), len(data))

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Replace the whole content if the guard holds.

        Writers of this library lose nothing among themselves. Another thread that writes through the filesystem at
        the very same moment is not noticed, so the guarantee is `best-effort`.

        Raises:
            AlreadyExistsError: `CreateOnly` and the name is taken.
            StaleVersionError: the file is another one now, or gone.
            NotADirectoryFileError: something above the path is a file.
        """
        with _writing, translated(path):
            now = self._content(path)
            match guard:
                case CreateOnly() if now is not None or self._is_directory(path):
                    raise AlreadyExistsError(f"{path!r} exists already; read it before changing it", path=path)
                case IfVersion(expected) | IfContent(expected) if now is None or _version(now) != expected:
                    raise StaleVersionError(f"{path!r} changed or vanished since it was read; read it again", path=path)
            if now is None and self._is_below_file(path):
                message = f"{path!r} cannot be created: something above it is a file; choose another place"
                raise NotADirectoryFileError(message, path=path)
            self.filesystem.pipe_file(path, bytes(data))
        return Written(_version(data), "best-effort")

    def names(self, path: str) -> Sequence[str]:
        """The names in a directory."""
        below = f"{self.filesystem._strip_protocol(path).rstrip('/')}/"
        found = (name.removeprefix(below) for name in list(self.filesystem.store) if name.startswith(below))
        return [name for name in found if "/" not in name]

    def _answer(self, question: Question | Marker, limits: Limits) -> Answer:
        try:
            data = self._content(question.path)
            if isinstance(question, Marker):
                return Exists() if data is not None or self._is_directory(question.path) else _ABSENT
        except ValueError as error:  # a stored object that was closed
            return Unavailable(describe(error))
        if data is None:
            return _ABSENT
        version = _version(data)
        if version == question.known:
            return Unchanged()
        if len(data) > limits.max_source_bytes:
            return TooLarge(version, len(data))
        return decode(data[: read_bound(limits)], version, limits, size=len(data))

    def _content(self, path: str) -> bytes | None:
        file = self.filesystem.store.get(self.filesystem._strip_protocol(path))
        return None if file is None else file.getvalue()

    def _is_directory(self, path: str) -> bool:
        own = self.filesystem._strip_protocol(path)
        if own in self.filesystem.pseudo_dirs:
            return True
        below = f"{own}/"
        return any(name.startswith(below) for name in (*self.filesystem.store, *self.filesystem.pseudo_dirs))

    def _is_below_file(self, path: str) -> bool:
        parent = self.filesystem._parent(self.filesystem._strip_protocol(path))
        while len(parent) > 1:
            if parent in self.filesystem.store:
                return True
            parent = self.filesystem._parent(parent)
        return False


def _version(data: bytes) -> Version:
    return Version(fingerprint(data))
