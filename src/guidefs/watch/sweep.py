"""What changed on the local disk since a moment, found by looking at everything once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from guidefs.watch.changes import IGNORED_DIRECTORIES

__all__ = ["Swept", "files_named", "sweep"]

GRANULARITY_NANOSECONDS = 20_000_000
"""How far timestamps of a filesystem may lag behind the clock: Linux takes them from its last tick, 10 ms at most."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found.

    Args:
        directories: those in which something was made, written, renamed or removed, the shallowest first.
        complete: whether everything was looked at and is told.
    """

    directories: tuple[str, ...]
    complete: bool


def sweep(directory: str, since: int, *, max_entries: int, max_directories: int) -> Swept:
    """Look for what was made, written, renamed or removed in a directory since a moment.

    Links to directories are not followed, ignored directories are not entered, and what cannot be looked at is passed
    over. A directory from which something was removed counts as changed itself.

    Args:
        directory: its absolute path.
        since: the moment, in nanoseconds since the epoch on this host's clock.
        max_entries: how many files and directories are looked at.
        max_directories: how many changed directories are given.
    """
    earliest = since - GRANULARITY_NANOSECONDS
    changed: set[str] = set()
    if _changed_itself(directory, earliest):
        changed.add(directory)
    count = 0
    for entry in _entries(directory):
        count += 1
        if count > max_entries:
            break
        try:
            if entry.stat(follow_symlinks=False).st_ctime_ns < earliest:
                continue
        except OSError:
            continue  # it went meanwhile, which its directory tells
        changed.add(os.path.dirname(entry.path))
        if _is_entered(entry):
            changed.add(entry.path)  # something in it came or went
    found = sorted(changed, key=lambda path: (path.count("/"), path))
    return Swept(tuple(found[:max_directories]), count <= max_entries and len(found) <= max_directories)


def files_named(directory: str, names: frozenset[str], *, max_entries: int) -> Iterator[str]:
    """The files of some names below a directory, among the first entries of it."""
    for count, entry in enumerate(_entries(directory)):
        if count >= max_entries:
            return
        if entry.name in names:
            yield entry.path


def _entries(directory: str) -> Iterator[os.DirEntry[str]]:
    waiting = [directory]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry
                    if _is_entered(entry):
                        waiting.append(entry.path)
        except OSError:
            continue  # not there any more, or not ours to read


def _is_entered(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.name not in IGNORED_DIRECTORIES and entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _changed_itself(directory: str, earliest: int) -> bool:
    try:
        return os.stat(directory).st_ctime_ns >= earliest
    except OSError:
        return True
