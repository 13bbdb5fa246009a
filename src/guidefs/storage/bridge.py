"""Any provider as both a synchronous and an asynchronous one, with nothing missing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from typing import Any, cast

from guidefs.errors import ConfigurationError, UsageError
from guidefs.storage.failures import describe, translated
from guidefs.storage.generic import generic_provider
from guidefs.storage.provider import Chunk, Guard, Limits, Presence, Stat, Written
from guidefs.storage.runtime import Runtime
from guidefs.storage.vetting import ContractBreachError, vetted
from guidefs.values.answer import Absent, Answer, Marker, Question, Unavailable

__all__ = ["Bridge"]

_log = logging.getLogger("guidefs.storage")


class Bridge:
    """Calls a provider both ways, whichever halves it has.

    A synchronous call to a provider that only has the asynchronous half runs on the loop of its filesystem. An
    asynchronous call over a filesystem that is used synchronously runs on that filesystem's own loop; one to a
    provider that only has the synchronous half is a single hop to a thread. Primitives that a provider lacks are built
    from plain fsspec calls.

    A provider that raises, or breaks its contract, makes that batch `Unavailable` and is reported to the logger
    `guidefs.storage` as a warning: a fault in guidance never fails a tool call. Two things always pass: `UsageError`,
    because such a call can never work, and cancellation.

    Args:
        provider: an object with `fetch`, `afetch`, or both, and any of the primitives.
        filesystem: the fsspec filesystem that it was made from.

    Attributes:
        provider: the provider.

    Raises:
        ConfigurationError: the provider has neither half.
    """

    def __init__(self, provider: object, filesystem: Any) -> None:
        self.provider = provider
        self._filesystem = filesystem
        self._runtime = Runtime(filesystem)
        self._generic: object | None = None
        if not (_has(provider, "fetch") or _has(provider, "afetch")):
            raise ConfigurationError(f"{type(provider).__name__} is no provider: it has neither fetch nor afetch")

    def check_sync(self) -> None:
        """Make sure, before a tool runs, that synchronous calls can work at all.

        Raises:
            UsageError: the filesystem works on an event loop only, or this is the loop that serves it.
        """
        self._runtime.check_sync()

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> list[Answer]:
        """Answer a batch from an ordinary thread.

        Raises:
            UsageError: the filesystem works on an event loop only.
        """
        self.check_sync()
        if not questions:
            return []
        try:
            return vetted(self._call("fetch", questions, limits), questions, limits)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a foreign provider does, the tool call goes on
            return self._at_fault(error, len(questions))

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> list[Answer]:
        """Answer a batch on an event loop; cancellation reaches the provider.

        Raises:
            UsageError: the provider says that it was used wrongly.
        """
        if not questions:
            return []
        try:
            return vetted(await self._acall("fetch", questions, limits), questions, limits)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a foreign provider does, the tool call goes on
            return self._at_fault(error, len(questions))

    def stat(self, path: str) -> Presence:
        """Stat one path as `Primitives.stat` does.

        Raises:
            UsageError: the filesystem works on an event loop only.
        """
        self.check_sync()
        try:
            return _presence(self._call("stat", path))
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - a failed stat is an answer
            return Unavailable(describe(error))

    async def astat(self, path: str) -> Presence:
        """Stat one path as `Primitives.stat` does.

        Raises:
            UsageError: the provider says that it was used wrongly.
        """
        try:
            return _presence(await self._acall("stat", path))
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - a failed stat is an answer
            return Unavailable(describe(error))

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece as `Primitives.read` does.

        Raises:
            FileError: the backend failed, in whatever way.
            UsageError: such a call can never work.
        """
        self.check_sync()
        with translated(path, (Exception,)):
            return cast(Chunk, self._call("read", path, offset=offset, max_bytes=max_bytes))

    async def aread(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece as `Primitives.read` does.

        Raises:
            FileError: the backend failed, in whatever way.
            UsageError: such a call can never work.
        """
        with translated(path, (Exception,)):
            return cast(Chunk, await self._acall("read", path, offset=offset, max_bytes=max_bytes))

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Write under a guard as `Primitives.write` does.

        Raises:
            FileError: the guard did not hold, or the backend failed, in whatever way.
            UsageError: such a call can never work.
        """
        self.check_sync()
        with translated(path, (Exception,)):
            return cast(Written, self._call("write", path, data, guard))

    async def awrite(self, path: str, data: bytes, guard: Guard) -> Written:
        """Write under a guard as `Primitives.write` does.

        Raises:
            FileError: the guard did not hold, or the backend failed, in whatever way.
            UsageError: such a call can never work.
        """
        with translated(path, (Exception,)):
            return cast(Written, await self._acall("write", path, data, guard))

    def names(self, path: str) -> Collection[str]:
        """The names in a directory, where the provider can tell without a round trip; nothing otherwise.

        Used for diagnostics only, so a provider that fails here is passed over.
        """
        names = getattr(self.provider, "names", None)
        if not callable(names):
            return ()
        try:
            return list(map(str, names(path)))
        except Exception as error:  # noqa: BLE001 - as above
            _log.debug("%s cannot list %r: %s", type(self.provider).__name__, path, describe(error))
            return ()

    def _call(self, name: str, *arguments: Any, **options: Any) -> Any:
        owner = self._owner_of(name)
        if _has(owner, name):
            return getattr(owner, name)(*arguments, **options)
        method = getattr(owner, f"a{name}")
        return self._runtime.run(lambda: method(*arguments, **options))

    async def _acall(self, name: str, *arguments: Any, **options: Any) -> Any:
        owner = self._owner_of(name)
        if _has(owner, f"a{name}"):
            method = getattr(owner, f"a{name}")
            return await self._runtime.arun(lambda: method(*arguments, **options))
        return await asyncio.to_thread(getattr(owner, name), *arguments, **options)

    def _owner_of(self, name: str) -> object:
        if _has(self.provider, name) or _has(self.provider, f"a{name}"):
            return self.provider
        if self._generic is None:
            self._generic = generic_provider(self._filesystem)
        return self._generic

    def _at_fault(self, error: Exception, count: int) -> list[Answer]:
        kind = type(self.provider).__name__
        trace = None if isinstance(error, ContractBreachError) else error
        _log.warning("%s failed a batch of %d questions: %s", kind, count, describe(error), exc_info=trace)
        return [Unavailable(f"{kind} failed: {describe(error)}") for _ in range(count)]


def _has(provider: object, name: str) -> bool:
    return callable(getattr(provider, name, None))


def _presence(value: object) -> Presence:
    if isinstance(value, Stat | Absent | Unavailable):
        return value
    raise ContractBreachError(f"a stat cannot be answered by {type(value).__name__}")
