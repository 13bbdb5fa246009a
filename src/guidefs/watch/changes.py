"""Where news of changes comes from; a trigger to look again, never the truth."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from guidefs.errors import MissingExtraError, WatchError

__all__ = ["IGNORED_DIRECTORIES", "ChangeSource", "FileEvents", "Polling", "is_ignored"]

IGNORED_DIRECTORIES: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache", ".idea"}
)
"""Directories whose inside programs write at will: what changes there is no news."""

_HEARTBEAT_MILLISECONDS = 100


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

    Args:
        directories: absolute paths of directories that exist.

    Raises:
        MissingExtraError: watchfiles is not installed.
    """

    def __init__(self, directories: Sequence[str]) -> None:
        try:
            import watchfiles  # noqa: F401 - only whether it is there
        except ImportError as error:
            raise MissingExtraError(
                "events of the local disk need watchfiles: pip install 'guidefs[watch]', or give poll_seconds"
            ) from error
        self._directories = tuple(directories)

    def changes(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Wait for events; those inside of ignored directories are left out.

        Raises:
            WatchError: the operating system refuses, for instance because too many directories are watched.
        """
        import watchfiles

        begun = False
        try:
            for events in watchfiles.watch(
                *self._directories,
                watch_filter=None,
                stop_event=stop,
                rust_timeout=_HEARTBEAT_MILLISECONDS,
                yield_on_timeout=True,
                raise_interrupt=False,
            ):
                paths = frozenset(path for _, path in events if not is_ignored(path, self._directories))
                if paths or not begun:
                    # The first time that nothing happened for a while it listens.
                    yield paths if begun else frozenset()
                    begun = True
        except (OSError, RuntimeError) as error:
            raise WatchError(
                f"{', '.join(self._directories)} cannot be watched ({error}); give poll_seconds to look at intervals"
            ) from error


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
