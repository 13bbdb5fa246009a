"""What the answers mean, against what the model has been told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from guidefs.reconcile.effective import Effective, Loaded
from guidefs.reconcile.plan import vouches
from guidefs.reconcile.remembered import Entry, Remembered, Updates
from guidefs.reconcile.territory import Target
from guidefs.values.answer import (
    Absent,
    Answer,
    Exists,
    NotText,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
)
from guidefs.values.change import Change
from guidefs.values.digest import digest, trimmed_digest
from guidefs.values.scope import Scope

__all__ = ["Transition", "Verdict", "entry_of", "judge"]


@dataclass(frozen=True, slots=True)
class Transition:
    """A change that is due.

    Args:
        change: what the metadata will say.
        target: the file that it is about.
        text: the text to show; `None` on a removal.
        entry: what is to be remembered once the change was rendered; `None` to forget.
    """

    change: Change
    target: Target
    text: str | None
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that one round of answers means.

    Args:
        transitions: the changes that are due, in the order of the targets; each holds only once it was rendered.
        updates: what is known of the files in any case.
        needs_text: scopes whose version is unchanged but whose text has to be shown after all; asked again with no
            known version, the whole is judged anew.
        failed: files of which nothing is known now, with the reason.
        duplicates: files that were found to repeat an earlier sibling, with that sibling.
    """

    transitions: list[Transition] = field(default_factory=list)
    updates: Updates = field(default_factory=Updates)
    needs_text: set[Scope] = field(default_factory=set)
    failed: list[tuple[Target, str]] = field(default_factory=list)
    duplicates: list[tuple[Target, Target]] = field(default_factory=list)

    @property
    def is_quiet(self) -> bool:
        """Whether the answers changed nothing at all."""
        return not (self.transitions or self.updates or self.needs_text or self.failed)


def judge(
    targets: Sequence[Target],
    answers: Sequence[Answer],
    effective: Effective,
    remembered: Remembered,
    *,
    afresh: bool = False,
) -> Verdict:
    """Judge one answer a target, in order.

    Args:
        targets: the files that were examined; those of one directory follow each other.
        answers: what the backend said of each.
        effective: what the model has been told.
        remembered: what is known of the files from before.
        afresh: whether everything is to be told again, as a new baseline does. What is effective then counts only for
            files that cannot be read now: they still hide their copies.
    """
    told: Effective = {} if afresh else effective
    judging = _Judge(told, effective, remembered)
    for target, answer in zip(targets, answers, strict=True):
        judging.take(target, answer)
    return judging.verdict


def entry_of(target: Target, answer: Text) -> Entry:
    """What is to be remembered of a text that was read."""
    return Entry(target.label, answer.version, digest(answer.text), trimmed_digest(answer.text))


class _Judge:
    """Judges targets one after another; siblings of a directory are compared as they come."""

    def __init__(self, told: Effective, effective: Effective, remembered: Remembered) -> None:
        self.verdict = Verdict()
        self._told = told
        self._effective = effective
        self._remembered = remembered
        self._directory = ""
        self._originals: dict[str, Target] = {}

    def take(self, target: Target, answer: Answer) -> None:
        if target.scope.directory != self._directory:
            self._directory = target.scope.directory
            self._originals = {}
        match answer:
            case Text():
                self._read(target, answer)
            case Unchanged():
                self._unchanged(target)
            case Absent():
                self._absent(target)
            case TooLarge() | NotText():
                self._unreadable(target, answer)
            case Unavailable(error):
                self._failed(target, error)
            case Exists():
                self._failed(target, "answered as if only its existence had been asked for")
            case _:
                assert_never(answer)

    def _read(self, target: Target, answer: Text) -> None:
        entry = entry_of(target, answer)
        state = self._told.get(target.scope)
        loaded = isinstance(state, Loaded)
        original = self._original(target, entry)
        if original is not None:
            self.verdict.duplicates.append((target, original))
            if loaded:
                self._remove(target, entry.as_collapsed())
            else:
                self.verdict.updates.entries[target.scope] = entry.as_collapsed()
        elif isinstance(state, Loaded) and vouches(entry, state, target):
            self.verdict.updates.entries[target.scope] = entry
        else:
            change = Change("replace" if loaded else "set", target.scope, target.label, entry.digest)
            self.verdict.transitions.append(Transition(change, target, answer.text, entry))

    def _unchanged(self, target: Target) -> None:
        if self._remembered.unreadable(target.scope) is not None:
            self._keep_counting(target)
            return
        entry = self._remembered.entry(target.scope)
        if entry is None:
            # What vouched for the version was forgotten while the answer was under way.
            self.verdict.needs_text.add(target.scope)
            return
        state = self._told.get(target.scope)
        stands = isinstance(state, Loaded) and vouches(entry, state, target)
        original = self._original(target, entry)
        if original is not None:
            if isinstance(state, Loaded):
                self.verdict.duplicates.append((target, original))
                self._remove(target, entry.as_collapsed())
        elif not stands:
            self.verdict.needs_text.add(target.scope)

    def _absent(self, target: Target) -> None:
        if isinstance(self._told.get(target.scope), Loaded):
            self._remove(target, None)
        elif self._remembered.entry(target.scope) or self._remembered.unreadable(target.scope):
            self.verdict.updates.forgotten.add(target.scope)

    def _unreadable(self, target: Target, answer: TooLarge | NotText) -> None:
        if answer.version is not None:
            self.verdict.updates.unreadable[target.scope] = answer.version
        self._failed(target, "too large" if isinstance(answer, TooLarge) else "not text")

    def _failed(self, target: Target, reason: str) -> None:
        self.verdict.failed.append((target, reason))
        self._keep_counting(target)

    def _keep_counting(self, target: Target) -> None:
        """A file that cannot be read now, but is in force, still hides its copies."""
        entry = self._remembered.entry(target.scope)
        state = self._effective.get(target.scope)
        if entry is not None and isinstance(state, Loaded) and state.digest == entry.digest:
            self._originals.setdefault(entry.trimmed_digest, target)

    def _original(self, target: Target, entry: Entry) -> Target | None:
        """The earlier sibling that a file repeats; `None` where it is the first with its text."""
        original = self._originals.setdefault(entry.trimmed_digest, target)
        return None if original is target else original

    def _remove(self, target: Target, entry: Entry | None) -> None:
        change = Change("remove", target.scope, target.label, None)
        self.verdict.transitions.append(Transition(change, target, None, entry))
