"""One writer at a time for each file of a session, among threads and tasks alike."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

__all__ = ["Turns"]


class Turns:
    """Queues the writers of each file in the order in which they came.

    Models like to send several edits of one file at once. Each is based on what the one before it left, so running
    them at the same time would refuse all but one of them as stale.

    This is courtesy, not safety: what must not be lost is protected by the guard of the write. That is why a plain
    call on a thread that runs an event loop does not wait: who has the turn may need that loop to finish.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queues: dict[str, deque[Future[None]]] = {}

    @contextmanager
    def held(self, address: str) -> Iterator[None]:
        """Wait for the turn of a file in an ordinary thread."""
        place = self._join(address)
        try:
            if not _on_event_loop():
                place.result()
            yield
        finally:
            self._leave(address, place)

    @asynccontextmanager
    async def aheld(self, address: str) -> AsyncIterator[None]:
        """Wait for the turn of a file on an event loop; cancellation gives up the place in the queue."""
        place = self._join(address)
        try:
            if not place.done():
                await asyncio.wrap_future(place)
            yield
        finally:
            self._leave(address, place)

    def _join(self, address: str) -> Future[None]:
        place: Future[None] = Future()
        # From here on a waiting task that is cancelled cannot cancel the place itself; leaving the queue is enough.
        place.set_running_or_notify_cancel()
        with self._lock:
            queue = self._queues.setdefault(address, deque())
            queue.append(place)
            if queue[0] is place:
                place.set_result(None)
        return place

    def _leave(self, address: str, place: Future[None]) -> None:
        with self._lock:
            queue = self._queues[address]
            queue.remove(place)
            if not queue:
                del self._queues[address]
            elif not queue[0].done():
                queue[0].set_result(None)


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
