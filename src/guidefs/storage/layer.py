"""A provider laid over another one, with exactly the halves that the other one has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from guidefs.errors import FileError
from guidefs.storage.failures import describe
from guidefs.storage.provider import Chunk, Guard, Limits, Presence, Written
from guidefs.values.answer import Answer, Marker, Question, Unavailable

__all__ = ["METHODS", "Access", "ProviderLayer"]

METHODS = ("fetch", "afetch", "stat", "astat", "read", "aread", "write", "awrite", "check_directory", "names")
"""Every method that a provider may have."""

Access: TypeAlias = Literal["ask", "stat", "read", "write", "check"]
"""What is about to be done with a path; `ask` is a question or marker of a batch."""


class ProviderLayer:
    """The base of providers that change questions or answers on their way; by itself it changes nothing.

    A method that the inner provider lacks is lacking here too. Override `locate`, `revise`, or both.

    Args:
        inner: any provider.
    """

    fetch: Callable[[Sequence[Question | Marker], Limits], Sequence[Answer]]
    afetch: Callable[[Sequence[Question | Marker], Limits], Any]
    stat: Callable[[str], Presence]
    astat: Callable[[str], Any]
    read: Callable[..., Chunk]
    aread: Callable[..., Any]
    write: Callable[[str, bytes, Guard], Written]
    awrite: Callable[[str, bytes, Guard], Any]
    check_directory: Callable[[str], None]
    names: Callable[[str], Collection[str]]

    def __init__(self, inner: object) -> None:
        self.inner: Any = inner
        for name in METHODS:
            if callable(getattr(inner, name, None)):
                setattr(self, name, getattr(self, f"_{name}"))

    def locate(self, path: str, access: Access) -> str:
        """The path by which the inner provider knows the file; raise a `FileError` to refuse it.

        Args:
            path: the path as it was asked for.
            access: what is about to be done.
        """
        return path

    def revise(self, question: Question | Marker, answer: Answer) -> Answer:
        """The answer to give for what the inner provider answered.

        Args:
            question: the question as it was asked.
            answer: what the inner provider says.
        """
        return answer

    def _fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        sorting = _Sorting(self, questions)
        return sorting.merged(self.inner.fetch(sorting.forwarded, limits) if sorting.forwarded else ())

    async def _afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        sorting = _Sorting(self, questions)
        return sorting.merged(await self.inner.afetch(sorting.forwarded, limits) if sorting.forwarded else ())

    def _stat(self, path: str) -> Presence:
        try:
            located = self.locate(path, "stat")
        except FileError as error:
            return Unavailable(describe(error))
        return self.inner.stat(located)  # type: ignore[no-any-return] # the contract of the inner provider

    async def _astat(self, path: str) -> Presence:
        try:
            located = self.locate(path, "stat")
        except FileError as error:
            return Unavailable(describe(error))
        return await self.inner.astat(located)  # type: ignore[no-any-return] # the contract of the inner provider

    def _read(self, path: str, *, offset: int, max_bytes: int) -> Any:
        return self.inner.read(self.locate(path, "read"), offset=offset, max_bytes=max_bytes)

    async def _aread(self, path: str, *, offset: int, max_bytes: int) -> Any:
        return await self.inner.aread(self.locate(path, "read"), offset=offset, max_bytes=max_bytes)

    def _write(self, path: str, data: bytes, guard: Guard) -> Any:
        return self.inner.write(self.locate(path, "write"), data, guard)

    async def _awrite(self, path: str, data: bytes, guard: Guard) -> Any:
        return await self.inner.awrite(self.locate(path, "write"), data, guard)

    def _check_directory(self, path: str) -> None:
        self.inner.check_directory(self.locate(path, "check"))

    def _names(self, path: str) -> Collection[str]:
        try:
            located = self.locate(path, "check")
        except FileError:
            return ()
        return self.inner.names(located)  # type: ignore[no-any-return] # the contract of the inner provider


class _Sorting:
    """The questions of a batch, sorted into those that are passed on and those that are refused here."""

    def __init__(self, layer: ProviderLayer, questions: Sequence[Question | Marker]) -> None:
        self._layer = layer
        self._asked: list[tuple[Question | Marker, Answer | None]] = []
        self.forwarded: list[Question | Marker] = []
        for question in questions:
            try:
                path = layer.locate(question.path, "ask")
            except FileError as error:
                self._asked.append((question, Unavailable(describe(error))))
                continue
            self._asked.append((question, None))
            self.forwarded.append(_moved(question, path))

    def merged(self, answers: Sequence[Answer]) -> list[Answer]:
        # The answers to all questions in order; the provider may have lied about their number.
        if len(answers) != len(self.forwarded):
            raise ValueError(f"{len(self.forwarded)} questions got {len(answers)} answers")
        rest = iter(answers)
        return [
            self._layer.revise(question, next(rest)) if refusal is None else refusal
            for question, refusal in self._asked
        ]


def _moved(question: Question | Marker, path: str) -> Question | Marker:
    if path == question.path:
        return question
    return Marker(path) if isinstance(question, Marker) else replace(question, path=path)
