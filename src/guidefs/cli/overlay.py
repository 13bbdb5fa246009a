"""A provider whose files can be changed without writing anything."""

from __future__ import annotations

from collections.abc import Sequence

from guidefs.driver.engine import Fetcher
from guidefs.storage.provider import Limits
from guidefs.storage.text import decode, fingerprint
from guidefs.values.answer import Absent, Answer, Exists, Marker, Question, Unchanged, Version
from guidefs.values.path import is_within

__all__ = ["Overlay"]


class Overlay:
    """Answers for edited and removed files itself and asks another provider for all others.

    Args:
        inner: what answers for the files that were not changed.
    """

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner
        self._changed: dict[str, bytes | None] = {}

    def edit(self, path: str, text: str) -> None:
        """From now on a file has this text."""
        self._changed[path] = text.encode("utf-8", "surrogateescape")

    def remove(self, path: str) -> None:
        """From now on a file, or everything in a directory, is gone."""
        self._changed = {changed: data for changed, data in self._changed.items() if not is_within(changed, path)}
        self._changed[path] = None

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch; what was not changed is asked in one batch of the inner provider."""
        own = [self._answer(question, limits) for question in questions]
        others = [question for question, answer in zip(questions, own, strict=True) if answer is None]
        asked = iter(self._inner.fetch(others, limits) if others else ())
        return [answer if answer is not None else next(asked) for answer in own]

    def _answer(self, question: Question | Marker, limits: Limits) -> Answer | None:
        path = question.path
        if self._changed.get(path) is not None:
            return self._edited(question, self._changed[path] or b"", limits)
        if any(data is None and is_within(path, gone) for gone, data in self._changed.items()):
            return Absent()
        if isinstance(question, Marker) and any(data and is_within(made, path) for made, data in self._changed.items()):
            return Exists()
        return None

    def _edited(self, question: Question | Marker, data: bytes, limits: Limits) -> Answer:
        if isinstance(question, Marker):
            return Exists()
        version = Version(fingerprint(data))
        return Unchanged() if question.known == version else decode(data, version, limits, size=len(data))
