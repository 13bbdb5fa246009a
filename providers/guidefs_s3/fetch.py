"""The requests of one batch, in at most two waves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from guidefs.storage.failures import describe
from guidefs.storage.provider import Limits
from guidefs.storage.text import decode, read_bound
from guidefs.values.answer import Absent, Answer, Question, Text, TooLarge, Unavailable, Unchanged
from guidefs_s3.address import Address, Directory
from guidefs_s3.engine import Engine
from guidefs_s3.plan import Candidate, Candidates, Directories, plan
from guidefs_s3.presence import has_name
from guidefs_s3.reply import Body, Entry, Failed, GetReply, Listed, Missing, NotModified, Refused, Withheld
from guidefs_s3.shares import Shares
from guidefs_s3.version import same_content

__all__ = ["Fetch"]


class Fetch:
    """Asks one batch.

    Args:
        engine: who sends the requests.
        limits: the bounds of the batch.
        directories: what is known about directories; it is added to.
        slots: how many requests may be under way at once.
        count: the number of questions in the batch.
    """

    def __init__(self, engine: Engine, limits: Limits, *, directories: Directories, slots: int, count: int) -> None:
        self._engine = engine
        self._limits = limits
        self._directories = directories
        self._slots = asyncio.Semaphore(slots)
        self._shares = Shares(count, limits)

    async def run(
        self, candidates: Candidates, markers: Mapping[int, Address], *, list_above: int | None
    ) -> Sequence[Answer]:
        """Ask, and return all answers in order.

        Args:
            candidates: the files to ask for, by position.
            markers: the names to look for, by position.
            list_above: up to this many candidates, each is asked for by itself; `None` for any number.
        """
        chosen = plan(candidates, list_above=list_above, directories=self._directories)
        await _together(
            [
                *(self._mark(position, address) for position, address in markers.items()),
                *(self._ask(position, chosen.single[position]) for position in _specific_first(chosen.single)),
                *(self._list(directory, chosen.listed[directory]) for directory in reversed(list(chosen.listed))),
            ]
        )
        return self._shares.answers()

    async def _mark(self, position: int, address: Address) -> None:
        async with self._slots:
            self._shares.settle(position, await has_name(self._engine, address))

    async def _ask(self, position: int, candidate: Candidate) -> None:
        async with self._slots:
            reply = await self._engine.get(
                candidate.address,
                known=candidate.question.known,
                max_bytes=read_bound(self._limits),
                admit=partial(self._admit, position),
            )
            answer = self._answer(candidate.question, reply)
            if answer is None:
                self._shares.refuse(position)
            else:
                self._shares.settle(position, answer)

    def _admit(self, position: int, size: int | None) -> bool:
        if self._is_too_large(size):
            return False
        return self._shares.reserve(position, self._limits.max_source_bytes if size is None else size)

    def _is_too_large(self, size: int | None) -> bool:
        return size is not None and size > self._limits.max_source_bytes

    def _answer(self, question: Question, reply: GetReply) -> Answer | None:
        match reply:
            case Body(version, size, data):
                return decode(data, version, self._limits, size=size)
            case Withheld(version, size):
                return TooLarge(version, size) if self._is_too_large(size) else None
            case NotModified():
                if question.known is None:
                    return Unavailable("the store answered 'not modified' to a request without a condition")
                return Unchanged()
            case Missing():
                return Absent()
            case Failed(error):
                return Unavailable(describe(error))

    async def _list(self, directory: Directory, candidates: Candidates) -> None:
        async with self._slots:
            expected = self._directories.expected_names(directory)
            listing = await self._engine.list(directory, expected_names=expected)
        match listing:
            case Listed():
                self._directories.learn(directory, listing)
                await self._ask_all(self._settle_listed(listing, candidates))
            case Refused():
                self._directories.close(directory.bucket)
                await self._ask_all(candidates)
            case Failed(error):
                for position in candidates:
                    self._shares.settle(position, Unavailable(describe(error)))

    def _settle_listed(self, listing: Listed, candidates: Candidates) -> Candidates:
        """Settle what a listing answers and return the rest."""
        left: dict[int, Candidate] = {}
        for position, candidate in candidates.items():
            entry = listing.objects.get(candidate.address.key)
            answer = self._listed_answer(candidate.question, entry, complete=listing.complete)
            if answer is None:
                left[position] = candidate
            else:
                self._shares.settle(position, answer)
        return left

    def _listed_answer(self, question: Question, entry: Entry | None, *, complete: bool) -> Answer | None:
        if entry is None:
            return Absent() if complete else None
        if entry.version is None:
            return None
        if same_content(entry.version, question.known):
            return Unchanged()
        if self._is_too_large(entry.size):
            return TooLarge(entry.version, entry.size)
        return Text(entry.version, "") if entry.size == 0 else None

    async def _ask_all(self, candidates: Candidates) -> None:
        await _together(self._ask(position, candidates[position]) for position in _specific_first(candidates))


def _specific_first(candidates: Candidates) -> Iterable[int]:
    """The positions from the last to the first: the most specific files come last, and room is theirs first."""
    return sorted(candidates, reverse=True)


async def _together(steps: Iterable[Coroutine[Any, Any, None]]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for step in steps:
                group.create_task(step)
    except BaseExceptionGroup as errors:
        # A failure of the backend is an answer, so what arrives here is a mistake, and one is enough to report.
        raise errors.exceptions[0] from None
