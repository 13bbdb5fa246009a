"""A session played from the command line, event by event."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fsspec.implementations.local import LocalFileSystem

from guidefs.cli.opening import resolved
from guidefs.cli.overlay import Overlay
from guidefs.driver.engine import Stats
from guidefs.log.session_log import SessionLog
from guidefs.storage.provider import Presence
from guidefs.values.context import Context
from guidefs.values.diagnostic import Diagnostic
from guidefs.values.digest import frame_fingerprint
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
    """One thing that happened in a session that is shown.

    Args:
        kind: what happened.
        path: the path that it happened to, as it was given; empty for the baseline and for changes from outside.
        contexts: the messages that the model gets with it.
        cost: what that took; `None` for a change of the overlay, and where it is not measured.
        diagnostics: what a host would be told beside.
        presence: what a touched path leads to; `None` where that was not asked.
        reused: whether the baseline is the one that the model sees already.
    """

    kind: Literal["baseline", "touch", "edit", "rm", "change"]
    path: str
    contexts: tuple[Context, ...] = ()
    cost: Cost | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    presence: Presence | None = None
    reused: bool = False


class Simulation:
    """A session over a workspace that is never written.

    Args:
        workspace: the workspace; what it asks goes through an overlay.
        log: the messages so far; left out, there are none.
    """

    def __init__(self, workspace: Workspace, log: SessionLog | None = None) -> None:
        self._inner = workspace
        on_disk = isinstance(workspace.address.fs, LocalFileSystem)
        self._overlay = Overlay(workspace.storage, real=os.path.realpath) if on_disk else Overlay(workspace.storage)
        self._workspace = workspace.over(self._overlay)
        self._diagnostics: list[Diagnostic] = []
        self._session = self._workspace.session("simulation", log=log, on_event=self._diagnostics.append)

    def play(self, script: Sequence[tuple[str, str]]) -> Iterator[Event]:
        """Play the baseline, then a script of touches, edits and removals in order.

        Args:
            script: pairs of `touch`, `edit` or `rm` with its value: a path, for `edit` a path, `=` and the text.

        Raises:
            GuideError: the workspace cannot be used, or a path is none; nothing was played.
        """
        steps = [self._step(kind, value) for kind, value in script]
        self._inner.check_directory()
        logged = {message.frame for message in self._session.log.baselines()}
        yield _without_known(self._measured("baseline", "", self._baseline), logged)
        for step in steps:
            yield step()

    def _step(self, kind: str, value: str) -> Callable[[], Event]:
        given, _, text = value.partition("=") if kind == "edit" else (value, "", "")
        path = resolved(self._inner, given)
        if kind == "touch":
            return lambda: self._touched(given, path)
        return lambda: self._changed(given, path, text if kind == "edit" else None)

    def _changed(self, given: str, path: str, text: str | None) -> Event:
        if text is None:
            self._overlay.remove(path)
            return Event("rm", given)
        self._overlay.edit(path, text)
        return Event("edit", given)

    def _touched(self, given: str, path: str) -> Event:
        presence = self._workspace.storage.stat(path) if self._workspace.config.enabled else None
        return self._measured("touch", given, lambda: self._touch(given), presence)

    def _touch(self, path: str) -> tuple[Context, ...]:
        with self._session.call() as call:
            call.touch(path, "read")
        self._session.confirm()
        return call.contexts

    def _baseline(self) -> tuple[Context, ...]:
        prefix = self._session.prefix()
        found = self._session.take()
        self._session.confirm()
        return found if prefix is None else (prefix, *found)

    def _measured(
        self,
        kind: Literal["baseline", "touch"],
        path: str,
        happen: Callable[[], tuple[Context, ...]],
        presence: Presence | None = None,
    ) -> Event:
        before = self._session.stats
        self._diagnostics.clear()
        contexts = happen()
        return Event(
            kind, path, contexts, _cost(before, self._session.stats, contexts), tuple(self._diagnostics), presence
        )


def _without_known(event: Event, logged: Collection[str]) -> Event:
    """The event of a baseline without the message itself, where the log shows it already."""
    if event.cost is None or not event.contexts or frame_fingerprint(event.contexts[0].text) not in logged:
        return event
    rest = event.contexts[1:]
    return replace(event, contexts=rest, cost=replace(event.cost, bytes=_size(rest)), reused=True)


def _cost(before: Stats, after: Stats, contexts: tuple[Context, ...]) -> Cost:
    return Cost(after.batches - before.batches, after.stats - before.stats, after.reads - before.reads, _size(contexts))


def _size(contexts: tuple[Context, ...]) -> int:
    return sum(len(context.text.encode("utf-8", "surrogatepass")) for context in contexts)
