"""Changes on their way from the thread where they are noticed to whoever waits for them."""

from __future__ import annotations

import asyncio
import threading
import weakref
from dataclasses import dataclass
from typing import TypeAlias

from guidefs.watch.changes import ChangeSource

__all__ = ["Closed", "Failed", "News", "Outcome", "Pump"]

_PATIENCE_SECONDS = 10
"""How long a source may take until it listens; one that takes longer is not waited for."""


@dataclass(frozen=True, slots=True)
class News:
    """Something changed.

    Args:
        paths: what.
        everything: whether more may have changed than the paths.
    """

    paths: frozenset[str]
    everything: bool


@dataclass(frozen=True, slots=True)
class Closed:
    """Nothing more will come."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The source gave up.

    Args:
        error: why.
    """

    error: Exception


Outcome: TypeAlias = News | Closed | Failed


class Pump:
    """Listens to a source in a thread, and keeps together what comes while nobody waits.

    The thread ends when the pump is closed or no longer referred to.

    Args:
        source: where changes come from.
    """

    def __init__(self, source: ChangeSource) -> None:
        self._box = _Box()
        thread = threading.Thread(target=_listen, args=(source, self._box), name="guidefs-watch", daemon=True)
        self._finalizer = weakref.finalize(self, self._box.close)
        thread.start()

    def begin(self) -> None:
        """Wait in this thread until the source listens, or has failed, which takes up to a fraction of a second."""
        self._box.begun.wait(_PATIENCE_SECONDS)

    def close(self) -> None:
        """Stop listening; who waits gets `Closed`."""
        self._finalizer()

    def put_back(self, news: News) -> None:
        """Give back what was taken and is not done with; it comes again."""
        if news.everything:
            self._box.put(frozenset())
        self._box.put(news.paths)

    def wait(self) -> Outcome:
        """Wait in this thread for what comes next."""
        return self._box.take()

    async def await_next(self) -> Outcome:
        """Wait on an event loop for what comes next; a cancellation loses nothing."""
        while (outcome := self._box.poll()) is None:
            loop = asyncio.get_running_loop()
            arrival = loop.create_future()
            wake = _Wake(loop, arrival)
            self._box.on_arrival(wake)
            try:
                await arrival
            finally:
                self._box.forget(wake)
        return outcome


class _Wake:
    """Wakes a task of an event loop from any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, arrival: asyncio.Future[None]) -> None:
        self._loop = loop
        self._arrival = arrival

    def __call__(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._arrive)
        except RuntimeError:
            return  # the loop is closed, and nobody waits on it any more

    def _arrive(self) -> None:
        if not self._arrival.done():
            self._arrival.set_result(None)


class _Box:
    """What has come and was not taken."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.begun = threading.Event()
        self._condition = threading.Condition()
        self._paths: set[str] = set()
        self._everything = False
        self._error: Exception | None = None
        self._wakes: list[_Wake] = []

    def put(self, paths: frozenset[str]) -> None:
        with self._condition:
            self._paths |= paths
            self._everything |= not paths
            self._notify()

    def fail(self, error: Exception) -> None:
        with self._condition:
            self._error = error
            self._notify()

    def close(self) -> None:
        with self._condition:
            self.stop.set()
            self._notify()

    def take(self) -> Outcome:
        with self._condition:
            while (outcome := self._ready()) is None:
                self._condition.wait()
            return outcome

    def poll(self) -> Outcome | None:
        with self._condition:
            return self._ready()

    def on_arrival(self, wake: _Wake) -> None:
        with self._condition:
            self._wakes.append(wake)
            if self._has_any():
                self._notify()

    def forget(self, wake: _Wake) -> None:
        with self._condition:
            if wake in self._wakes:
                self._wakes.remove(wake)

    def _has_any(self) -> bool:
        return bool(self._paths or self._everything or self._error or self.stop.is_set())

    def _ready(self) -> Outcome | None:
        if self.stop.is_set():
            return Closed()
        if self._paths or self._everything:
            news = News(frozenset(self._paths), self._everything)
            self._paths, self._everything = set(), False
            return news
        return None if self._error is None else Failed(self._error)

    def _notify(self) -> None:
        self.begun.set()
        self._condition.notify_all()
        for wake in self._wakes:
            wake()
        self._wakes = []


def _listen(source: ChangeSource, box: _Box) -> None:
    try:
        for paths in source.changes(box.stop):
            box.put(paths)
            if box.stop.is_set():
                return
    except Exception as error:  # noqa: BLE001 - it is raised to whoever waits
        box.fail(error)
