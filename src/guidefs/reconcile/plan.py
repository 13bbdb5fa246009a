"""Which questions one touch has to ask."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from guidefs.reconcile.effective import Effective, Loaded
from guidefs.reconcile.remembered import Entry, Remembered
from guidefs.reconcile.territory import Target
from guidefs.values.answer import Question, Version
from guidefs.values.scope import Scope

__all__ = ["Plan", "known_version", "plan", "vouches"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The files to examine with one question each, in order."""

    targets: tuple[Target, ...]
    questions: tuple[Question, ...]


def plan(
    targets: Sequence[Target], effective: Effective, remembered: Remembered, *, text_for: Collection[Scope] = ()
) -> Plan:
    """Ask for each target's text, unless a version that is already known would make it unnecessary.

    Args:
        targets: the files to examine, in order.
        effective: what the model has been told.
        remembered: what is known of the files.
        text_for: scopes whose text is needed whatever their version.
    """
    questions = tuple(
        Question(t.path, None if t.scope in text_for else known_version(t, effective, remembered)) for t in targets
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
