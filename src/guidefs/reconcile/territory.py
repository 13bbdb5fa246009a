"""Where the file of each scope lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from guidefs.values.path import descend, join, relative
from guidefs.values.scope import PROJECT_ROOT, USER_GLOBAL, Scope, directory_key, directory_path

__all__ = ["HOME_CANDIDATE", "HomeFile", "Target", "Territory"]

HOME_CANDIDATE: Final = "AGENTS.md"


@dataclass(frozen=True, slots=True)
class HomeFile:
    """The directory of the user-global file.

    Args:
        directory: its absolute path on the filesystem that holds it.
        label: how the directory is shown.
        shared: whether that filesystem is the workspace's own, so that both may reach one file.
    """

    directory: str
    label: str
    shared: bool


@dataclass(frozen=True, slots=True)
class Target:
    """One file to examine for one scope.

    Args:
        scope: the scope.
        path: the absolute path on the filesystem that holds it.
        label: the path as metadata holds it: relative to the project root, or below the label of the home directory.
        home: whether it lies on the home's filesystem rather than on the workspace's.
    """

    scope: Scope
    path: str
    label: str
    home: bool


@dataclass(frozen=True, slots=True)
class Territory:
    """The directories of one run, fixed when its project root is.

    Args:
        root: the project root, absolute.
        cwd: the working directory, absolute, in the root or below.
        names: the file names looked for in each project directory, in order.
        home: where the user-global file lies; `None` where there is none.
    """

    root: str
    cwd: str
    names: tuple[str, ...]
    home: HomeFile | None

    def baseline_directories(self) -> list[str]:
        """The directory keys of the baseline: user-global, then the root, down to the working directory."""
        inner = [*descend(self.root, self.cwd), self.cwd] if self.cwd != self.root else []
        return [USER_GLOBAL, PROJECT_ROOT, *map(self._key, inner)]

    def touched_directories(self, path: str) -> list[str]:
        """The directory keys strictly below the working directory, down to the parent of a touched path."""
        return [self._key(directory) for directory in descend(self.cwd, path)]

    def targets(self, directories: Iterable[str]) -> list[Target]:
        """The files to examine in some directories, in order; a path that was reached before is left out."""
        found: list[Target] = []
        reached: set[tuple[bool, str]] = set()
        for directory in dict.fromkeys(directories):
            for target in self._in_directory(directory):
                place = (target.home, target.path)
                if place not in reached:
                    reached.add(place)
                    found.append(target)
        return found

    def _in_directory(self, key: str) -> Iterable[Target]:
        if key == USER_GLOBAL:
            return self._home_target()
        below = directory_path(key)
        if below is None:
            return ()
        directory = join(self.root, below)
        shown = "" if below == PROJECT_ROOT else f"{below}/"
        return [Target(Scope(key, name), join(directory, name), f"{shown}{name}", home=False) for name in self.names]

    def _home_target(self) -> Iterable[Target]:
        if self.home is None:
            return ()
        scope = Scope(USER_GLOBAL, HOME_CANDIDATE)
        label = f"{self.home.label}/{HOME_CANDIDATE}"
        return (Target(scope, join(self.home.directory, HOME_CANDIDATE), label, home=not self.home.shared),)

    def _key(self, directory: str) -> str:
        below = relative(directory, self.root)
        return directory_key(below if below is not None else PROJECT_ROOT)
