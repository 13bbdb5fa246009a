"""Files named almost like a candidate, noticed where agents work."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from guidefs.driver.delivery import Report
from guidefs.driver.state import SessionState
from guidefs.reconcile.territory import Target
from guidefs.values.diagnostic import NearMiss
from guidefs.values.lookalike import Lookalikes
from guidefs.values.path import parent

__all__ = ["NearMisses"]


class NearMisses:
    """Reports each near miss of a session once.

    Looked at are the names of touched files and, where the backend lists a directory without a round trip, the names
    in each directory when it is first reached. It never asks a remote backend anything.

    Args:
        state: what the session knows.
        names: the names in a directory, as far as they cost no round trip.
        report: what to do with diagnostics.
    """

    def __init__(self, state: SessionState, names: Callable[[str], Collection[str]], report: Report) -> None:
        self._state = state
        self._names = names
        self._report = report
        self._lookalikes = Lookalikes(state.config.names_in_order)
        self._looked_at: set[str] = set()
        self._reported: set[str] = set()

    def look(self, touched: Iterable[str]) -> None:
        """Look at the directories that some touched paths lead through, and at their own names.

        It costs next to nothing where all of them were looked at before.
        """
        paths = [path for path in touched if self._is_new(path)]
        if not paths and self._looked_at:
            return
        with self._state.lock:
            fresh = self._reached(paths)
            self._looked_at.update(map(_directory, paths), fresh)
        for directory, target in fresh.items():
            self._notice(target, self._names(directory))
        for path in paths:
            holder = fresh.get(_directory(path))
            if holder is not None:
                self._notice(holder, (_name(path),))

    def _is_new(self, path: str) -> bool:
        return _directory(path) not in self._looked_at or self._lookalikes.meant_by(_name(path)) is not None

    def _reached(self, paths: Iterable[str]) -> dict[str, Target]:
        """A target in each directory that paths lead through, for those that are new or hold a near miss itself."""
        territory = self._state.territory
        if territory is None:
            return {}
        keys = dict.fromkeys(territory.baseline_directories())
        for path in paths:
            keys.update(dict.fromkeys(territory.touched_directories(path)))
        wanted = {_directory(path) for path in paths}
        found: dict[str, Target] = {}
        for target in territory.targets(keys):
            directory = _directory(target.path)
            if not target.home and (directory in wanted or directory not in self._looked_at):
                found.setdefault(directory, target)
        return found

    def _notice(self, target: Target, names: Iterable[str]) -> None:
        for name in sorted(names):
            candidate = self._lookalikes.meant_by(name)
            label = target.label.removesuffix(target.scope.candidate) + name
            if candidate is not None and label not in self._reported:
                self._reported.add(label)
                self._report(NearMiss(label, candidate))


def _directory(path: str) -> str:
    return parent(path) or ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]
