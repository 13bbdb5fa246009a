"""The bound on the text of one batch, kept while answers arrive in any order."""

from __future__ import annotations

from collections.abc import Sequence

from guidefs.storage.batch import BatchBudget
from guidefs.storage.provider import Limits
from guidefs.values.answer import Answer, Text, Unavailable

__all__ = ["Shares"]


class Shares:
    """Holds the answers of one batch, and of their texts only what the bound allows.

    `guidefs.storage.batch.bounded` keeps the texts at the end of a batch and refuses the rest. Requests that run at
    once come back in any order, so a body is given its share when its size is known: the shares of the questions
    behind it count first, and whoever no longer fits is refused and dropped at once. What is held never exceeds
    the bound.

    Args:
        count: the number of questions.
        limits: the bounds of the batch.
    """

    def __init__(self, count: int, limits: Limits) -> None:
        self._limit_bytes = limits.max_batch_bytes
        self._refusal = BatchBudget(limits).refusal()
        self._answers: list[Answer] = [Unavailable("the question was not asked")] * count
        self._sizes = [0] * count
        self._held_bytes = 0
        self._full_up_to = -1

    def reserve(self, position: int, size: int) -> bool:
        """Ask for room for a text of at most `size` bytes; False if the batch is full for it."""
        self._claim(position, size)
        return position > self._full_up_to

    def settle(self, position: int, answer: Answer) -> None:
        """Keep the answer to one question; a text that has no room is kept as a refusal."""
        self._answers[position] = answer
        self._claim(position, len(answer.text.encode("utf-8", "surrogatepass")) if isinstance(answer, Text) else 0)
        if position <= self._full_up_to and isinstance(answer, Text):
            self.refuse(position)

    def refuse(self, position: int) -> None:
        """Answer a question whose text was given no room."""
        self._answers[position] = self._refusal

    def answers(self) -> Sequence[Answer]:
        """The answers, in the order of the questions."""
        return self._answers

    def _claim(self, position: int, size: int) -> None:
        if position <= self._full_up_to:
            return
        self._held_bytes += size - self._sizes[position]
        self._sizes[position] = size
        if self._held_bytes <= self._limit_bytes:
            return
        left = self._limit_bytes
        for index in reversed(range(len(self._sizes))):
            left -= self._sizes[index]
            if left < 0:
                self._drop_up_to(index)
                return

    def _drop_up_to(self, last: int) -> None:
        self._full_up_to = max(self._full_up_to, last)
        for index in range(last + 1):
            self._held_bytes -= self._sizes[index]
            self._sizes[index] = 0
            if isinstance(self._answers[index], Text):
                self.refuse(index)
