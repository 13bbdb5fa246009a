"""Failures that a test injects into any provider."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from guidefs.errors import FileInputOutputError, UsageError
from guidefs.storage.layer import Access, ProviderLayer
from guidefs.values.answer import Answer, Marker, NotText, Question, Text, TooLarge, Unavailable

__all__ = ["FaultPoint", "FaultyProvider"]

FaultPoint: TypeAlias = Literal["resolve", "stat", "read"]
"""Where a backend fails: while it finds the file, looks at it, or reads it."""


class FaultyProvider(ProviderLayer):
    """Any provider, with failures for the paths that a test names.

    A path fails as it is asked for, whatever it leads to. A failure at `resolve` or `stat` makes every question and
    marker about it `Unavailable` without asking the inner provider, and every access but a write fail. One at `read`
    leaves alone what needs no reading: an unchanged or absent file, and one too large by its stated size.

    Args:
        inner: the provider that answers for healthy paths.
    """

    def __init__(self, inner: object) -> None:
        super().__init__(inner)
        self._faults: dict[str, FaultPoint] = {}

    def fail(self, path: str, *, at: FaultPoint = "stat") -> None:
        """Let a path fail from now on.

        Raises:
            UsageError: there is no such point.
        """
        if at not in get_args(FaultPoint):
            raise UsageError(f"a path cannot fail at {at!r}; use one of {', '.join(get_args(FaultPoint))}")
        self._faults[path] = at

    def heal(self, path: str) -> None:
        """Let a path work again; nothing happens if it does."""
        self._faults.pop(path, None)

    def locate(self, path: str, access: Access) -> str:
        """The path as it is, unless it has to fail.

        Raises:
            FileInputOutputError: it has to.
        """
        point = self._faults.get(path)
        if point is None or access in {"write", "check"} or (point == "read" and access != "read"):
            return path
        raise FileInputOutputError(f"injected failure at {point}: {path!r}", path=path)

    def revise(self, question: Question | Marker, answer: Answer) -> Answer:
        """The answer as it is, unless it took a read that has to fail."""
        if self._faults.get(question.path) != "read":
            return answer
        match answer:
            case Text() | NotText() | TooLarge(size=None):
                return Unavailable(f"injected failure at read: {question.path!r}")
            case _:
                return answer
