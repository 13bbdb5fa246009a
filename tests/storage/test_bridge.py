"""Any provider works both ways, and no fault of it reaches a tool call."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from guidefs.errors import ConfigurationError, FileInputOutputError, NotFoundError, UsageError
from guidefs.storage import (
    Absent,
    Answer,
    Bridge,
    Chunk,
    CreateOnly,
    Exists,
    GenericProvider,
    Limits,
    Marker,
    NotText,
    Question,
    Stat,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
    Version,
)

LIMITS = Limits(max_source_bytes=10, max_batch_bytes=15)
BATCH = (Question("/a"), Question("/b", Version("1")), Marker("/c"))
ODD: Any = 7
GOOD: list[Answer] = [Text(Version("1"), "text"), Unchanged(), Exists()]


class SyncOnly:
    """A provider with the synchronous half."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer
        self.threads: list[str] = []

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Any:
        """Answer whatever it was told to."""
        self.threads.append(threading.current_thread().name)
        return self.answer()


class AsyncOnly:
    """A provider with the asynchronous half."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer
        self.threads: list[str] = []

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Any:
        """Answer whatever it was told to."""
        self.threads.append(threading.current_thread().name)
        await asyncio.sleep(0)
        return self.answer()


def _raise(error: BaseException) -> Any:
    raise error


def _both_ways(make: Callable[[Callable[[], Any]], Any], answer: Callable[[], Any]) -> list[list[Answer]]:
    bridge = Bridge(make(answer), None)
    return [bridge.fetch(BATCH, LIMITS), asyncio.run(bridge.afetch(BATCH, LIMITS))]


@pytest.mark.parametrize("make", [SyncOnly, AsyncOnly])
def test_either_half_serves_both_ways(make: Callable[[Callable[[], Any]], Any]) -> None:
    """A provider with one half is called synchronously and asynchronously."""
    assert _both_ways(make, lambda: GOOD) == [GOOD, GOOD]


def test_a_provider_needs_a_half() -> None:
    """An object that cannot answer is refused when the bridge is made."""
    with pytest.raises(ConfigurationError, match="neither fetch nor afetch"):
        Bridge(object(), None)


def test_an_async_filesystem_used_synchronously_is_served_on_its_loop(make_async: Any) -> None:
    """Both ways end on fsspec's loop, where such a filesystem has its connections."""
    provider = AsyncOnly(lambda: GOOD)
    bridge = Bridge(provider, make_async())
    assert bridge.fetch(BATCH, LIMITS) == asyncio.run(bridge.afetch(BATCH, LIMITS)) == GOOD
    assert provider.threads == ["fsspecIO", "fsspecIO"]


def test_on_the_loop_of_the_filesystem_it_is_awaited_directly(make_async: Any) -> None:
    """A caller that runs on fsspec's loop already does not wait for itself."""
    fs = make_async()
    bridge = Bridge(AsyncOnly(lambda: GOOD), fs)
    future = asyncio.run_coroutine_threadsafe(bridge.afetch(BATCH, LIMITS), fs.loop)
    assert future.result(timeout=10) == GOOD


def test_an_asynchronous_filesystem_is_served_on_the_callers_loop(make_async: Any) -> None:
    """A filesystem made for the running loop stays on it."""
    provider = AsyncOnly(lambda: GOOD)
    bridge = Bridge(provider, make_async(asynchronous=True))
    assert asyncio.run(bridge.afetch(BATCH, LIMITS)) == GOOD
    assert provider.threads == [threading.current_thread().name]


def test_a_synchronous_provider_is_awaited_in_one_thread() -> None:
    """An async call over a provider without an async half is one hop to a thread."""
    provider = SyncOnly(lambda: GOOD)
    assert asyncio.run(Bridge(provider, None).afetch(BATCH, LIMITS)) == GOOD
    assert len(provider.threads) == 1
    assert provider.threads != [threading.current_thread().name]


@pytest.mark.parametrize("make", [SyncOnly, AsyncOnly])
@pytest.mark.parametrize(
    "call",
    [
        lambda bridge: bridge.check_sync(),
        lambda bridge: bridge.fetch(BATCH, LIMITS),
        lambda bridge: bridge.fetch((), LIMITS),
        lambda bridge: bridge.stat("/a"),
        lambda bridge: bridge.read("/a", offset=0, max_bytes=1),
        lambda bridge: bridge.write("/a", b"", CreateOnly()),
    ],
    ids=["check_sync", "fetch", "empty fetch", "stat", "read", "write"],
)
def test_a_synchronous_call_over_an_asynchronous_filesystem(make: Any, call: Any, make_async: Any) -> None:
    """What can never work is a usage error with a way out, and nothing is asked."""
    provider = make(lambda: GOOD)
    bridge = Bridge(provider, make_async(asynchronous=True))
    with pytest.raises(UsageError, match=r"asynchronous=True\) can never work: use `async with`"):
        call(bridge)
    assert provider.threads == []


def test_the_wrapper_decides_too(foreign: Any) -> None:
    """A synchronous filesystem in a wrapper for the running loop is not called synchronously."""
    from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

    bridge = Bridge(SyncOnly(lambda: GOOD), AsyncFileSystemWrapper(foreign, asynchronous=True))
    with pytest.raises(UsageError):
        bridge.check_sync()
    assert asyncio.run(bridge.afetch(BATCH, LIMITS)) == GOOD


def test_a_synchronous_call_on_the_serving_loop(make_async: Any) -> None:
    """A call that would wait for its own loop is a usage error, not a deadlock and not an answer."""
    fs = make_async()
    for filesystem in (fs, None):
        bridge = Bridge(AsyncOnly(lambda: GOOD), filesystem)

        async def call(bridge: Bridge = bridge) -> object:
            return bridge.fetch(BATCH, LIMITS)

        with pytest.raises(UsageError, match="wait for itself"):
            asyncio.run_coroutine_threadsafe(call(), fs.loop).result(timeout=10)


def test_a_synchronous_call_in_another_loop_works(make_async: Any) -> None:
    """Blocking one's own loop is a host's choice."""
    bridge = Bridge(AsyncOnly(lambda: GOOD), make_async())

    async def call() -> object:
        return bridge.fetch(BATCH, LIMITS)

    assert asyncio.run(call()) == GOOD


@pytest.mark.parametrize("asynchronous", [False, True])
def test_cancellation_reaches_the_provider(make_async: Any, *, asynchronous: bool) -> None:
    """Cancelling the caller cancels the coroutine where it runs, on whichever loop that is."""
    began, ended = threading.Event(), threading.Event()

    class Waiting:
        async def afetch(self, questions: object, limits: object) -> object:
            began.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ended.set()
                raise
            return GOOD

    async def cancel() -> None:
        bridge = Bridge(Waiting(), make_async(asynchronous=asynchronous))
        task = asyncio.create_task(bridge.afetch(BATCH, LIMITS))
        await asyncio.to_thread(began.wait, 10) if not asynchronous else await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert ended.wait(10)


@pytest.mark.parametrize("make", [SyncOnly, AsyncOnly])
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda: _raise(RuntimeError("boom")), id="an exception"),
        pytest.param(lambda: _raise(TimeoutError("slow")), id="a time-out"),
        pytest.param(lambda: None, id="nothing"),
        pytest.param(lambda: "abc", id="a string of the right length"),
        pytest.param(lambda: iter(GOOD), id="an iterator"),
        pytest.param(lambda: GOOD[:2], id="too few answers"),
        pytest.param(lambda: [*GOOD, Absent()], id="too many answers"),
        pytest.param(lambda: ["text", *GOOD[1:]], id="a foreign type"),
        pytest.param(lambda: [Text, *GOOD[1:]], id="a class"),
        pytest.param(lambda: [Unchanged(), *GOOD[1:]], id="unchanged from no version"),
        pytest.param(lambda: [Exists(), *GOOD[1:]], id="a marker's answer to a question"),
        pytest.param(lambda: [*GOOD[:2], Text(None, "")], id="a text for a marker"),
        pytest.param(lambda: [*GOOD[:2], Unchanged()], id="an unchanged marker"),
        pytest.param(lambda: [Text(None, ODD), *GOOD[1:]], id="a number for a text"),
        pytest.param(lambda: [Text(ODD, "text"), *GOOD[1:]], id="a number for a version"),
        pytest.param(lambda: [NotText(ODD), *GOOD[1:]], id="a number for another version"),
    ],
)
def test_a_fault_makes_the_batch_unavailable(make: Any, answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    """A provider that fails or lies makes its batch unavailable, which is reported as a warning."""
    with caplog.at_level(logging.WARNING, "guidefs.storage"):
        for answers in _both_ways(make, answer):
            assert [type(found) for found in answers] == [Unavailable] * 3
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert "failed a batch of 3 questions" in caplog.text


@pytest.mark.parametrize("make", [SyncOnly, AsyncOnly])
def test_wrong_use_is_never_swallowed(make: Any) -> None:
    """A provider's own usage error passes, both ways."""
    bridge = Bridge(make(lambda: _raise(UsageError("never"))), None)
    with pytest.raises(UsageError, match="never"):
        bridge.fetch(BATCH, LIMITS)
    with pytest.raises(UsageError, match="never"):
        asyncio.run(bridge.afetch(BATCH, LIMITS))


def test_an_interrupt_passes() -> None:
    """What ends the program is no fault of the provider."""
    with pytest.raises(KeyboardInterrupt):
        Bridge(SyncOnly(lambda: _raise(KeyboardInterrupt())), None).fetch(BATCH, LIMITS)


def test_work_that_is_cancelled_elsewhere_is_unavailable(make_async: Any) -> None:
    """A coroutine that somebody else cancels on its loop did not answer; the synchronous caller goes on."""
    bridge = Bridge(AsyncOnly(lambda: _raise(asyncio.CancelledError())), make_async())
    assert [type(answer) for answer in bridge.fetch(BATCH, LIMITS)] == [Unavailable] * 3


def test_the_bounds_are_enforced_again() -> None:
    """Texts over either bound are refused although the provider gave them; bytes count, not characters."""
    answers = [Text(None, "x"), Text(Version("v"), "ü" * 6), Text(None, "x" * 10), Text(None, "x" * 5)]
    bridge = Bridge(SyncOnly(lambda: answers), None)
    found = bridge.fetch([Question(f"/{number}") for number in range(4)], LIMITS)
    assert [type(answer) for answer in found] == [Unavailable, TooLarge, Text, Text]
    assert found[1] == TooLarge(Version("v"), 12)


def test_a_text_that_cannot_be_encoded_is_no_text() -> None:
    """A lone surrogate cannot have come from UTF-8."""
    bridge = Bridge(SyncOnly(lambda: [Text(Version("v"), "\ud800")]), None)
    assert bridge.fetch([Question("/a")], LIMITS) == [NotText(Version("v"))]


def test_an_empty_batch_asks_nothing() -> None:
    """No questions make no round trip."""
    provider = SyncOnly(lambda: _raise(AssertionError("asked")))
    bridge = Bridge(provider, None)
    assert bridge.fetch([], LIMITS) == asyncio.run(bridge.afetch([], LIMITS)) == []
    assert provider.threads == []


def test_missing_primitives_are_built(foreign: Any, make_async: Any) -> None:
    """A provider that only answers batches still serves file tools, both ways, over either kind of filesystem."""
    for fs in (foreign, make_async()):
        bridge = Bridge(SyncOnly(lambda: GOOD), fs)
        bridge.write("/sub/file", b"text", CreateOnly())
        assert bridge.read("/sub/file", offset=1, max_bytes=2).data == b"ex"
        assert asyncio.run(bridge.aread("/sub/file", offset=1, max_bytes=2)).data == b"ex"
        assert isinstance(asyncio.run(bridge.astat("/sub/file")), Stat)
        assert isinstance(bridge.stat("/sub"), Stat)


class Failing(GenericProvider):
    """A provider whose primitives fail as they were told to."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def stat(self, path: str) -> Any:
        """Fail."""
        raise self.error

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Fail."""
        raise self.error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (FileNotFoundError("gone"), NotFoundError),
        (RuntimeError("boom"), FileInputOutputError),
        (KeyError("key"), FileInputOutputError),
        (NotFoundError("gone", path="/a"), NotFoundError),
        (UsageError("never"), UsageError),
    ],
)
def test_failures_of_primitives_have_types(error: Exception, kind: type[Exception]) -> None:
    """Whatever a primitive raises becomes a typed error with the original as its cause; the library's own pass."""
    bridge = Bridge(Failing(error), None)
    for read in (bridge.read, lambda path, **options: asyncio.run(bridge.aread(path, **options))):
        with pytest.raises(kind) as caught:
            read("/a", offset=0, max_bytes=1)
        assert caught.value is error or caught.value.__cause__ is error


def test_a_failed_stat_is_an_answer() -> None:
    """A stat that raises is unavailable, except for wrong use."""
    bridge = Bridge(Failing(RuntimeError("boom")), None)
    expected = Unavailable("RuntimeError: boom")
    assert bridge.stat("/a") == asyncio.run(bridge.astat("/a")) == expected
    misused = Bridge(Failing(UsageError("never")), None)
    with pytest.raises(UsageError):
        misused.stat("/a")
    with pytest.raises(UsageError):
        asyncio.run(misused.astat("/a"))


def test_a_stat_of_a_foreign_type_is_unavailable() -> None:
    """A primitive that returns something else told nothing."""

    class Odd(SyncOnly):
        def stat(self, path: str) -> Any:
            return {"type": "file"}

    assert isinstance(Bridge(Odd(lambda: GOOD), None).stat("/a"), Unavailable)
