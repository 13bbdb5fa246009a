"""Why each instruction file on the way to a path is in force or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from guidefs.config import Config
from guidefs.driver.batch import Batch, Steps
from guidefs.driver.delivery import set_block
from guidefs.driver.place import Place
from guidefs.driver.reconciliation import find_root
from guidefs.reconcile.effective import Effective, Loaded
from guidefs.reconcile.plan import Plan
from guidefs.reconcile.remembered import Remembered
from guidefs.reconcile.root import Root
from guidefs.reconcile.territory import Target, Territory
from guidefs.reconcile.verdict import Transition, Verdict, judge
from guidefs.render.budget import Block, Fitted, Rendering, fit, fit_baseline
from guidefs.render.wording import baseline_heading
from guidefs.values.answer import Absent, Answer, NotText, Question, TooLarge
from guidefs.values.explanation import ExplainedFile, Explanation, Standing
from guidefs.values.path import parent

__all__ = ["beside", "explain"]


def explain(place: Place, config: Config, path: str, *, into: bool = False) -> Steps[Explanation]:
    """Find out what would be in force for a path in a session that has told nothing yet.

    Args:
        place: where the session works.
        config: the settings; where they switch all loading off, nothing is asked.
        path: the path, absolute.
        into: whether the path is a directory and a file in it is meant.
    """
    if not config.enabled:
        return Explanation(
            root=place.cwd,
            root_failure=None,
            cwd=place.cwd,
            path=path,
            max_bytes=config.max_bytes,
            enabled=False,
            directories=(),
            files=(),
        )
    root: Root = yield from find_root(place, config)
    territory = Territory(root.directory, place.cwd, config.names_in_order, place.home)
    first = territory.baseline_directories()
    # The name of a file does not matter for what holds there.
    later = territory.touched_directories(f"{path}/." if into else path)
    targets = territory.targets((*first, *later))
    asked = Plan(tuple(targets), tuple(Question(target.path) for target in targets))
    answers = yield Batch.of(asked)
    verdict = judge(targets, answers, {}, Remembered(), afresh=True)
    told = _told(verdict, set(first), config.max_bytes)
    own = (parent(target.path) or "" for target in targets if not target.home)
    return Explanation(
        root=root.directory,
        root_failure=root.failure,
        cwd=place.cwd,
        path=path,
        max_bytes=config.max_bytes,
        enabled=True,
        directories=tuple(dict.fromkeys(own)),
        files=tuple(_explained(targets, answers, verdict, told, config)),
        marker=root.marker,
    )


def beside(explanation: Explanation, effective: Effective) -> Explanation:
    """Say of each file whether the model of a live session has its very text."""
    told = {(state.path, state.digest) for state in effective.values() if isinstance(state, Loaded)}
    files = tuple(replace(file, in_sight=(file.label, file.digest) in told) for file in explanation.files)
    return replace(explanation, files=files)


def _told(verdict: Verdict, first: set[str], max_bytes: float) -> dict[Target, ExplainedFile]:
    """The files that would be rendered: those of the baseline together, then those of the first touch together.

    What has no room in the baseline is due at the first touch, in front of what that touch reaches.
    """
    baseline = [t for t in verdict.transitions if t.change.scope.directory in first]
    touched = [t for t in verdict.transitions if t.change.scope.directory not in first]
    told: dict[Target, ExplainedFile] = {}
    if baseline:
        blocks = [Block(t.target.label, baseline_heading(t.target.label), t.text) for t in baseline]
        told = _standings(baseline, fit_baseline(blocks, max_bytes), Standing.BASELINE)
    late = [t for t in baseline if told[t.target].standing is Standing.OMITTED]
    if not late and not touched:
        return told
    attached = _standings(
        [*late, *touched], fit([set_block(t) for t in (*late, *touched)], max_bytes), Standing.ON_TOUCH
    )
    for transition in late:
        if attached.pop(transition.target).standing is not Standing.OMITTED:
            detail = "the budget has no room for it in the baseline; due at the first touch"
            told[transition.target] = replace(told[transition.target], detail=detail)
    return told | attached


def _standings(transitions: Sequence[Transition], rendering: Rendering, whole: Standing) -> dict[Target, ExplainedFile]:
    survived = rendering.rendered if isinstance(rendering, Fitted) else (False,) * len(transitions)
    cut = rendering.cut_bytes if isinstance(rendering, Fitted) else None
    found = {}
    for transition, shown in zip(transitions, survived, strict=True):
        size = len((transition.text or "").encode("utf-8", "surrogatepass"))
        file = ExplainedFile(
            transition.target.label,
            transition.target.path,
            whole if shown else Standing.OMITTED,
            "" if shown else "the budget has no room for it",
            size,
            transition.change.digest,
        )
        found[transition.target] = replace(file, detail="empty") if shown and size == 0 else file
    if cut is not None:
        last = transitions[-1].target
        detail = f"the first {cut} of {found[last].size} bytes are shown"
        found[last] = replace(found[last], standing=Standing.TRUNCATED, detail=detail)
    return found


def _explained(
    targets: Sequence[Target],
    answers: Sequence[Answer],
    verdict: Verdict,
    told: dict[Target, ExplainedFile],
    config: Config,
) -> Iterator[ExplainedFile]:
    originals = dict(verdict.duplicates)
    failed = dict(verdict.failed)
    for target, answer in zip(targets, answers, strict=True):
        if target in told:
            yield told[target]
        elif target in originals:
            original = originals[target].label
            yield ExplainedFile(target.label, target.path, Standing.DUPLICATE, f"same text as {original}")
        else:
            standing, detail = _left_out(answer, failed.get(target, "the answer makes no sense"), config)
            yield ExplainedFile(target.label, target.path, standing, detail)


def _left_out(answer: Answer, reason: str, config: Config) -> tuple[Standing, str]:
    match answer:
        case Absent():
            return Standing.ABSENT, ""
        case TooLarge(size=size):
            stated = "more than that" if size is None else f"{size} bytes"
            return Standing.TOO_LARGE, f"{stated}; max_source_bytes is {config.max_source_bytes}"
        case NotText():
            return Standing.NOT_TEXT, "not UTF-8, or a NUL near its start"
        case _:
            return Standing.UNAVAILABLE, reason
