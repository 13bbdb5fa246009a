"""A plan that is kept as long as nothing changes what it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from guidefs.driver.batch import Batch
from guidefs.reconcile.plan import Plan
from guidefs.values.answer import Absent, Answer, Unchanged

__all__ = ["Examination"]


@dataclass(slots=True)
class Examination:
    """The files that a touch examines.

    The same touch of the same state asks the same questions, and the same answers to them mean the same; so a plan is
    made once, and answers that were found to mean nothing are recognised without being judged again.

    Args:
        plan: the files with their questions.
        revision: the state that the plan was made from.
    """

    plan: Plan
    revision: int
    batch: Batch = field(init=False)
    _quiet: Sequence[Answer] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.batch = Batch.of(self.plan)

    def was_quiet(self, answers: Sequence[Answer], revision: int) -> bool:
        """Whether these answers were judged before, at this state, to mean nothing."""
        return self._quiet is not None and revision == self.revision and answers == self._quiet

    def note_quiet(self, answers: Sequence[Answer], revision: int) -> None:
        """Note that these answers mean nothing at this state; answers that hold text are never kept."""
        if revision == self.revision and all(isinstance(answer, Unchanged | Absent) for answer in answers):
            self._quiet = answers
