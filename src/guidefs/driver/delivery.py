"""How due transitions become one message within the budget, and what of it then holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from guidefs.driver.pending import PendingMessage
from guidefs.driver.state import SessionState
from guidefs.reconcile.remembered import Updates
from guidefs.reconcile.verdict import Transition, Verdict
from guidefs.render.budget import Block, DoesNotFit, Fitted, Rendering, fit
from guidefs.render.wording import additional_heading, removal, updated_heading
from guidefs.values.change import Change
from guidefs.values.context import SOURCE, Context, metadata
from guidefs.values.diagnostic import (
    Diagnostic,
    FileDuplicate,
    FileLoaded,
    FileOmitted,
    FileRemoved,
    FileTruncated,
    FileUnavailable,
    NothingRendered,
)
from guidefs.values.digest import frame_fingerprint
from guidefs.values.record import Record

__all__ = [
    "Owners",
    "Report",
    "Result",
    "accept_shown",
    "deliver",
    "remember",
    "report_rendering",
    "report_verdict",
    "set_block",
]

Report: TypeAlias = Callable[[Diagnostic], None]


@dataclass(frozen=True, slots=True)
class Owners:
    """The calls that a message passes through.

    Args:
        calls: their identities, innermost first; empty where no call owns the message.
        call_ids: their ids, as far as they have one.
        staged: whether an outer call decides about the message when it ends.
    """

    calls: tuple[object, ...] = ()
    call_ids: tuple[object, ...] = ()
    staged: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A file that a tool's result shows whole.

    Args:
        digest: the digest of its text.
        fingerprint: the fingerprint of the result, by which it is found again in the host's messages.
    """

    digest: str
    fingerprint: str


def deliver(
    state: SessionState, transitions: Sequence[Transition], owners: Owners, report: Report
) -> tuple[Context | None, list[Transition]]:
    """Render transitions into one message, make what survived the budget pending, and leave the rest due.

    Returns:
        The message, `None` where nothing survived; and the transitions that stay due.
    """
    if not transitions:
        return None, []
    rendering = fit([_block(transition) for transition in transitions], state.config.max_bytes)
    report_rendering(transitions, rendering, state.config.max_bytes, report)
    if isinstance(rendering, DoesNotFit):
        return None, list(transitions)
    told = [t for t, survived in zip(transitions, rendering.rendered, strict=True) if survived]
    rest = [t for t, survived in zip(transitions, rendering.rendered, strict=True) if not survived]
    if not told:
        return None, rest
    changes = tuple(transition.change for transition in told)
    context = Context(rendering.text, rendering.body, metadata(changes), changes)
    state.add_pending(_pending(state, frame_fingerprint(context.text), changes, owners))
    remember(state, told)
    return context, rest


def accept_shown(
    state: SessionState, transitions: Sequence[Transition], results: Mapping[str, Result], owners: Owners
) -> tuple[tuple[Record, ...], list[Transition]]:
    """Take a text for told where the result of the call's own tool shows it whole.

    Returns:
        The records of what is told that way, and the transitions that have to be rendered.
    """
    records, rest = [], []
    for transition in transitions:
        result = results.get(transition.target.path)
        if transition.text is None or result is None or result.digest != transition.change.digest:
            rest.append(transition)
            continue
        record = Record(result.fingerprint, dict(SOURCE), metadata([transition.change], shown=True))
        state.add_pending(_pending(state, record.frame, (transition.change,), owners, shown=True))
        remember(state, [transition])
        records.append(record)
    return tuple(records), rest


def remember(state: SessionState, told: Iterable[Transition]) -> None:
    """Keep in mind what was really told."""
    updates = Updates()
    for transition in told:
        if transition.entry is None:
            updates.forgotten.add(transition.change.scope)
        else:
            updates.entries[transition.change.scope] = transition.entry
    state.remembered.update(updates)


def report_verdict(verdict: Verdict, report: Report) -> None:
    """Report what was found out about files that are not rendered."""
    for target, error in verdict.failed:
        report(FileUnavailable(target.label, error))
    for target, original in verdict.duplicates:
        report(FileDuplicate(target.label, original.label))


def report_rendering(transitions: Sequence[Transition], rendering: Rendering, max_bytes: float, report: Report) -> None:
    """Report what became of each transition in a message."""
    if isinstance(rendering, DoesNotFit):
        report(NothingRendered(tuple(transition.target.label for transition in transitions), max_bytes))
        return
    for transition, survived in zip(transitions, rendering.rendered, strict=True):
        report(_told(transition) if survived else FileOmitted(transition.target.label, max_bytes))
    _report_cut(transitions[-1], rendering, report)


def _pending(
    state: SessionState, frame: str, changes: tuple[Change, ...], owners: Owners, *, shown: bool = False
) -> PendingMessage:
    return PendingMessage(
        frame,
        changes,
        owners.calls,
        owners.call_ids,
        step=None if owners.staged else state.step,
        staged=owners.staged,
        taken=bool(owners.calls),
        shown=shown,
    )


def _report_cut(last: Transition, rendering: Fitted, report: Report) -> None:
    if rendering.cut_bytes is not None:
        report(FileTruncated(last.target.label, _size(last), rendering.cut_bytes))


def _told(transition: Transition) -> Diagnostic:
    if transition.text is None:
        return FileRemoved(transition.target.label)
    return FileLoaded(transition.target.label, _size(transition), transition.change.action == "replace")


def _size(transition: Transition) -> int:
    return len((transition.text or "").encode("utf-8", "surrogatepass"))


def set_block(transition: Transition) -> Block:
    """The block of a file that is told as new."""
    path = transition.target.label
    return Block(path, additional_heading(path, transition.change.scope.directory), transition.text)


def _block(transition: Transition) -> Block:
    path = transition.target.label
    match transition.change.action:
        case "set":
            return set_block(transition)
        case "replace":
            heading = updated_heading(path)
        case "remove":
            heading = removal(path)
    return Block(path, heading, transition.text)
