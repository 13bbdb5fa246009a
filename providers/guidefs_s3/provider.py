"""The provider for S3 filesystems of s3fs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

from guidefs.errors import ConfigurationError, UsageError
from guidefs.storage.failures import translated
from guidefs.storage.provider import Chunk, Guard, Limits, Presence, Written
from guidefs.values.answer import Absent, Answer, Marker, Question
from guidefs_s3.address import Address, locate
from guidefs_s3.choice import Engines
from guidefs_s3.fetch import Fetch
from guidefs_s3.freshness import Freshness
from guidefs_s3.plan import Candidate, Directories, is_new_chain
from guidefs_s3.presence import stat_object
from guidefs_s3.read import read_object
from guidefs_s3.sdk import FAILURES, S3FileSystem
from guidefs_s3.settings import Settings
from guidefs_s3.write import Writer

__all__ = ["S3Provider"]


class S3Provider:
    """Answers batches, and reads and writes files, on S3 and on stores that speak its protocol.

    Paths are those of the filesystem: `bucket/key`. One batch of up to `list_above` files, or the files of one chain of
    directories of which nothing is known yet, costs one conditional ranged GET a file, all at once; a larger one a LIST
    a directory, and a GET for what changed. Nothing is taken from the filesystem's listing cache, nor put there.
    Everything runs on the event loop that the filesystem runs on.

    Args:
        fs: an `s3fs.S3FileSystem`, in its synchronous or its asynchronous mode.
        settings: the fields of `guidefs_s3.settings.Settings`.

    Raises:
        ConfigurationError: the filesystem is not one of s3fs, or a setting is unknown or out of bounds.
    """

    SETTINGS: ClassVar[frozenset[str]] = frozenset(field.name for field in fields(Settings))

    def __init__(self, fs: Any, **settings: Any) -> None:
        if not isinstance(fs, S3FileSystem):
            raise ConfigurationError(
                f"the S3 provider needs an s3fs.S3FileSystem, not {type(fs).__name__}: choose another provider"
            )
        unknown = sorted(set(settings) - set(self.SETTINGS))
        if unknown:
            raise ConfigurationError(f"unknown S3 setting {unknown[0]!r}; there are {', '.join(self.SETTINGS)}")
        self._fs: Any = fs
        self._settings = Settings(**settings)
        self._engines = Engines(fs, self._settings.engine)
        self._directories = Directories()
        self._freshness = Freshness(self._settings.max_age_seconds, clock=self._settings.clock)
        self._writer = Writer(fs, trusting=self._settings.preconditions == "trust")

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer every question of a batch, in one wave of requests or two.

        Args:
            questions: what to ask; at most one per path and kind.
            limits: bounds on what may be read.

        Returns:
            One answer a question, in the same order.
        """
        self._check_loop()
        settled: dict[int, Answer] = {}
        open_questions: dict[int, Address] = {}
        for position, question in enumerate(questions):
            outcome = self._before_asking(question)
            if isinstance(outcome, Address):
                open_questions[position] = outcome
            else:
                settled[position] = outcome
        if open_questions:
            settled.update(await self._ask(questions, open_questions, limits))
        return [settled[position] for position in range(len(questions))]

    def _before_asking(self, question: Question | Marker) -> Address | Answer:
        recalled = self._freshness.recall(question) if isinstance(question, Question) else None
        if recalled is not None:
            return recalled
        address = locate(self._fs, question.path)
        if isinstance(address, Address) and not address.key and isinstance(question, Question):
            return Absent()  # a bucket is a directory
        return address

    async def _ask(
        self, questions: Sequence[Question | Marker], addresses: Mapping[int, Address], limits: Limits
    ) -> Mapping[int, Answer]:
        engine = await self._engines.current()
        candidates: dict[int, Candidate] = {}
        markers: dict[int, Address] = {}
        for position, address in addresses.items():
            question = questions[position]
            if isinstance(question, Question):
                candidates[position] = Candidate(question, address)
            else:
                markers[position] = address
        fetch = Fetch(
            engine,
            limits,
            directories=self._directories,
            slots=self._settings.max_concurrency or engine.slots,
            count=len(questions),
        )
        list_above = self._settings.list_above
        if list_above == "auto":
            list_above = None if is_new_chain(candidates) else engine.list_above
        answers = await fetch.run(candidates, markers, list_above=list_above)
        for position, candidate in candidates.items():
            self._freshness.learn(candidate.question, answers[position])
        return {position: answers[position] for position in addresses}

    async def astat(self, path: str) -> Presence:
        """Stat one path by a HEAD, and by a LIST if there is no such key; failures are `Unavailable`."""
        self._check_loop()
        address = locate(self._fs, path)
        if not isinstance(address, Address):
            return address
        return await stat_object(self._fs, await self._engines.current(), address)

    async def aread(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read at most `max_bytes` bytes from byte `offset` by one ranged GET.

        Errors are those of `guidefs.storage.provider.Primitives.read`, all of them typed.

        Args:
            path: the file.
            offset: where to begin, in bytes from 0; past the end the data is empty.
            max_bytes: how many bytes to read at most, 0 or more.
        """
        self._check_loop()
        with translated(path, FAILURES):
            engine = await self._engines.current()
            return await read_object(self._fs, engine, path, offset=offset, max_bytes=max_bytes)

    async def awrite(self, path: str, data: bytes, guard: Guard) -> Written:
        """Replace the whole content by one conditional PUT.

        Errors are those of `guidefs.storage.provider.Primitives.write`, all of them typed. If the service's reply was
        lost, the message says that the outcome is not known.

        Args:
            path: the file.
            data: its new content, at most 5 GiB.
            guard: what has to hold; the store itself checks it.
        """
        self._check_loop()
        try:
            with translated(path, FAILURES):
                await self._fs.set_session()
                return await self._writer.write(path, data, guard)
        finally:
            self._freshness.forget(path)

    def _check_loop(self) -> None:
        if not self._fs.asynchronous and asyncio.get_running_loop() is not self._fs.loop:
            raise UsageError(
                "this S3 filesystem runs on fsspec's own event loop: call its provider there, or make the filesystem "
                "with asynchronous=True"
            )
