"""A provider whose files can be changed without writing anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from guidefs.storage.bridge import Bridge
from guidefs.storage.provider import Limits, Presence, Stat
from guidefs.storage.text import decode, fingerprint
from guidefs.values.answer import Absent, Answer, Exists, Marker, Question, Unchanged, Version
from guidefs.values.path import is_within, join, parent

__all__ = ["Overlay"]


@dataclass(frozen=True, slots=True)
class _File:
    """An edited file."""

    data: bytes


@dataclass(frozen=True, slots=True)
class _Directory:
    """A directory that holds an edited file."""


@dataclass(frozen=True, slots=True)
class _Gone:
    """Removed, in something removed, or below what is a file now."""


_Found: TypeAlias = _File | _Directory | _Gone | None
"""What the overlay knows of a name; `None` where it knows nothing and the inner provider has to be asked."""


class Overlay:
    """Answers for edited and removed files itself, with versions, and asks another provider for all others.

    Args:
        inner: what answers for the files that were not changed.
        real: the path that a path leads to by links, where the filesystem has any; an edit through a link changes its
            target, a removal removes the link.
    """

    def __init__(self, inner: Bridge, *, real: Callable[[str], str] = lambda path: path) -> None:
        self._inner = inner
        self._real = real
        self._changed: dict[str, bytes | None] = {}

    def edit(self, path: str, text: str) -> None:
        """From now on a file has this text. Bytes of a name that is not UTF-8 (PEP 383) are taken back to bytes."""
        place = self._place(path)
        # What the overlay knows of the name comes before the links that lie on the disk.
        target = self._real(path) if self._at(place) is None else place
        self._changed[target] = text.encode("utf-8", "surrogateescape")

    def remove(self, path: str) -> None:
        """From now on a file or link, or everything in a directory, is gone."""
        place = self._place(path)
        self._changed = {changed: data for changed, data in self._changed.items() if not is_within(changed, place)}
        self._changed[place] = None

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch; what was not changed is asked in one batch of the inner provider."""
        own = [self._answer(question, limits) for question in questions]
        others = [question for question, answer in zip(questions, own, strict=True) if answer is None]
        asked = iter(self._inner.fetch(others, limits) if others else ())
        return [answer if answer is not None else next(asked) for answer in own]

    def stat(self, path: str) -> Presence:
        """Stat one path; one that was not changed is asked of the inner provider."""
        match self._find(path):
            case _File(data):
                return Stat("file", len(data), Version(fingerprint(data)))
            case _Directory():
                return Stat("directory", None, None)
            case _Gone():
                return Absent()
            case None:
                return self._inner.stat(path)

    def _answer(self, question: Question | Marker, limits: Limits) -> Answer | None:
        match self._find(question.path):
            case _File(data):
                return self._edited(question, data, limits)
            case _Directory():
                return Exists() if isinstance(question, Marker) else Absent()
            case _Gone():
                return Absent()
            case None:
                return None

    def _edited(self, question: Question | Marker, data: bytes, limits: Limits) -> Answer:
        if isinstance(question, Marker):
            return Exists()
        version = Version(fingerprint(data))
        return Unchanged() if question.known == version else decode(data, version, limits, size=len(data))

    def _find(self, path: str) -> _Found:
        if not self._changed:
            return None
        found = self._at(self._place(path))
        return self._at(self._real(path)) if found is None else found

    def _at(self, name: str) -> _Found:
        data = self._changed.get(name)
        if data is not None:
            return _File(data)
        edited = (changed for changed, data in self._changed.items() if data is not None)
        if any(is_within(changed, name) for changed in edited):
            return _Directory()
        return _Gone() if any(is_within(name, changed) for changed in self._changed) else None

    def _place(self, path: str) -> str:
        """The name itself, in the directory that it really lies in."""
        directory = parent(path)
        return path if directory is None else join(self._real(directory), path.rpartition("/")[2])
