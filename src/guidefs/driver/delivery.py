"""How due transitions become one message within the budget, and what of it then holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from guidefs.driver.pending import PendingMessage
from guidefs.driver.state import SessionState
from guidefs.reconcile.remembered import Updates
from guidefs.reconcile.verdict import Transition, Verdict
from guidefs.render.budget import Block, DoesNotFit, Fitted, Rendering, fit
from guidefs.render.wording import additional_heading, removal, updated_heading
from guidefs.values.context import Context, metadata
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
from guidefs.values.scope import directory_path

__all__ = ["Owners", "Report", "deliver", "remember", "report_rendering", "report_verdict"]

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
    state.add_pending(
        PendingMessage(
            frame_fingerprint(context.text),
            changes,
            owners.calls,
            owners.call_ids,
            step=None if owners.staged else state.step,
            staged=owners.staged,
            taken=bool(owners.calls),
        )
    )
    remember(state, told)
    return context, rest


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


def _report_cut(last: Transition, rendering: Fitted, report: Report) -> None:
    if rendering.cut_bytes is not None:
        report(FileTruncated(last.target.label, _size(last), rendering.cut_bytes))


def _told(transition: Transition) -> Diagnostic:
    if transition.text is None:
        return FileRemoved(transition.target.label)
    return FileLoaded(transition.target.label, _size(transition), transition.change.action == "replace")


def _size(transition: Transition) -> int:
    return len((transition.text or "").encode("utf-8", "surrogatepass"))


def _block(transition: Transition) -> Block:
    path, scope = transition.target.label, transition.change.scope
    match transition.change.action:
        case "set":
            heading = additional_heading(path, directory_path(scope.directory) or scope.directory)
        case "replace":
            heading = updated_heading(path)
        case "remove":
            heading = removal(path)
    return Block(path, heading, transition.text)
