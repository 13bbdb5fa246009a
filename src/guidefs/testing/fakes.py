"""A provider without a backend, which counts what it is asked."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from guidefs.errors import AlreadyExistsError, NotFoundError, NotRegularFileError, StaleVersionError
from guidefs.storage.batch import BatchBudget
from guidefs.storage.provider import Chunk, CreateOnly, Guard, IfContent, IfVersion, Limits, Presence, Stat, Written
from guidefs.storage.text import decode, fingerprint, read_bound
from guidefs.values.answer import (
    Absent,
    Answer,
    Exists,
    Marker,
    NotText,
    Question,
    Text,
    TooLarge,
    Unchanged,
    Version,
)

__all__ = ["Counts", "FakeProvider"]


@dataclass(slots=True)
class Counts:
    """What a provider was asked since it was made.

    Attributes:
        batches: the batches answered.
        stats: the questions and markers in them.
        reads: the contents that were read to answer them.
    """

    batches: int = 0
    stats: int = 0
    reads: int = 0


@dataclass(frozen=True, slots=True)
class _File:
    data: bytes
    version: Version


class FakeProvider:
    """Answers from a tree that a test writes behind its back. Both halves and the primitives are there.

    Only what was put exists, directories too; paths are normalised as text and there are no links. Every write gives
    a new version, unless it is told not to.

    Args:
        filesystem: ignored; it lets the class stand where a provider is made from a filesystem.
        lenient: decode every content as UTF-8 with replacement characters, without looking for a byte-order mark or
            for NULs, so that nothing is `NotText`.
        omit_size: the paths whose stated size is left out, so that only reading tells how large they are.

    Attributes:
        counts: what was asked so far.
    """

    SETTINGS: ClassVar[frozenset[str]] = frozenset({"lenient", "omit_size"})

    def __init__(self, filesystem: Any = None, *, lenient: bool = False, omit_size: Iterable[str] = ()) -> None:
        self.filesystem = filesystem
        self.counts = Counts()
        self._lenient = lenient
        self._omit_size = {_normal(path) for path in omit_size}
        self._files: dict[str, _File] = {}
        self._directories: set[str] = {"/"}
        self._writes = 0

    def put(self, path: str, data: bytes | str, *, same_version: bool = False) -> None:
        """Write a file, in a new version unless `same_version` keeps the one that it has; a directory gives way."""
        content = data.encode() if isinstance(data, str) else bytes(data)
        found = self._files.get(_normal(path))
        version = found.version if same_version and found is not None else self._next_version()
        self._files[_normal(path)] = _File(content, version)
        self._directories.discard(_normal(path))

    def mkdir(self, path: str) -> None:
        """Make a directory; its parents are not implied, and a file of its name gives way."""
        self._directories.add(_normal(path))
        self._files.pop(_normal(path), None)

    def delete(self, path: str) -> None:
        """Delete whatever has the name, with everything below it."""
        for name in self._at_and_below(path):
            self._files.pop(name, None)
            self._directories.discard(name)

    def rename(self, source: str, target: str) -> None:
        """Rename a file, or a directory with everything below it; versions stay, and what has the name gives way."""
        start = len(_normal(source))
        for name in self._at_and_below(source):
            moved = _normal(target) + name[start:]
            found = self._files.pop(name, None)
            self._directories.discard(name)
            self._directories.discard(moved)
            self._files.pop(moved, None)
            if found is None:
                self._directories.add(moved)
            else:
                self._files[moved] = found

    def touch_version(self, path: str) -> None:
        """Give a file a new version and leave its content.

        Raises:
            NotFoundError: there is no such file.
        """
        self._files[_normal(path)] = replace(self._file(path), version=self._next_version())

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch from the last question backwards."""
        self.counts.batches += 1
        self.counts.stats += len(questions)
        budget = BatchBudget(limits)
        return [self._answer(question, limits, budget) for question in reversed(questions)][::-1]

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch as `fetch` does."""
        return self.fetch(questions, limits)

    def stat(self, path: str) -> Presence:
        """Stat one path."""
        found = self._files.get(_normal(path))
        if found is not None:
            return Stat("file", self._stated_size(path, found), found.version)
        return Stat("directory", None, None) if _normal(path) in self._directories else Absent()

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece of a file.

        Raises:
            NotFoundError: there is no such file.
            NotRegularFileError: the path is a directory.
        """
        found = self._file(path)
        return Chunk(found.data[offset : offset + max_bytes], found.version, self._stated_size(path, found))

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Replace the whole content if the guard holds.

        Raises:
            AlreadyExistsError: `CreateOnly` and the name is taken.
            StaleVersionError: the file is another one now, or gone.
        """
        found = self._files.get(_normal(path))
        match guard:
            case CreateOnly():
                if found is not None or _normal(path) in self._directories:
                    raise AlreadyExistsError(f"{path!r} exists already; read it before changing it", path=path)
            case IfVersion(version):
                if found is None or found.version != version:
                    raise StaleVersionError(f"{path!r} has another version now; read it again", path=path)
            case IfContent(expected):
                if found is None or fingerprint(found.data) != expected:
                    raise StaleVersionError(f"{path!r} has another content now; read it again", path=path)
        self.put(path, data)
        return Written(self._file(path).version, "atomic")

    def _answer(self, question: Question | Marker, limits: Limits, budget: BatchBudget) -> Answer:
        path = _normal(question.path)
        found = self._files.get(path)
        if isinstance(question, Marker):
            return Exists() if found is not None or path in self._directories else Absent()
        if found is None:
            return Absent()
        if found.version == question.known:
            return Unchanged()
        size = self._stated_size(path, found)
        if size is not None and size > limits.max_source_bytes:
            return TooLarge(found.version, size)
        if budget.exhausted:
            return budget.refusal()
        self.counts.reads += 1
        return budget.admit(self._decoded(found, limits, size))

    def _decoded(self, found: _File, limits: Limits, size: int | None) -> Text | NotText | TooLarge:
        if not self._lenient:
            return decode(found.data[: read_bound(limits)], found.version, limits, size=size)
        text = found.data.decode("utf-8", "replace")
        if len(text.encode()) > limits.max_source_bytes:
            return TooLarge(found.version, size)
        return Text(found.version, text)

    def _file(self, path: str) -> _File:
        found = self._files.get(_normal(path))
        if found is not None:
            return found
        if _normal(path) in self._directories:
            raise NotRegularFileError(f"{path!r} is a directory; name a file", path=path)
        raise NotFoundError(f"{path!r} does not exist; check the path", path=path)

    def _stated_size(self, path: str, found: _File) -> int | None:
        return None if _normal(path) in self._omit_size else len(found.data)

    def _at_and_below(self, path: str) -> list[str]:
        top = _normal(path)
        names = [*self._files, *self._directories]
        return [name for name in names if name == top or name.startswith(f"{top}/")]

    def _next_version(self) -> Version:
        self._writes += 1
        return Version(f"write-{self._writes}")


def _normal(path: str) -> str:
    return posixpath.normpath(f"/{path}").replace("//", "/")
