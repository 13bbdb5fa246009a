"""What a cancelled file tool leaves behind: nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import pytest

from guidefs.errors import NotObservedError, StaleVersionError
from guidefs.tools.execution import arun, run
from guidefs.tools.request import StatRequest, Steps

if TYPE_CHECKING:
    from tests.tools.conftest import MakeBench, MemoryHost, Primitive, Workbench

ToolRun = Callable[["Workbench"], Coroutine[Any, Any, str]]

RUNS: dict[str, ToolRun] = {
    "read": lambda desk: desk.tools.aread("a"),
    "write": lambda desk: desk.tools.awrite("a", "new"),
    "edit": lambda desk: desk.tools.aedit("a", "old", "new"),
}


async def cancelled_at(desk: Workbench, operation: str, moment: str) -> None:
    """Run a tool and cancel it when it asks for a primitive, or ends its call."""
    started = asyncio.Event()

    async def hang(*args: object, **kwargs: object) -> None:
        started.set()
        await asyncio.Event().wait()

    if moment == "end":
        desk.host.slow_end = asyncio.Event()
        task = asyncio.ensure_future(RUNS[operation](desk))
        for _ in range(20):
            await asyncio.sleep(0)
    else:
        setattr(desk.host, f"a{moment}", hang)
        task = asyncio.ensure_future(RUNS[operation](desk))
        await started.wait()
        delattr(desk.host, f"a{moment}")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    desk.host.slow_end = None


@pytest.mark.parametrize(
    ("operation", "moment"),
    [  # a reading writes nothing, and a write of a file with an equal version reads nothing
        ("read", "stat"),
        ("read", "read"),
        ("read", "end"),
        ("write", "stat"),
        ("write", "write"),
        ("edit", "stat"),
        ("edit", "read"),
        ("edit", "write"),
    ],
)
def test_cancelled_tool(bench_of: MakeBench, operation: str, moment: str) -> None:
    """Cancellation comes through as such; no access counts, no run stays open, no file changes."""
    desk = bench_of("async", {"a": b"old"})

    async def scenario() -> None:
        await desk.tools.aread("a")
        desk.host.touches.clear()
        desk.host.requests.clear()
        await cancelled_at(desk, operation, moment)

    asyncio.run(scenario())
    assert desk.host.touches == []
    assert desk.host.running == 0
    assert desk.content("a") == b"old"


@pytest.mark.parametrize("operation", ["write", "edit"])
def test_cancelled_after_the_write(bench_of: MakeBench, operation: str) -> None:
    """Where only the end of the call was cut off, the file is written, but the model does not know and has to read."""
    desk = bench_of("async", {"a": b"old"})

    async def scenario() -> None:
        await desk.tools.aread("a")
        await cancelled_at(desk, operation, "end")
        with pytest.raises(StaleVersionError):
            await desk.tools.aedit("a", "new", "newer")

    asyncio.run(scenario())
    assert desk.content("a") == b"new"
    assert desk.host.touches == [("read", "a")]


@pytest.mark.parametrize("moment", ["stat", "read", "end"])
def test_cancelled_read_observes_nothing(bench_of: MakeBench, moment: str) -> None:
    """A cancelled reading is no observation, even if only the end of its call was cut off."""
    desk = bench_of("async", {"a": b"old"})

    async def scenario() -> None:
        await cancelled_at(desk, "read", moment)
        with pytest.raises(NotObservedError):
            await desk.tools.awrite("a", "new")

    asyncio.run(scenario())


def test_cancelled_streaming_stops(bench_of: MakeBench) -> None:
    """A reading of a large file stops at the piece where it was cancelled."""
    desk = bench_of("async", {"a": b"x\n" * (8 << 20)}, versioned=False)

    async def scenario() -> None:
        task = asyncio.ensure_future(desk.tools.aread("a"))

        def cancel(primitive: Primitive, address: str) -> None:
            if len(desk.host.asked("read")) == 3:
                task.cancel()

        desk.host.before = cancel
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert len(desk.host.asked("read")) == 3


@pytest.mark.parametrize("operation", ["write", "edit"])
def test_cancelled_writer_lets_the_next_one_go(bench_of: MakeBench, operation: str) -> None:
    """A writer that is cancelled gives up its turn."""
    desk = bench_of("async", {"a": b"old"})

    async def scenario() -> str:
        await desk.tools.aread("a")
        await cancelled_at(desk, operation, "write")
        return await asyncio.wait_for(desk.tools.aedit("a", "old", "new"), timeout=10)

    assert asyncio.run(scenario()) == "Replaced 1 occurrence in 'a'."


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("failure", [KeyboardInterrupt(), RuntimeError("a bug")])
def test_procedure_is_closed(host: MemoryHost, driver: str, failure: BaseException) -> None:
    """Whatever ends the work, the procedure is closed where it stands, and does not see it."""
    seen: list[type[BaseException]] = []

    def steps() -> Steps[None]:
        try:
            yield StatRequest("/w/a")
        except BaseException as error:
            seen.append(type(error))
            raise

    host.failures["stat", "/w/a"] = failure
    with pytest.raises(type(failure)):
        run(steps(), host) if driver == "sync" else asyncio.run(arun(steps(), host))
    assert seen == [GeneratorExit]
