"""Why each instruction file on the way to a path is in force or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

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
from guidefs.values.answer import Absent, Answer, Question

__all__ = ["ExplainedFile", "Explanation", "Standing", "beside", "explain"]


class Standing(Enum):
    """What became of one candidate."""

    BASELINE = "baseline"
    ON_TOUCH = "on touch"
    TRUNCATED = "truncated"
    OMITTED = "omitted"
    DUPLICATE = "duplicate"
    TOO_LARGE = "too large"
    NOT_TEXT = "not text"
    UNAVAILABLE = "unavailable"
    ABSENT = "absent"
    NEAR_MISS = "near miss"

    @property
    def is_finding(self) -> bool:
        """Whether somebody should look at it."""
        return self not in {Standing.BASELINE, Standing.ON_TOUCH, Standing.DUPLICATE, Standing.ABSENT}


@dataclass(frozen=True, slots=True)
class ExplainedFile:
    """One candidate on the way to a path.

    Args:
        label: the path as the model would be shown it.
        path: the absolute path on the filesystem that holds it.
        standing: what became of it.
        detail: why, for people; empty where the standing says it all.
        size: the size of the text in bytes; `None` where it was not read.
        digest: the digest of the text; `None` where it was not read.
        link_target: where a link leads; `None` where it is none, or the filesystem does not say.
        in_sight: whether the model of a live session has this very text; `None` where no session was asked.
    """

    label: str
    path: str
    standing: Standing
    detail: str = ""
    size: int | None = None
    digest: str | None = None
    link_target: str | None = None
    in_sight: bool | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The instruction files on the way to a path.

    Args:
        root: the project root.
        root_failure: the marker that could not be examined and why, where that decided; `None` otherwise.
        cwd: the working directory.
        path: the path that was asked about.
        directories: the directories that were looked into, absolute, outermost first.
        files: the candidates in the order in which they load.
    """

    root: str
    root_failure: tuple[str, str] | None
    cwd: str
    path: str
    directories: tuple[str, ...]
    files: tuple[ExplainedFile, ...]

    @property
    def findings(self) -> tuple[ExplainedFile, ...]:
        """The files that somebody should look at."""
        return tuple(file for file in self.files if file.standing.is_finding)


def explain(place: Place, config: Config, path: str) -> Steps[Explanation]:
    """Find out what would be in force for a path in a session that has told nothing yet.

    Args:
        place: where the session works.
        config: the settings.
        path: the path, absolute.
    """
    root: Root = yield from find_root(place, config)
    territory = Territory(root.directory, place.cwd, config.names_in_order, place.home)
    first = territory.baseline_directories()
    later = territory.touched_directories(path)
    targets = territory.targets((*first, *later))
    asked = Plan(tuple(targets), tuple(Question(target.path) for target in targets))
    answers = yield Batch.of(asked)
    verdict = judge(targets, answers, {}, Remembered(), afresh=True)
    told = _told(verdict, set(first), config.max_bytes)
    return Explanation(
        root.directory,
        root.failure,
        place.cwd,
        path,
        tuple(dict.fromkeys(target.path.rpartition("/")[0] for target in targets)),
        tuple(_explained(targets, answers, verdict, told)),
    )


def beside(explanation: Explanation, effective: Effective) -> Explanation:
    """Say of each file whether the model of a live session has its very text."""
    told = {(state.path, state.digest) for state in effective.values() if isinstance(state, Loaded)}
    files = tuple(replace(file, in_sight=(file.label, file.digest) in told) for file in explanation.files)
    return replace(explanation, files=files)


def _told(verdict: Verdict, first: set[str], max_bytes: float) -> dict[Target, ExplainedFile]:
    """The files that would be rendered: those of the baseline together, those of a touch together."""
    baseline = [t for t in verdict.transitions if t.change.scope.directory in first]
    touched = [t for t in verdict.transitions if t.change.scope.directory not in first]
    told: dict[Target, ExplainedFile] = {}
    if baseline:
        blocks = [Block(t.target.label, baseline_heading(t.target.label), t.text) for t in baseline]
        told |= _standings(baseline, fit_baseline(blocks, max_bytes), Standing.BASELINE)
    if touched:
        told |= _standings(touched, fit([set_block(t) for t in touched], max_bytes), Standing.ON_TOUCH)
    return told


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
        found[last] = replace(found[last], standing=Standing.TRUNCATED, detail=f"the first {cut} bytes are shown")
    return found


def _explained(
    targets: Sequence[Target], answers: Sequence[Answer], verdict: Verdict, told: dict[Target, ExplainedFile]
) -> Iterator[ExplainedFile]:
    originals = dict(verdict.duplicates)
    failed = dict(verdict.failed)
    for target, answer in zip(targets, answers, strict=True):
        if target in told:
            yield told[target]
        elif target in originals:
            original = originals[target].label
            yield ExplainedFile(target.label, target.path, Standing.DUPLICATE, f"same text as {original}")
        elif isinstance(answer, Absent):
            yield ExplainedFile(target.label, target.path, Standing.ABSENT)
        else:
            yield _failed(target, failed.get(target, ""))


def _failed(target: Target, reason: str) -> ExplainedFile:
    match reason:
        case "too large":
            return ExplainedFile(target.label, target.path, Standing.TOO_LARGE, "larger than max_source_bytes")
        case "not text":
            return ExplainedFile(target.label, target.path, Standing.NOT_TEXT, "not UTF-8, or a NUL near its start")
        case _:
            return ExplainedFile(target.label, target.path, Standing.UNAVAILABLE, reason)
