"""Which questions one touch has to ask."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from guidefs.reconcile.effective import Effective, Loaded
from guidefs.reconcile.remembered import Entry, Remembered
from guidefs.reconcile.territory import Target
from guidefs.values.answer import Question, Version

__all__ = ["Plan", "known_version", "plan", "vouches"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The files to examine with one question each, in order."""

    targets: tuple[Target, ...]
    questions: tuple[Question, ...]


def plan(
    targets: Sequence[Target], effective: Effective, remembered: Remembered, *, chain: Collection[str] | None = None
) -> Plan:
    """Ask for each target's text, unless a version that is already known would make it unnecessary.

    Args:
        targets: the files to examine, in order.
        effective: what the model has been told.
        remembered: what is known of the files.
        chain: the directory keys on the way to what was touched; the others may lag where a deployment accepts that.
            `None` lets nothing lag.
    """
    questions = tuple(
        Question(
            target.path,
            known_version(target, effective, remembered),
            may_lag=chain is not None and target.scope.directory not in chain,
        )
        for target in targets
    )
    return Plan(tuple(targets), questions)


def known_version(target: Target, effective: Effective, remembered: Remembered) -> Version | None:
    """The version of a target's file for which no text is needed; `None` where any text is."""
    unreadable = remembered.unreadable(target.scope)
    if unreadable is not None:
        return unreadable
    entry = remembered.entry(target.scope)
    if entry is None:
        return None
    state = effective.get(target.scope)
    if isinstance(state, Loaded):
        return entry.version if vouches(entry, state, target) else None
    return entry.version if entry.collapsed else None


def vouches(entry: Entry, state: Loaded, target: Target) -> bool:
    """Whether what is remembered is exactly what the model has, under the path that it would be shown today."""
    return state.digest == entry.digest and state.path == entry.path == target.label
