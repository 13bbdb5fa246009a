"""Calls that end at the same time share one fetch."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from guidefs.driver.reconciliation import Job

__all__ = ["AsyncRounds", "ThreadRounds"]


class _Fate(Enum):
    """What a waiting call is told."""

    DONE = "another call's fetch covered this one"
    LEAD = "it is this call's turn to fetch, for all that wait"


class _Signal(Protocol):
    """A place where one waiting call is told its fate, once."""

    def tell(self, fate: _Fate) -> bool:
        """Tell it; false where nobody waits any more."""
        ...


class _ThreadSignal:
    def __init__(self) -> None:
        self._told = threading.Event()
        self.fate: _Fate | None = None

    def tell(self, fate: _Fate) -> bool:
        self.fate = fate
        self._told.set()
        return True

    def wait(self) -> _Fate | None:
        self._told.wait()
        return self.fate


class _TaskSignal:
    def __init__(self) -> None:
        self.future: asyncio.Future[_Fate] = asyncio.get_running_loop().create_future()

    def tell(self, fate: _Fate) -> bool:
        if self.future.done():
            return False
        self.future.set_result(fate)
        return True

    @property
    def fate(self) -> _Fate | None:
        return self.future.result() if self.future.done() and not self.future.cancelled() else None


S = TypeVar("S", bound=_Signal)


class _Queue(Generic[S]):
    """Who fetches and who waits. A fetch never covers a call that ended after it began, since it may have missed what
    that call wrote; such a call waits for the next one, and so do all that come meanwhile.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._led = False
        self._waiting: deque[tuple[Job, S]] = deque()

    def enter(self, job: Job, signal: Callable[[], S]) -> S | None:
        """Come to lead (`None`), or to wait at a signal."""
        with self._lock:
            if not self._led:
                self._led = True
                return None
            waiter = signal()
            self._waiting.append((job, waiter))
            return waiter

    def begin(self) -> list[tuple[Job, S]]:
        """Take all that wait into the fetch that begins."""
        with self._lock:
            taken = list(self._waiting)
            self._waiting.clear()
            return taken

    def finish(self, covered: Sequence[tuple[Job, S]]) -> None:
        """Tell those that were covered, and pass the lead on."""
        for _, signal in covered:
            signal.tell(_Fate.DONE)
        self._pass_on()

    def give_up(self, taken: Sequence[tuple[Job, S]]) -> None:
        """Put those that were taken back to the front, and pass the lead on."""
        with self._lock:
            self._waiting.extendleft(reversed(taken))
        self._pass_on()

    def leave(self, job: Job) -> None:
        """Wait no longer."""
        with self._lock:
            job.abandoned = True
            self._waiting = deque(waiter for waiter in self._waiting if waiter[0] is not job)

    def _pass_on(self) -> None:
        with self._lock:
            while self._waiting:
                if self._waiting.popleft()[1].tell(_Fate.LEAD):
                    return
            self._led = False


class ThreadRounds:
    """Shares fetches between the threads of one session.

    Args:
        run: reconciles some jobs with one fetch.
    """

    def __init__(self, run: Callable[[Sequence[Job]], None]) -> None:
        self._run = run
        self._queue: _Queue[_ThreadSignal] = _Queue()

    def submit(self, job: Job) -> None:
        """Reconcile a job, alone or together with others that wait; what the fetch raises passes through."""
        if _runs_event_loop():
            # Waiting here could keep the very loop from running that the other call's fetch needs.
            self._run([job])
            return
        signal = self._queue.enter(job, _ThreadSignal)
        if signal is not None and self._await(job, signal) is _Fate.DONE:
            return
        taken = self._queue.begin()
        try:
            self._run([job, *(other for other, _ in taken)])
        except BaseException:
            self._queue.give_up(taken)
            raise
        self._queue.finish(taken)

    def _await(self, job: Job, signal: _ThreadSignal) -> _Fate | None:
        try:
            return signal.wait()
        except BaseException:
            self._queue.leave(job)
            if signal.fate is _Fate.LEAD:
                self._queue.give_up([])
            raise


class AsyncRounds:
    """Shares fetches between the tasks of one session, on each event loop apart.

    Args:
        run: reconciles some jobs with one fetch.
    """

    def __init__(self, run: Callable[[Sequence[Job]], Coroutine[Any, Any, None]]) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._queues: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue[_TaskSignal]] = (
            weakref.WeakKeyDictionary()
        )

    async def submit(self, job: Job) -> None:
        """Reconcile a job, alone or together with others that wait; a cancelled task leaves the others unharmed."""
        queue = self._queue()
        signal = queue.enter(job, _TaskSignal)
        if signal is not None and await self._await(queue, job, signal) is _Fate.DONE:
            return
        taken = queue.begin()
        try:
            await self._run([job, *(other for other, _ in taken)])
        except BaseException:
            queue.give_up(taken)
            raise
        queue.finish(taken)

    async def _await(self, queue: _Queue[_TaskSignal], job: Job, signal: _TaskSignal) -> _Fate:
        try:
            return await signal.future
        except BaseException:
            queue.leave(job)
            if signal.fate is _Fate.LEAD:
                queue.give_up([])
            raise

    def _queue(self) -> _Queue[_TaskSignal]:
        loop = asyncio.get_running_loop()
        with self._lock:
            return self._queues.setdefault(loop, _Queue())


def _runs_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
