"""A source of changes that a test speaks for."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

__all__ = ["ScriptedChanges"]

_LOOK_SECONDS = 0.05


class ScriptedChanges:
    """Tells a watch exactly what a test says, and nothing of what really happens: lost events are those not told."""

    def __init__(self) -> None:
        self._told: queue.SimpleQueue[frozenset[str] | Exception] = queue.SimpleQueue()
        self.stopped = threading.Event()
        """Set once nobody listens any more."""

    def tell(self, *paths: str) -> None:
        """Say that some paths changed; none means that anything may have."""
        self._told.put(frozenset(paths))

    def fail(self, error: Exception) -> None:
        """Give up with an error, once everything that was told is taken."""
        self._told.put(error)

    def changes(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Give what was told, in order; what it raises is what the test said."""
        yield frozenset()
        try:
            while not stop.is_set():
                try:
                    told = self._told.get(timeout=_LOOK_SECONDS)
                except queue.Empty:
                    continue
                if isinstance(told, Exception):
                    raise told
                yield told
        finally:
            self.stopped.set()
