"""A session played from the command line, event by event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from guidefs.cli.overlay import Overlay
from guidefs.driver.engine import Stats
from guidefs.values.answer import Absent
from guidefs.values.context import Context
from guidefs.values.diagnostic import Diagnostic
from guidefs.workspace.session import Session
from guidefs.workspace.workspace import Workspace

__all__ = ["Cost", "Event", "Simulation"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one event asked of the backend and added to the conversation.

    Args:
        round_trips: batches of questions.
        paths: paths examined.
        reads: contents read.
        bytes: the size of what was attached, in UTF-8 bytes.
    """

    round_trips: int
    paths: int
    reads: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a simulated session.

    Args:
        kind: what happened.
        path: the path that it happened to, as it was given; empty for the baseline.
        contexts: the messages that the model gets with it.
        cost: what that took; `None` for a change of the overlay.
        diagnostics: what a host would be told beside.
        exists: whether a touched path exists; `None` where that was not asked.
    """

    kind: Literal["baseline", "touch", "edit", "rm"]
    path: str
    contexts: tuple[Context, ...] = ()
    cost: Cost | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    exists: bool | None = None


class Simulation:
    """A session over a workspace that is never written.

    Args:
        workspace: the workspace; what it asks goes through an overlay.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._overlay = Overlay(workspace.storage)
        self._diagnostics: list[Diagnostic] = []
        self._session: Session = workspace.over(self._overlay).session("simulation", on_event=self._diagnostics.append)

    def play(self, script: Sequence[tuple[str, str]]) -> Iterator[Event]:
        """Play the baseline, then a script of touches, edits and removals in order.

        Raises:
            GuideError: the workspace cannot be used.
        """
        yield self._measured("baseline", "", self._baseline)
        for kind, value in script:
            if kind == "touch":
                yield self._measured("touch", value, lambda path=value: self._touch(path))
            elif kind == "edit":
                path, _, text = value.partition("=")
                self._overlay.edit(self._absolute(path), text)
                yield Event("edit", path)
            else:
                self._overlay.remove(self._absolute(value))
                yield Event("rm", value)

    def _baseline(self) -> tuple[tuple[Context, ...], bool | None]:
        self._workspace.check_directory()
        prefix = self._session.prefix()
        return (() if prefix is None else (prefix,)), None

    def _touch(self, path: str) -> tuple[tuple[Context, ...], bool | None]:
        with self._session.call() as call:
            call.touch(path, "read")
        self._session.confirm()
        return call.contexts, not isinstance(self._workspace.storage.stat(self._absolute(path)), Absent)

    def _measured(self, kind: Literal["baseline", "touch"], path: str, happen: Any) -> Event:
        before = self._session.stats
        self._diagnostics.clear()
        contexts, exists = happen()
        cost = _cost(before, self._session.stats, contexts)
        return Event(kind, path, contexts, cost, tuple(self._diagnostics), exists)

    def _absolute(self, path: str) -> str:
        return self._workspace.address.resolve(path) or path


def _cost(before: Stats, after: Stats, contexts: tuple[Context, ...]) -> Cost:
    return Cost(
        after.batches - before.batches,
        after.stats - before.stats,
        after.reads - before.reads,
        sum(len(context.text.encode("utf-8", "surrogatepass")) for context in contexts),
    )
