"""From touches to the messages that they bring: plan, fetch, apply."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from guidefs.config import Config
from guidefs.driver.batch import Batch, Steps
from guidefs.driver.delivery import Owners, Report, Result, accept_shown, deliver, report_verdict
from guidefs.driver.examination import Examination
from guidefs.driver.place import Place
from guidefs.driver.state import SessionState
from guidefs.reconcile.plan import Plan
from guidefs.reconcile.root import Root, marker_questions, project_root
from guidefs.reconcile.territory import Target
from guidefs.reconcile.verdict import Transition, Verdict, judge
from guidefs.values.answer import Answer, Question, Unavailable, Unchanged
from guidefs.values.context import Context
from guidefs.values.diagnostic import RootUndecided
from guidefs.values.record import Record
from guidefs.values.scope import Scope

__all__ = ["Answered", "Job", "ask", "checked", "find_root", "reconcile", "settle"]


@dataclass(slots=True)
class Job:
    """One call that ended with touches, and what that brings it.

    Args:
        paths: the touched paths, absolute.
        owners: the calls that its message passes through.
        results: files that a tool's result shows whole, by absolute path.
        context: the message, once the job is done; `None` where there is nothing to say.
        shown: the records of files that need no message, since a tool's result shows them.
        is_rest_due: whether something is due still that had no room in the message.
        abandoned: whether the call was cancelled meanwhile, so that it gets nothing.
    """

    paths: Sequence[str]
    owners: Owners
    results: Mapping[str, Result] = field(default_factory=dict)
    context: Context | None = field(default=None, init=False)
    shown: tuple[Record, ...] = field(default=(), init=False)
    is_rest_due: bool = field(default=False, init=False)
    abandoned: bool = field(default=False, init=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """Files that were examined, with what was answered, in order.

    Args:
        examination: the round of questions that was answered last.
        targets: the files.
        answers: what was answered about each.
    """

    examination: Examination
    targets: tuple[Target, ...]
    answers: list[Answer]


def reconcile(state: SessionState, jobs: Sequence[Job], report: Report) -> Steps[None]:
    """Find out what the touches of some calls bring, with one batch for all of them.

    Nothing is changed before the answers are there, so it may be abandoned wherever it waits.

    Args:
        state: what the session knows.
        jobs: the calls, in the order in which they ended; each gets its `context`.
        report: what to do with diagnostics.
    """
    if state.territory is None:
        root = yield from find_root(state.place, state.config)
        with state.lock:
            if state.territory is None:
                settle(state, root, report)
    with state.lock:
        state.synchronise()
        ticket = state.ticket()
        examination = state.examination([path for job in jobs for path in job.paths])
    if not examination.plan.questions:
        return
    answers = yield examination.batch
    with state.lock:
        state.synchronise()
        if examination.was_quiet(answers, state.revision):
            return
    answered = checked(examination, answers)
    asked: set[Scope] = set()
    # This ends: each round asks for the text of at least one scope more, and a scope whose text was asked for is never
    # taken for unchanged again.
    while wanted := _apply(state, jobs, answered, ticket, report) - asked:
        asked |= wanted
        answered = yield from ask(answered, wanted)


def find_root(place: Place, config: Config) -> Steps[Root]:
    """Ask for every root marker at once and decide."""
    walk, markers = place.walk, config.root_markers
    questions = marker_questions(walk, markers)
    answers = (yield Batch(tuple(questions))) if questions else []
    return project_root(walk, markers, {q.path: answer for q, answer in zip(questions, answers, strict=True)})


def settle(state: SessionState, root: Root, report: Report) -> None:
    """Fix the project root that was found."""
    state.fix_territory(root.directory)
    if root.failure is not None:
        report(RootUndecided(*root.failure))


def ask(answered: Answered, scopes: Collection[Scope]) -> Steps[Answered]:
    """Ask once more, for the text of some files whatever their version."""
    again = [position for position, target in enumerate(answered.targets) if target.scope in scopes]
    targets = tuple(answered.targets[position] for position in again)
    second = Examination(Plan(targets, tuple(Question(target.path) for target in targets)), revision=-1)
    answers = yield second.batch
    merged = list(answered.answers)
    for position, answer in zip(again, checked(second, answers).answers, strict=True):
        merged[position] = answer
    return Answered(second, answered.targets, merged)


def checked(examination: Examination, answers: Sequence[Answer]) -> Answered:
    """Take nothing for unchanged that was not known: a provider may be wrong about what it was asked."""
    checked: list[Answer] = [
        Unavailable("answered as unchanged, with no version known")
        if question.known is None and isinstance(answer, Unchanged)
        else answer
        for question, answer in zip(examination.plan.questions, answers, strict=True)
    ]
    return Answered(examination, examination.plan.targets, checked)


def _apply(state: SessionState, jobs: Sequence[Job], answered: Answered, ticket: int, report: Report) -> set[Scope]:
    """Judge the answers and hand out what they bring, unless texts are needed first.

    Returns:
        The scopes whose text is needed; while there are any, nothing was changed.
    """
    with state.lock:
        state.synchronise()
        current = [
            (target, answer)
            for target, answer in zip(answered.targets, answered.answers, strict=True)
            if not state.is_overtaken(target.scope, ticket)
        ]
        targets, answers = [target for target, _ in current], [answer for _, answer in current]
        verdict = judge(targets, answers, state.effective(), state.remembered)
        if verdict.is_quiet and len(current) == len(answered.targets):
            answered.examination.note_quiet(answers, state.revision)
        elif not verdict.needs_text:
            _hand_out(state, jobs, verdict, report)
            state.mark_judged((target.scope for target in targets), ticket)
        return verdict.needs_text


def _hand_out(state: SessionState, jobs: Sequence[Job], verdict: Verdict, report: Report) -> None:
    """Give each call the changes of the directories that it touched, and the first one those of all others too."""
    state.learn(verdict.updates)
    report_verdict(verdict, report)
    due: list[Transition] = verdict.transitions
    known = set(state.known_directories())
    for job in jobs:
        if job.abandoned:
            continue
        own = known.union(*(state.touched_directories(path) for path in job.paths))
        mine = [transition for transition in due if transition.change.scope.directory in own]
        others = [transition for transition in due if transition.change.scope.directory not in own]
        job.shown, mine = accept_shown(state, mine, job.results, job.owners)
        job.context, rest = deliver(state, mine, job.owners, report)
        due = [*others, *rest]
        job.is_rest_due = bool(rest)
