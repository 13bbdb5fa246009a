"""What a session knows, laid out for people: what the model sees, what is on its way, what is due."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from guidefs.driver.state import SessionState
from guidefs.reconcile.effective import Loaded, Removed, State
from guidefs.values.change import Change
from guidefs.values.scope import Scope

__all__ = ["FileStatus", "Status", "status_of"]


@dataclass(frozen=True, slots=True)
class FileStatus:
    """One instruction file in a session.

    Args:
        scope: the scope.
        path: the path as the model was shown it.
        digest: the digest of the text that it was shown; `None` for a removal, or where old metadata does not say.
        action: what was said last: `set`, `replace` or `remove`.
        via: how the model has it: from the `baseline`, from a message in the `log`, from one that is `pending`.
    """

    scope: Scope
    path: str
    digest: str | None
    action: Literal["set", "replace", "remove"]
    via: Literal["baseline", "log", "pending"]


@dataclass(frozen=True, slots=True)
class Status:
    """A session at one moment, without a look at the disk.

    Args:
        root: the project root; `None` before the first touch or baseline.
        cwd: the working directory.
        visible: the files whose text the model has, in the order in which they became effective.
        removed: the files that the model was told are gone.
        pending: what was handed out and has not been seen in the log or the window.
        due: files that the model was once told of and no longer sees; the next touch tells them again.
    """

    root: str | None
    cwd: str
    visible: tuple[FileStatus, ...]
    removed: tuple[FileStatus, ...]
    pending: tuple[FileStatus, ...]
    due: tuple[FileStatus, ...]


def status_of(state: SessionState) -> Status:
    """Lay out what a session knows; its lock is held."""
    state.synchronise()
    effective, logged = state.effective(), state.logged()
    pending = tuple(_of(change, "pending") for change in state.pending.changes())
    on_their_way = {status.scope for status in pending}
    told = {change.scope: change for message in state.log.since(0)[1] for change in message.changes}
    files = [
        _standing(scope, standing, told, "log" if scope in logged else "baseline")
        for scope, standing in effective.items()
        if scope not in on_their_way
    ]
    return Status(
        root=None if state.territory is None else state.territory.root,
        cwd=state.place.cwd,
        visible=tuple(status for status in files if status.action != "remove"),
        removed=tuple(status for status in files if status.action == "remove"),
        pending=pending,
        due=tuple(_due(effective, told.values())),
    )


def _due(effective: Iterable[Scope], told: Iterable[Change]) -> Iterable[FileStatus]:
    seen = set(effective)
    return (_of(change, "log") for change in told if change.scope not in seen and change.action != "remove")


def _of(change: Change, via: Literal["baseline", "log", "pending"]) -> FileStatus:
    return FileStatus(change.scope, change.path, change.digest, change.action, via)


def _standing(scope: Scope, standing: State, told: dict[Scope, Change], via: Literal["baseline", "log"]) -> FileStatus:
    match standing:
        case Removed():
            path = told[scope].path if scope in told else scope.candidate
            return FileStatus(scope, path, None, "remove", via)
        case Loaded(path, digest):
            last = told.get(scope)
            action = last.action if last is not None and last.digest == digest and last.action != "remove" else "set"
            return FileStatus(scope, path, digest, action, via)
