"""The grouping of requests by what depends on what."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["Wave"]


class Wave:
    """Holds requests back until all that do not depend on one another have arrived.

    Attributes:
        number: the number of the wave that is filling, from 1.
        under_way: how many requests of earlier waves are not answered yet; whoever sends one on counts it.
    """

    def __init__(self) -> None:
        self.number = 1
        self.under_way = 0
        self._expected: deque[int] = deque()
        self._arrivals = 0
        self._released = asyncio.Event()

    def expect(self, sizes: Sequence[int]) -> None:
        """Say how many requests each of the next waves will have; beyond those, waves have to settle."""
        self._expected = deque(sizes)

    async def settled(self, settle_seconds: float) -> None:
        """Wait until the wave is complete: as large as expected, or quiet for a while after the one before."""
        released = self._released
        self._arrivals += 1
        arrivals = self._arrivals
        if self._expected and arrivals >= self._expected[0]:
            self._release()
        while not released.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(released.wait(), settle_seconds)
            # The last one to arrive speaks for all.
            if arrivals == self._arrivals and not self.under_way and not released.is_set():
                self._release()

    def _release(self) -> None:
        if self._expected:
            self._expected.popleft()
        self.number += 1
        self._arrivals = 0
        self._released.set()
        self._released = asyncio.Event()
