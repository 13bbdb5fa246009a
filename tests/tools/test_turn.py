"""The order of the writers of one file."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from guidefs.tools.turn import Turns

if TYPE_CHECKING:
    from tests.tools.conftest import MakeBench

COUNT = 12


def test_edits_sent_at_once_on_a_loop(bench_of: MakeBench) -> None:
    """Edits of one file that a model sends at once all succeed, in their order."""
    desk = bench_of("async", {"a": b"".join(b"<%d>" % number for number in range(COUNT))})

    async def scenario() -> None:
        await desk.tools.aread("a")
        await asyncio.gather(*(desk.tools.aedit("a", f"<{number}>", f"[{number}]") for number in range(COUNT)))

    asyncio.run(scenario())
    assert desk.content("a") == b"".join(b"[%d]" % number for number in range(COUNT))
    assert [path for _, path in desk.host.touches] == ["a"] * (COUNT + 1)


def test_edits_sent_at_once_from_threads(bench_of: MakeBench) -> None:
    """Edits of one file from several threads all succeed."""
    desk = bench_of("sync", {"a": b"".join(b"<%d>" % number for number in range(COUNT))})
    desk.read("a")
    with ThreadPoolExecutor(COUNT) as pool:
        list(pool.map(lambda number: desk.edit("a", f"<{number}>", f"[{number}]"), range(COUNT)))
    assert desk.content("a") == b"".join(b"[%d]" % number for number in range(COUNT))


def test_edits_from_threads_and_a_loop(bench_of: MakeBench) -> None:
    """Threads and tasks take turns with one another."""
    desk = bench_of("sync", {"a": b"".join(b"<%d>" % number for number in range(COUNT))})
    desk.read("a")

    async def scenario() -> None:
        await asyncio.gather(
            *(
                desk.tools.aedit("a", f"<{number}>", f"[{number}]")
                if number % 2
                else asyncio.to_thread(desk.tools.edit, "a", f"<{number}>", f"[{number}]")
                for number in range(COUNT)
            )
        )

    asyncio.run(scenario())
    assert desk.content("a") == b"".join(b"[%d]" % number for number in range(COUNT))


def test_plain_call_on_the_loop_does_not_wait(bench_of: MakeBench) -> None:
    """A plain call on the thread of the loop that the turn's holder needs does not block it for ever."""
    desk = bench_of("async", {"a": b"<1><2>"})

    async def scenario() -> None:
        await desk.tools.aread("a")
        gate = asyncio.Event()
        awrite = desk.host.awrite

        async def slow(*args: object) -> object:
            await gate.wait()
            return await awrite(*args)  # type: ignore[arg-type] # handed on as they came

        desk.host.awrite = slow  # type: ignore[method-assign, assignment] # the fake writes when the gate opens
        task = asyncio.ensure_future(desk.tools.aedit("a", "<1>", "[1]"))
        for _ in range(20):
            await asyncio.sleep(0)
        desk.tools.edit("a", "<2>", "[2]")
        gate.set()
        with pytest.raises(OSError, match="was changed or removed after"):
            await task

    asyncio.run(scenario())
    assert desk.content("a") == b"<1>[2]"


def test_other_files_do_not_wait() -> None:
    """The turn of one file has nothing to do with that of another."""
    turns = Turns()

    async def scenario() -> None:
        async with turns.aheld("/a"), asyncio.timeout(10), turns.aheld("/b"):
            pass

    asyncio.run(scenario())


def test_turns_go_in_order_of_arrival() -> None:
    """Who came first goes first, and the end of one turn begins the next."""
    turns = Turns()
    order: list[int] = []

    async def writer(number: int) -> None:
        async with turns.aheld("/a"):
            order.append(number)
            await asyncio.sleep(0)

    async def scenario() -> None:
        await asyncio.gather(*(writer(number) for number in range(5)))

    asyncio.run(scenario())
    assert order == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("cancelled", "left"), [(1, "third"), (2, "second")])
def test_cancelled_in_the_queue(cancelled: int, left: str) -> None:
    """A task that is cancelled while it waits is passed over, and nobody's turn begins before its time."""
    turns = Turns()
    order: list[str] = []

    async def writer(name: str, gate: asyncio.Event) -> None:
        async with turns.aheld("/a"):
            order.append(name)
            await gate.wait()

    async def scenario() -> None:
        gate = asyncio.Event()
        tasks = [asyncio.ensure_future(writer(name, gate)) for name in ("first", "second", "third")]
        for _ in range(5):
            await asyncio.sleep(0)
        tasks[cancelled].cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        assert order == ["first"]
        gate.set()
        async with asyncio.timeout(10):
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(scenario())
    assert order == ["first", left]


def test_thread_waits_for_its_turn() -> None:
    """A thread waits until the one before it is done."""
    turns = Turns()
    order: list[str] = []
    waiting = threading.Event()

    def second() -> None:
        waiting.set()
        with turns.held("/a"):
            order.append("second")

    with turns.held("/a"):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
