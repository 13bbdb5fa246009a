"""Sessions, calls, threads, tasks: whose touch it is."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import Any

import pytest

from guidefs.filesystem import GuideFileSystem


def test_outside_a_call_nothing_is_recorded(memory: Any, session: Any) -> None:
    """A filesystem passes through while no call is open, before and after one."""
    fs = GuideFileSystem(memory, recorder=session)
    fs.pipe_file("/f", b"1")
    with session.call() as log:
        fs.cat_file("/f")
    fs.cat_file("/f")
    assert log.touches == [("/f", "read")]


def test_without_a_recorder_everything_passes_through(memory: Any) -> None:
    """A wrapper that nobody listens to does what the inner filesystem does."""
    fs = GuideFileSystem(memory)
    fs.pipe_file("/f", b"1")
    with fs.open("/f", "a") as file:
        file.write("2")
    assert fs.cat("/f") == memory.cat("/f") == b"12"
    assert fs.guide_session is None


def test_two_sessions_over_one_filesystem_do_not_see_each_other(memory: Any, new_session: Any) -> None:
    """Each session sees the touches that went through its own wrapper in its own calls."""
    one, two = new_session(), new_session()
    first, second = (GuideFileSystem(memory, recorder=recorder) for recorder in (one, two))
    with one.call() as log_one, two.call() as log_two:
        first.pipe_file("/1", b"")
        second.cat_file("/1")
        with first.open("/3", "wb") as file, second.open("/4", "wb") as other:
            file.write(b"")
            other.write(b"")
    assert log_one.touches == [("/1", "write"), ("/3", "write")]
    assert log_two.touches == [("/1", "read"), ("/4", "write")]


def test_recorders_that_look_alike_never_share_a_wrapper(memory: Any, new_recorder: Any) -> None:
    """fsspec's cache of instances goes by what arguments look like, so the wrapper stays out of it."""

    class Alike(new_recorder):  # type: ignore[misc]  # the fixture gives a class
        """A recorder that looks like every other."""

        def __repr__(self) -> str:
            return "Alike()"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Alike)

        def __hash__(self) -> int:
            return 1

    one, two = Alike(), Alike()
    first, second = (GuideFileSystem(memory, recorder=recorder) for recorder in (one, two))
    assert first is not second
    assert first != second
    second.touch("/f")
    assert one.touches == []
    assert two.touches == [("/f", "write")]


def test_a_wrapper_for_one_call_works_in_any_thread(memory: Any, recorder: Any) -> None:
    """A recorder that is bound to a call needs no context variable."""
    fs = GuideFileSystem(memory, recorder=recorder)
    thread = Thread(target=fs.pipe_file, args=("/f", b""))
    thread.start()
    thread.join()
    assert recorder.touches == [("/f", "write")]


def test_threads_with_the_context_are_in_the_call_and_others_are_not(memory: Any, session: Any) -> None:
    """Context variables decide: a plain thread is outside, one that is given the context is inside."""
    fs = GuideFileSystem(memory, recorder=session)
    with session.call() as log, ThreadPoolExecutor(1) as pool:
        pool.submit(fs.pipe_file, "/outside", b"").result()
        pool.submit(contextvars.copy_context().run, fs.pipe_file, "/inside", b"").result()
    assert log.touches == [("/inside", "write")]


def test_calls_in_many_threads_keep_their_touches_apart(memory: Any, session: Any) -> None:
    """Each thread's call holds exactly what happened in that thread, in order."""
    fs = GuideFileSystem(memory, recorder=session)
    start = Barrier(8)

    def work(number: int) -> list[tuple[str, str]]:
        start.wait()
        with session.call() as log:
            for step in range(50):
                fs.pipe_file(f"/{number}/{step}", b"")
        return list(log.touches)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    assert results == [[(f"/{number}/{step}", "write") for step in range(50)] for number in range(8)]


@pytest.mark.parametrize("inner", ["memory", "native"])
def test_concurrent_tasks_keep_their_touches_apart(memory: Any, native: Any, session: Any, inner: str) -> None:
    """Each task's call holds what its own gathered coroutines did."""
    fs = GuideFileSystem(
        memory if inner == "memory" else native({}, asynchronous=True), recorder=session, asynchronous=True
    )

    async def work(number: int) -> set[tuple[str, str]]:
        with session.call() as log:
            await asyncio.gather(*(fs._pipe_file(f"/{number}/{step}", b"") for step in range(20)))
        return set(log.touches)

    async def main() -> list[set[tuple[str, str]]]:
        return await asyncio.gather(*(work(number) for number in range(5)))

    assert asyncio.run(main()) == [{(f"/{number}/{step}", "write") for step in range(20)} for number in range(5)]


def test_a_coroutine_belongs_to_the_call_in_which_it_is_awaited(native: Any, session: Any) -> None:
    """An operation starts when its coroutine does, not when that is made."""
    fs = GuideFileSystem(native({}, asynchronous=True), recorder=session)

    async def main() -> list[tuple[str, str]]:
        before = fs._pipe_file("/before", b"")
        with session.call() as log:
            await before
            late = fs._pipe_file("/late", b"")
        await late
        return log.touches  # type: ignore[no-any-return]  # fixtures are not typed

    assert asyncio.run(main()) == [("/before", "write")]


def test_an_operation_that_ends_late_belongs_to_the_call_it_began_in(native: Any, session: Any) -> None:
    """A task that outlives the call reports to it, not to the next one."""
    fs = GuideFileSystem(native({"/f": b""}, asynchronous=True), recorder=session)

    async def main() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        with session.call() as first:
            task = asyncio.create_task(fs._cat_file("/f"))
            await asyncio.sleep(0)
        with session.call() as second:
            await task
        return first.touches, second.touches

    assert asyncio.run(main()) == ([("/f", "read")], [])


def test_copies_and_pickles_stay_with_their_session(memory: Any, session: Any) -> None:
    """In one process a copy of a wrapper is tied to the same session."""
    fs = GuideFileSystem(memory, recorder=session)
    copies = [copy.copy(fs), copy.deepcopy(fs), pickle.loads(pickle.dumps(fs))]  # noqa: S301 - our own pickle
    with session.call() as log:
        for number, each in enumerate(copies):
            each.touch(f"/{number}")
    assert log.touches == [("/0", "write"), ("/1", "write"), ("/2", "write")]
    assert all(each.guide_session is session for each in copies)


def test_the_session_that_a_recorder_names_is_shown(memory: Any, recorder: Any) -> None:
    """`guide_session` is the recorder's `session`, where it has one."""
    recorder.session = object()
    assert GuideFileSystem(memory, recorder=recorder).guide_session is recorder.session
