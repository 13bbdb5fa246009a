"""The provider for any fsspec filesystem that has none of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar

from guidefs.storage.batch import BatchBudget, bounded
from guidefs.storage.directory import placed
from guidefs.storage.guarded import GuardedAccess
from guidefs.storage.inquiry import Inquiry
from guidefs.storage.procedure import arun, run
from guidefs.storage.provider import Chunk, Guard, Limits, Presence, Written
from guidefs.storage.unwrap import is_caching, origin_of
from guidefs.values.answer import Answer, Marker, Question, Text

__all__ = ["AsyncGenericProvider", "GenericProvider", "generic_provider"]

MAX_CONCURRENT_QUESTIONS = 64
"""How many questions of a batch are under way at once, and so how many texts are held beyond the batch's bound."""


class GenericProvider:
    """Answers through the synchronous calls of a filesystem, one question after another.

    Versions are taken from a fresh `info`, and only from a generation or a strong entity tag; without one, a file is
    read at every touch. Missing is what the backend says is missing; every other failure is `Unavailable`.

    Args:
        filesystem: any fsspec filesystem.
    """

    SETTINGS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, filesystem: Any) -> None:
        self.filesystem = filesystem
        self._inquiry = Inquiry(filesystem)
        self._access = GuardedAccess(filesystem, self._inquiry)

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch from the last question backwards, reading nothing more once it is full."""
        budget = BatchBudget(limits)
        answers = []
        for question in reversed(questions):
            refusal = budget.refusal() if budget.exhausted else None
            answers.append(budget.admit(run(self._inquiry.answer(question, limits, refusal), self.filesystem)))
        return answers[::-1]

    def stat(self, path: str) -> Presence:
        """Stat one path."""
        return run(self._access.stat(path), self.filesystem)

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece of a file."""
        return run(self._access.read(path, offset, max_bytes), self.filesystem)

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Write under a guard, best-effort."""
        return run(self._access.write(path, data, guard), self.filesystem)


class AsyncGenericProvider:
    """Answers through the coroutines of an async filesystem, many questions at a time; otherwise `GenericProvider`.

    Args:
        filesystem: an fsspec filesystem whose `async_impl` is true.
    """

    SETTINGS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, filesystem: Any) -> None:
        self.filesystem = filesystem
        self._inquiry = Inquiry(filesystem)
        self._access = GuardedAccess(filesystem, self._inquiry)

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch, the last questions first; what has not begun when it is full is not read."""
        budget = BatchBudget(limits)
        turns = asyncio.Semaphore(MAX_CONCURRENT_QUESTIONS)
        held = 0

        async def answer(question: Question | Marker) -> Answer:
            nonlocal held
            async with turns:
                # Turns are given in order, so what began is a tail of the batch: once its texts alone are too much,
                # nothing before it can fit.
                refusal = budget.refusal() if held > limits.max_batch_bytes else None
                result = await arun(self._inquiry.answer(question, limits, refusal), self.filesystem)
            if isinstance(result, Text):
                held += len(result.text.encode())
            return result

        tasks = [asyncio.ensure_future(answer(question)) for question in reversed(questions)]
        try:
            answers = await asyncio.gather(*tasks)
        finally:
            for task in tasks:  # those still under way when one ended in wrong use
                task.cancel()
        return bounded(answers[::-1], limits)

    async def astat(self, path: str) -> Presence:
        """Stat one path."""
        return await arun(self._access.stat(path), self.filesystem)

    async def aread(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece of a file."""
        return await arun(self._access.read(path, offset, max_bytes), self.filesystem)

    async def awrite(self, path: str, data: bytes, guard: Guard) -> Written:
        """Write under a guard, best-effort."""
        return await arun(self._access.write(path, data, guard), self.filesystem)


def generic_provider(filesystem: Any) -> object:
    """The generic provider for a filesystem, seen through the directories that wrap it.

    A caching filesystem is asked synchronously, because only those methods go through its cache.
    """
    origin = origin_of(filesystem)
    innermost = origin.filesystem
    is_async = getattr(innermost, "async_impl", False) is True and not is_caching(innermost)
    return placed(AsyncGenericProvider(innermost) if is_async else GenericProvider(innermost), origin)
