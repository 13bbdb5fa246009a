"""Where news of changes comes from; a trigger to look again, never the truth."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from guidefs.errors import MissingExtraError, WatchError

__all__ = ["IGNORED_DIRECTORIES", "ChangeSource", "FileEvents", "Polling", "is_ignored"]

IGNORED_DIRECTORIES: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache", ".idea"}
)
"""Directories whose inside programs write at will: what changes there is no news."""

_HEARTBEAT_MILLISECONDS = 100
_LOOK_SECONDS = 10.0
"""How often everything that is known is looked at beside events, which do not tell of links out of a directory."""

_MOST_FAILURES = 5
"""So many times in a row it begins to listen in vain."""

_BURST = 4_096
"""So many events at once may have been more than the operating system keeps (16,384 in one queue, on Linux)."""


_log = logging.getLogger("guidefs")


class ChangeSource(Protocol):
    """Tells that something changed. It may tell too much, late, or nothing at all."""

    def changes(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Wait for changes, in a thread of its own, until told to stop.

        The first item comes as soon as it listens: what changed before it has to be found by looking.

        Args:
            stop: set when nobody listens any more; it is looked at about once a second or sooner.

        Yields:
            Absolute paths that changed, came or went; the empty set where it is not known what did.

        Raises:
            WatchError: it cannot listen.
        """
        ...


class FileEvents:
    """The events of the operating system for some directories of the local disk and everything below them.

    Events get lost: where a queue runs over, where a directory is exchanged for another one, beyond links. Therefore
    many events at once, and a directory that is exchanged, lead to a search of everything; and every 10 seconds it says
    that what is known has to be looked at.

    Args:
        directories: absolute paths of directories that exist.
        look_seconds: the interval of that, in seconds, above 0.
        burst: how many changed paths at once lead to a search.

    Raises:
        MissingExtraError: watchfiles is not installed.
    """

    def __init__(self, directories: Sequence[str], *, look_seconds: float = _LOOK_SECONDS, burst: int = _BURST) -> None:
        try:
            import watchfiles  # noqa: F401 - only whether it is there
        except ImportError as error:
            raise MissingExtraError(
                "events of the local disk need watchfiles: pip install 'guidefs[watch]', or give poll_seconds"
            ) from error
        self._directories = tuple(directories)
        self._look_seconds = look_seconds
        self._burst = burst

    def changes(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Wait for events; those inside of ignored directories are left out.

        Raises:
            WatchError: the operating system refuses, for instance because too many directories are watched.
        """
        first, directories, failures, has_begun = frozenset[str](), self._directories, 0, False
        while not stop.is_set():
            try:
                for paths in self._events(directories, first, stop):
                    failures, has_begun = 0, True
                    yield paths
            except OSError as error:
                if not has_begun:
                    raise WatchError(
                        f"{', '.join(directories)} cannot be watched ({error}); give poll_seconds to look at intervals"
                    ) from error
                # A directory went as the listening began anew.
            except RuntimeError as error:
                failures += 1
                if failures >= _MOST_FAILURES:
                    _log.warning("no events of %s (%s); searching it at intervals", ", ".join(directories), error)
                    yield from self._searches(stop)
                # A name that is not UTF-8 ends the listening.
            first = frozenset(self._directories)
            directories = self._existing()
            while not directories and not stop.wait(_HEARTBEAT_MILLISECONDS / 1_000):
                directories = self._existing()

    def _events(
        self, directories: Sequence[str], first: frozenset[str], stop: threading.Event
    ) -> Iterator[frozenset[str]]:
        """Wait for events of directories until told to stop, or until one of them is another one.

        Args:
            directories: which.
            first: what to say once it listens.
            stop: set when nobody listens any more.
        """
        import watchfiles

        identities, looked = self._identities(), None
        for events in watchfiles.watch(
            *directories,
            watch_filter=None,
            stop_event=stop,
            rust_timeout=_HEARTBEAT_MILLISECONDS,
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            paths = self._news(path for _, path in events)
            if len(events) >= self._burst:
                paths |= frozenset(directories)
            if paths:
                yield paths
            if looked is None or time.monotonic() - looked >= self._look_seconds:
                # The first time that something, or nothing for a while, happened, it listens.
                yield first if looked is None else frozenset()
                looked = time.monotonic()
            if self._identities() != identities:
                return

    def _searches(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Say at once, and then at each interval, that everything has to be searched."""
        yield frozenset(self._directories)
        while not stop.wait(self._look_seconds):
            yield frozenset(self._directories)

    def _existing(self) -> tuple[str, ...]:
        return tuple(filter(os.path.isdir, self._directories))

    def _news(self, paths: Iterator[str]) -> frozenset[str]:
        return frozenset(path for path in paths if not is_ignored(path, self._directories))

    def _identities(self) -> list[tuple[int, int] | None]:
        return [_identity(directory) for directory in self._directories]


class Polling:
    """No news at all: it says at intervals that everything has to be looked at.

    Args:
        poll_seconds: the interval, in seconds, above 0.
    """

    def __init__(self, poll_seconds: float) -> None:
        self._poll_seconds = poll_seconds

    def changes(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Say at once, and then at each interval, that something may have changed."""
        yield frozenset()
        while not stop.wait(self._poll_seconds):
            yield frozenset()


def is_ignored(path: str, directories: Sequence[str]) -> bool:
    """Whether a path lies inside of an ignored directory below one of some directories."""
    below = next((path[len(root) :] for root in directories if path.startswith(f"{root.rstrip('/')}/")), "")
    return not IGNORED_DIRECTORIES.isdisjoint(below.split("/")[:-1])


def _identity(directory: str) -> tuple[int, int] | None:
    """Which directory a path leads to; `None` for none."""
    try:
        found = os.stat(directory)
    except OSError:
        return None
    return found.st_dev, found.st_ino
