"""The questions of one round trip, sorted by the filesystem that has to answer."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from guidefs.reconcile.plan import Plan
from guidefs.values.answer import Answer, Marker, Question

__all__ = ["Batch", "Steps"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Batch:
    """The questions of one round trip.

    Args:
        workspace: what to ask of the workspace's filesystem.
        home: what to ask of the home's filesystem, where that is another one.
        home_positions: the places of the home's answers among all, ascending.
    """

    workspace: tuple[Question | Marker, ...]
    home: tuple[Question | Marker, ...] = ()
    home_positions: tuple[int, ...] = ()

    @classmethod
    def of(cls, plan: Plan) -> Batch:
        """Sort the questions of a plan."""
        home = tuple(position for position, target in enumerate(plan.targets) if target.home)
        if not home:
            return cls(plan.questions)
        elsewhere = set(home)
        return cls(
            tuple(question for position, question in enumerate(plan.questions) if position not in elsewhere),
            tuple(plan.questions[position] for position in home),
            home,
        )

    def assembled(self, workspace: Sequence[Answer], home: Sequence[Answer]) -> Sequence[Answer]:
        """The answers of both filesystems in the order of the plan."""
        if not self.home:
            return workspace
        answers = list(workspace)
        for position, answer in zip(self.home_positions, home, strict=True):
            answers.insert(position, answer)
        return answers


Steps: TypeAlias = Generator[Batch, Sequence[Answer], T]
"""A computation that hands out batches, is sent their answers, and does no I/O of its own."""
