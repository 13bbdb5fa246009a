"""The one place where questions meet a backend: it runs a computation's batches, in a thread or on an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from guidefs.driver.batch import Batch, Steps
from guidefs.storage.provider import Limits
from guidefs.values.answer import (
    Absent,
    Answer,
    Exists,
    Marker,
    NotText,
    Question,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
)

__all__ = ["Engine", "Fetcher", "Stats"]

T = TypeVar("T")

_FREE = frozenset({Absent, Exists, Unchanged})


class Fetcher(Protocol):
    """A backend that answers batches both ways."""

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch from an ordinary thread."""
        ...

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch on an event loop."""
        ...

    def names(self, path: str) -> Collection[str]:
        """The names in a directory, as far as they cost no round trip."""
        ...

    def check_sync(self) -> None:
        """Raise `UsageError` where `fetch` can never work."""
        ...


@dataclass(frozen=True, slots=True)
class Stats:
    """What was asked of the backend since the session started.

    Args:
        batches: round trips; the questions of one round trip count as one.
        stats: paths examined.
        reads: contents read.
        unavailable: questions that the backend failed at or refused.
    """

    batches: int = 0
    stats: int = 0
    reads: int = 0
    unavailable: int = 0


class Engine:
    """Runs computations that hand out batches.

    Args:
        workspace: what answers for the workspace's filesystem.
        home: what answers for the home's filesystem, where that is another one.
        limits: the bounds of a batch.
    """

    def __init__(self, workspace: Fetcher, home: Fetcher | None, limits: Limits) -> None:
        self._workspace = workspace
        self._home = home
        self._limits = limits
        self._lock = threading.Lock()
        self._stats = Stats()

    @property
    def stats(self) -> Stats:
        """The counts since the start."""
        return self._stats

    def check_sync(self) -> None:
        """Refuse a plain call over a filesystem that only an event loop can use.

        Raises:
            UsageError: the filesystem was made with `asynchronous=True`.
        """
        self._workspace.check_sync()

    def names(self, path: str) -> Collection[str]:
        """The names in a directory of the workspace, as far as they cost no round trip."""
        return self._workspace.names(path)

    def run(self, steps: Steps[T]) -> T:
        """Run a computation in this thread; what it raises passes through."""
        try:
            batch = next(steps)
            while True:
                batch = steps.send(self._fetch(batch))
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return] # a generator's return value is untyped at run time

    async def arun(self, steps: Steps[T]) -> T:
        """Run a computation on the running event loop; cancellation passes through and leaves it abandoned."""
        try:
            batch = next(steps)
            while True:
                batch = steps.send(await self._afetch(batch))
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return] # as above

    def _fetch(self, batch: Batch) -> Sequence[Answer]:
        home: Sequence[Answer] = ()
        if batch.home and self._home is not None:
            home = self._home.fetch(batch.home, self._limits)
        workspace = self._workspace.fetch(batch.workspace, self._limits) if batch.workspace else ()
        return self._counted(batch, workspace, home)

    async def _afetch(self, batch: Batch) -> Sequence[Answer]:
        if batch.home and self._home is not None:
            if not batch.workspace:
                return self._counted(batch, (), await self._home.afetch(batch.home, self._limits))
            home, workspace = await asyncio.gather(
                self._home.afetch(batch.home, self._limits), self._workspace.afetch(batch.workspace, self._limits)
            )
            return self._counted(batch, workspace, home)
        return self._counted(batch, await self._workspace.afetch(batch.workspace, self._limits), ())

    def _counted(self, batch: Batch, workspace: Sequence[Answer], home: Sequence[Answer]) -> Sequence[Answer]:
        answers = batch.assembled(workspace, home)
        reads, unavailable = _tallied(answers)
        with self._lock:
            before = self._stats
            self._stats = Stats(
                before.batches + 1, before.stats + len(answers), before.reads + reads, before.unavailable + unavailable
            )
        return answers


def _tallied(answers: Sequence[Answer]) -> tuple[int, int]:
    """How many contents were read, and how many questions were failed at."""
    if _FREE.issuperset(map(type, answers)):
        return 0, 0
    reads = unavailable = 0
    for answer in answers:
        if isinstance(answer, Text | NotText) or (isinstance(answer, TooLarge) and answer.size is None):
            reads += 1
        elif isinstance(answer, Unavailable):
            unavailable += 1
    return reads, unavailable
