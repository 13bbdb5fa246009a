"""The bound on the text that one batch may bring back."""

from __future__ import annotations

from collections.abc import Sequence

from guidefs.storage.provider import Limits
from guidefs.values.answer import Answer, Text, Unavailable

__all__ = ["BatchBudget", "bounded"]


class BatchBudget:
    """Counts the text of one batch while it is read, most specific file first.

    Args:
        limits: the bounds of the batch.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.max_batch_bytes
        self.exhausted = False

    def admit(self, answer: Answer) -> Answer:
        """Let an answer pass, or refuse its text once the batch is full.

        Once one text did not fit, every later one is refused too, so that what is kept is always the tail of the
        batch.
        """
        if not isinstance(answer, Text):
            return answer
        size = len(answer.text.encode("utf-8", "surrogatepass"))
        if self.exhausted or size > self._left:
            self.exhausted = True
            return self.refusal()
        self._left -= size
        return answer

    def refusal(self) -> Unavailable:
        """The answer for a file that the batch has no room for; it stays due at a later touch."""
        return Unavailable(f"the batch is full: max_batch_bytes is {self._limits.max_batch_bytes}")


def bounded(answers: Sequence[Answer], limits: Limits) -> list[Answer]:
    """The answers of a whole batch with the texts that do not fit refused; the last ones are kept."""
    budget = BatchBudget(limits)
    return [budget.admit(answer) for answer in reversed(answers)][::-1]
