"""A session that is told of changes without any call."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from fsspec.implementations.local import LocalFileSystem

from guidefs.driver.conductor import SessionConductor
from guidefs.driver.delivery import Owners
from guidefs.driver.reconciliation import Job
from guidefs.errors import ConfigurationError, WatchError
from guidefs.values.context import Context
from guidefs.values.path import is_within
from guidefs.watch.changes import ChangeSource, FileEvents, Polling
from guidefs.watch.pump import Failed, News, Outcome, Pump
from guidefs.watch.sweep import files_named

if TYPE_CHECKING:
    from guidefs.workspace.address import Address

__all__ = ["POLL_SECONDS", "Watch", "is_on_local_disk", "source_for"]

POLL_SECONDS = 10.0
"""The interval of polling where a backend has no events and none is given."""

_MOST_ENTRIES = 100_000


class Watch:
    """Yields the messages that changes of instruction files bring, with no call at all; plain and async iterator.

    News of a change leads to the ordinary reconciliation, so what it yields is what a touch would have brought; a
    change of which there is no news waits for the next touch. Messages are pending like those of any call: append them
    to the conversation, and `observe` or `confirm` them.

    It listens from the moment it is made (on an event loop, from the moment `async with` was entered), and what comes
    while nobody waits is kept together. Close it, or use it as a context manager; iteration then ends.

    Args:
        conductor: the session at work.
        address: where it works.
        names: the file names that are looked for.
        source: where news of changes comes from.
        take: hands out the session's messages that no call owns.
        keep: takes a message that no call owns.
    """

    def __init__(
        self,
        conductor: SessionConductor,
        address: Address,
        names: Iterable[str],
        source: ChangeSource,
        *,
        take: Callable[[], tuple[Context, ...]],
        keep: Callable[[tuple[Context, ...]], None],
    ) -> None:
        self._conductor = conductor
        self._cwd = address.cwd
        self._on_disk = is_on_local_disk(address)
        self._names = frozenset(names)
        self._take = take
        self._keep = keep
        self._pump = Pump(source)
        if not _on_event_loop():
            self._pump.begin()

    def close(self) -> None:
        """Stop listening; whoever waits for the next message waits no longer."""
        self._pump.close()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Watch:
        await asyncio.to_thread(self._pump.begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> tuple[Context, ...]:
        """Wait for the next messages.

        Raises:
            StopIteration: the watch was closed.
            WatchError: the source gave up.
        """
        while (news := _news(self._pump.wait())) is not None:
            with self._unless_done(news):
                job = self._job(news)
                self._conductor.reconcile(job)
            if taken := self._taken(job, news):
                return taken
        raise StopIteration

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> tuple[Context, ...]:
        """Wait for the next messages on an event loop; a cancellation loses nothing.

        Raises:
            StopAsyncIteration: the watch was closed.
            WatchError: the source gave up.
        """
        while (news := _news(await self._pump.await_next())) is not None:
            with self._unless_done(news):
                job = self._job(news)
                await self._conductor.areconcile(job)
            if taken := self._taken(job, news):
                return taken
        raise StopAsyncIteration

    @contextmanager
    def _unless_done(self, news: News) -> Iterator[None]:
        """Keep news for the next wait where this one is cancelled, or fails, before it is done with them."""
        try:
            yield
        except BaseException:
            self._pump.put_back(news)
            raise

    def _taken(self, job: Job, news: News) -> tuple[Context, ...]:
        if job.context is not None:
            self._keep((job.context,))
            if job.is_rest_due:
                # What had no room in this message goes into the next one, which waits for no further change.
                self._pump.put_back(news)
        return self._take()

    def _job(self, news: News) -> Job:
        """What to look at for some news: all that is known in any case, since links may lead from there to any file."""
        files = sorted(self._instruction_files(news.paths))
        return Job([path for path in files if is_within(path, self._cwd)], Owners())

    def _instruction_files(self, paths: Iterable[str]) -> Iterable[str]:
        for path in paths:
            if os.path.basename(path) in self._names:
                yield path
            if self._on_disk and os.path.isdir(path) and not os.path.islink(path):
                # A directory that came whole, as by a rename, is one event.
                yield from files_named(path, self._names, max_entries=_MOST_ENTRIES)


def source_for(conductor: SessionConductor, address: Address, poll_seconds: float | None) -> ChangeSource:
    """The source that fits a workspace: events on the local disk, polling elsewhere or where an interval is given.

    Args:
        conductor: the session at work; finds the project root, where that is not known yet.
        address: where it works.
        poll_seconds: the interval, in seconds; `None` for events where there are any.

    Raises:
        ConfigurationError: the interval is no positive number.
        MissingExtraError: events need watchfiles, which is not installed.
    """
    if poll_seconds is not None and not poll_seconds > 0:
        raise ConfigurationError(f"poll_seconds must be a number of seconds above 0, not {poll_seconds!r}")
    if poll_seconds is not None or not is_on_local_disk(address):
        return Polling(POLL_SECONDS if poll_seconds is None else poll_seconds)
    if conductor.state.territory is None:
        conductor.reconcile(Job((), Owners()))
    territory = conductor.state.territory
    root = address.cwd if territory is None else territory.root
    home = None if territory is None or territory.home is None else territory.home.directory
    return FileEvents([root, *([home] if home and os.path.isdir(home) and not is_within(home, root) else [])])


def is_on_local_disk(address: Address) -> bool:
    """Whether the paths of a workspace are paths of this host."""
    return isinstance(address.fs, LocalFileSystem)


def _news(outcome: Outcome) -> News | None:
    """What came; `None` once the watch is closed.

    Raises:
        WatchError: the source gave up.
    """
    match outcome:
        case News():
            return outcome
        case Failed(error):
            if isinstance(error, WatchError):
                raise error
            raise WatchError(f"the source of changes failed: {error!r}") from error
        case _:
            return None


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
