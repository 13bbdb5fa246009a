"""What the last checks showed, for deployments that accept answers of some age."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from guidefs.values.answer import Absent, Answer, NotText, Question, Text, TooLarge, Unchanged, Version
from guidefs_s3.version import same_content

__all__ = ["Freshness"]

REMEMBERED_CHECKS: Final = 16_384


@dataclass(frozen=True, slots=True)
class _Check:
    seconds: float
    version: Version | None  # None: there was no such file


class Freshness:
    """Remembers when a path was checked and which version it had, never its text.

    Args:
        max_age_seconds: how long a check may stand in for a new one; 0 remembers nothing.
        clock: tells the time in seconds, never backwards.
    """

    def __init__(self, max_age_seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_age_seconds = max_age_seconds
        self._clock = clock
        self._checks: OrderedDict[str, _Check] = OrderedDict()

    def recall(self, question: Question) -> Answer | None:
        """The answer that a recent check allows to a question that may lag, if there is one."""
        check = self._checks.get(question.path) if question.may_lag else None
        if check is None or self._clock() - check.seconds >= self._max_age_seconds:
            return None
        if check.version is None:
            return Absent()
        return Unchanged() if same_content(check.version, question.known) else None

    def learn(self, question: Question, answer: Answer) -> None:
        """Remember what a check showed; one that failed or brought no version is forgotten instead."""
        if not self._max_age_seconds:
            return
        match answer:
            case Absent():
                self._remember(question.path, None)
            case Unchanged() if question.known is not None:
                self._remember(question.path, question.known)
            case Text(version) | NotText(version) | TooLarge(version) if version is not None:
                self._remember(question.path, version)
            case _:
                self.forget(question.path)

    def forget(self, path: str) -> None:
        """Have a path checked again, because it was written."""
        self._checks.pop(path, None)

    def _remember(self, path: str, version: Version | None) -> None:
        self._checks[path] = _Check(self._clock(), version)
        self._checks.move_to_end(path)
        if len(self._checks) > REMEMBERED_CHECKS:
            self._checks.popitem(last=False)
