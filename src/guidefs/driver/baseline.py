"""The message of what holds from the start, with what changed while the session was away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from guidefs.driver.batch import Steps
from guidefs.driver.delivery import Owners, Report, deliver, remember, report_rendering, report_verdict
from guidefs.driver.examination import Examination
from guidefs.driver.reconciliation import Answered, ask, checked, find_root, settle
from guidefs.driver.state import SessionState
from guidefs.log.message import Message
from guidefs.reconcile.effective import Loaded, directories
from guidefs.reconcile.plan import Plan, plan
from guidefs.reconcile.verdict import Transition, Verdict, judge
from guidefs.render.budget import Block, DoesNotFit, fit_baseline
from guidefs.render.frame import unframed
from guidefs.render.wording import SUPERSEDING, baseline_heading
from guidefs.values.answer import Question
from guidefs.values.context import Context, metadata
from guidefs.values.scope import Scope

__all__ = ["Composed", "compose"]


@dataclass(frozen=True, slots=True)
class Composed:
    """A baseline.

    Args:
        prefix: the message of what holds from the start; `None` where there is nothing to say.
        injected: what changed in directories that were visible before; `None` where nothing did.
    """

    prefix: Context | None
    injected: Context | None


@dataclass(frozen=True, slots=True)
class _Logged:
    """What the visible log says about baselines.

    Args:
        reusable: the baseline that still holds, bytes and all; `None` where there is none.
        superseded: whether there is one that no longer holds.
    """

    reusable: Message | None
    superseded: bool


def compose(state: SessionState, report: Report) -> Steps[Composed]:
    """Compose the baseline of a run, fixing the project root anew, and re-check what was visible before.

    Nothing but the root is changed before all answers are there, so it may be abandoned wherever it waits.

    Args:
        state: what the session knows.
        report: what to do with diagnostics.
    """
    root = yield from find_root(state.place, state.config)
    with state.lock:
        settle(state, root, report)
        state.synchronise()
        ticket = state.ticket()
        logged = _logged(state)
        examination = _examination(state, logged)
    answered = checked(examination, (yield examination.batch))
    asked: set[Scope] = set()
    while True:
        with state.lock:
            state.synchronise()
            wanted = _judged(state, answered).needs_text - asked
            if not wanted:
                composed = _establish(state, answered, logged, report)
                state.mark_judged((target.scope for target in answered.targets), ticket)
                return composed
        asked |= wanted
        answered = yield from ask(answered, wanted)


def _logged(state: SessionState) -> _Logged:
    identity = _identity(state)
    baselines = state.log.baselines()
    newest = baselines[-1] if baselines else None
    if newest is not None and newest.identity == identity and newest.text:
        return _Logged(newest, superseded=False)
    return _Logged(None, superseded=newest is not None)


def _examination(state: SessionState, logged: _Logged) -> Examination:
    territory = state.fixed_territory()
    first = territory.baseline_directories()
    targets = territory.targets((*first, *directories(state.logged())))
    planned = plan(targets, state.effective(), state.remembered)
    if logged.reusable is None:
        # A new baseline shows every text again.
        fresh = set(first)
        questions = tuple(
            Question(target.path) if target.scope.directory in fresh else question
            for target, question in zip(planned.targets, planned.questions, strict=True)
        )
        planned = Plan(planned.targets, questions)
    return Examination(planned, state.revision)


def _judged(state: SessionState, answered: Answered) -> Verdict:
    return judge(answered.targets, answered.answers, state.effective(), state.remembered)


def _establish(state: SessionState, answered: Answered, logged: _Logged, report: Report) -> Composed:
    if logged.reusable is None:
        prefix = _show(state, answered, superseding=logged.superseded, report=report)
    else:
        message = logged.reusable
        prefix = Context(message.text, unframed(message.text), message.meta, message.changes, message.source)
        state.continue_baseline()
    verdict = _judged(state, answered)
    state.learn(verdict.updates)
    report_verdict(verdict, report)
    due = _reportable(state, verdict.transitions)
    for transition in due:
        state.pending.supersede(transition.change.scope)
    injected, _ = deliver(state, due, Owners(), report)
    return Composed(prefix, injected)


def _reportable(state: SessionState, transitions: Sequence[Transition]) -> list[Transition]:
    """Leave out what only the baseline itself speaks of: what it had no room for is due at the next touch."""
    first, visible = set(state.fixed_territory().baseline_directories()), state.logged()
    return [t for t in transitions if t.change.scope.directory not in first or t.change.scope in visible]


def _show(state: SessionState, answered: Answered, *, superseding: bool, report: Report) -> Context | None:
    """Render the files of the baseline's own directories and make them the state to compare with."""
    first = set(state.fixed_territory().baseline_directories())
    own = [pair for pair in zip(answered.targets, answered.answers, strict=True) if pair[0].scope.directory in first]
    verdict = judge(
        [target for target, _ in own], [answer for _, answer in own], state.effective(), state.remembered, afresh=True
    )
    state.learn(verdict.updates)
    shown = verdict.transitions
    if not shown:
        state.begin_baseline({}, None)
        return None
    blocks = [Block(t.target.label, baseline_heading(t.target.label), t.text) for t in shown]
    max_bytes = state.config.max_bytes
    rendering = fit_baseline(blocks, max_bytes, preface=(SUPERSEDING,) if superseding else ())
    report_rendering(shown, rendering, max_bytes, report)
    if isinstance(rendering, DoesNotFit):
        state.begin_baseline({}, None)
        return None
    told = [t for t, survived in zip(shown, rendering.rendered, strict=True) if survived]
    changes = tuple(transition.change for transition in told)
    record = metadata(changes, identity=_identity(state))
    context = Context(rendering.text, rendering.body, record, changes)
    state.begin_baseline({c.scope: Loaded(c.path, c.digest) for c in changes}, Message.record_of(context))
    remember(state, told)
    return context


def _identity(state: SessionState) -> str:
    """What a baseline depends on beside the files themselves; equal strings mean that its bytes may be reused."""
    territory, config = state.fixed_territory(), state.config
    return json.dumps(
        {
            "root": territory.root,
            "cwd": territory.cwd,
            "home": None if territory.home is None else [territory.home.directory, territory.home.label],
            "markers": config.root_markers,
            "candidates": config.candidates,
            "local_candidates": config.local_candidates,
            "max_bytes": config.max_bytes,
            "max_source_bytes": config.max_source_bytes,
        },
        sort_keys=True,
        separators=(",", ":"),
    )
