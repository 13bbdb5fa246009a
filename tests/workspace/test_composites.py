"""Calls inside calls: a tool that runs other tools."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from guidefs import ROOT, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.workspace.conftest import Bench

    from guidefs import Call, Context, Session, SessionLog, Workspace

    Touch = Callable[..., list[str]]
    Tell = Callable[[Iterable[Context]], list[str]]


def raise_in(call: Call, path: str | None = None) -> None:
    """Enter a call, touch, and raise out of it."""
    with call:
        if path is not None:
            call.touch(path, "read")
        raise KeyError("the tool's own")


def test_inner_calls_hand_their_contexts_to_the_outer_one(bench: Bench, touch: Touch, tell: Tell) -> None:
    """An outer call carries the contexts of the calls inside it in the order in which they ended, then its own."""
    bench.put_each(*"pqr")
    session = bench.session()
    with session.call("outer") as outer:
        outer.touch("r/x", "read")
        assert touch(session, "p/x") == ["set p/AGENTS.md"]
        assert touch(session, "q/x") == ["set q/AGENTS.md"]
    assert tell(outer.contexts) == ["set p/AGENTS.md", "set q/AGENTS.md", "set r/AGENTS.md"]


def test_inner_calls_suppress_each_others_repeats(bench: Bench, touch: Touch) -> None:
    """What one inner call brought the next one does not bring again, at any depth."""
    bench.put_each("p")
    session = bench.session()
    with session.call("outer"):
        assert touch(session, "p/x") == ["set p/AGENTS.md"]
        with session.call("middle"):
            assert touch(session, "p/x") == []
        assert touch(session, "p/x") == []


def test_blocked_inner_call_is_undone_by_its_id(bench: Bench, touch: Touch, tell: Tell) -> None:
    """Rolling back an inner call while the outer one is open undoes it and all inside it, and nothing else."""
    bench.put_each(*"pqr")
    session = bench.session()
    with session.call("outer") as outer:
        touch(session, "p/x", "kept")
        with session.call("blocked") as blocked:
            touch(session, "q/x", "inside")
            blocked.touch("r/x", "read")
        session.rollback("blocked")
        assert blocked.contexts == ()
        assert tell(outer.contexts) == ["set p/AGENTS.md"]
        assert touch(session, "q/x") == ["set q/AGENTS.md"]
    assert tell(outer.contexts) == ["set p/AGENTS.md", "set q/AGENTS.md"]
    assert touch(session, "r/x") == ["set r/AGENTS.md"]


def test_blocked_outer_call_undoes_every_depth(bench: Bench, touch: Touch) -> None:
    """Rolling back the outermost call by its id, after it ended, makes everything inside it due again."""
    bench.put_each("p", "p/q", "p/q/r")
    session = bench.session()
    with session.call("a"), session.call("b"):
        touch(session, "p/x")
        with session.call("c"):
            touch(session, "p/q/r/x")
    session.rollback("a")
    assert touch(session, "p/q/r/x") == ["set p/AGENTS.md", "set p/q/AGENTS.md", "set p/q/r/AGENTS.md"]


def test_inner_call_blocked_after_the_outer_one_ended(bench: Bench, touch: Touch) -> None:
    """An inner call can be rolled back by its id after the outer call has ended; its siblings stay."""
    bench.put_each(*"pq")
    session = bench.session()
    with session.call("outer"):
        touch(session, "p/x", "one")
        touch(session, "q/x", "two")
    session.rollback("one")
    assert touch(session, "q/x") == []
    assert touch(session, "p/x") == ["set p/AGENTS.md"]


def test_raising_outer_call_loses_its_inner_contexts(bench: Bench, touch: Touch) -> None:
    """An outer call that raises undoes what successful inner calls brought, at every depth."""
    bench.put_each(*"pq")
    session = bench.session()
    outer = session.call("outer")

    def run() -> None:
        with outer:
            with session.call("middle"):
                touch(session, "p/x")
            touch(session, "q/x")
            raise KeyError("after the inner calls")

    with pytest.raises(KeyError):
        run()
    assert outer.contexts == ()
    assert (touch(session, "p/x"), touch(session, "q/x")) == (["set p/AGENTS.md"], ["set q/AGENTS.md"])


def test_failing_outer_call_keeps_its_inner_contexts(bench: Bench, touch: Touch, tell: Tell) -> None:
    """An outer call that reports an error keeps what inner calls brought; what it touched itself counts for nothing."""
    bench.put_each(*"pq")
    session = bench.session()
    with session.call("outer") as outer:
        touch(session, "p/x")
        outer.touch("q/x", "read")
        outer.fail()
    assert tell(outer.contexts) == ["set p/AGENTS.md"]
    assert touch(session, "p/x") == []
    assert touch(session, "q/x") == ["set q/AGENTS.md"]


def test_raising_inner_call_leaves_its_siblings(bench: Bench, touch: Touch, tell: Tell) -> None:
    """An inner call that raises, caught by the outer tool, takes nothing but its own with it."""
    bench.put_each(*"pq")
    session = bench.session()
    with session.call("outer") as outer:
        touch(session, "p/x")
        with pytest.raises(KeyError):
            raise_in(session.call("inner"), "q/x")
        assert touch(session, "q/y") == ["set q/AGENTS.md"]
    assert tell(outer.contexts) == ["set p/AGENTS.md", "set q/AGENTS.md"]


def test_undo_brings_back_what_was_pending_before(bench: Bench, touch: Touch) -> None:
    """Undoing an update falls back to the earlier pending text, not to nothing."""
    bench.put_each("p")
    session = bench.session()
    assert touch(session, "p/x", "first") == ["set p/AGENTS.md"]
    bench.put("p/AGENTS.md", "other")
    assert touch(session, "p/x", "second") == ["replace p/AGENTS.md"]
    session.rollback("second")
    assert touch(session, "p/x", "third") == ["replace p/AGENTS.md"]
    session.rollback("third")
    session.rollback("first")
    assert touch(session, "p/x") == ["set p/AGENTS.md"]


def test_root_has_no_outer_call(bench: Bench, tell: Tell) -> None:
    """With `parent=ROOT` a call stands alone, though another one is open around it."""
    bench.put_each("p")
    session = bench.session()
    outer = session.call("outer")

    def run() -> None:
        with outer:
            with session.call("alone", parent=ROOT) as alone:
                alone.touch("p/x", "read")
            assert tell(alone.contexts) == ["set p/AGENTS.md"]
            raise KeyError("of the outer one")

    with pytest.raises(KeyError):
        run()
    with session.call() as later:
        later.touch("p/x", "read")
    assert later.contexts == ()


def test_explicit_parent(bench: Bench, tell: Tell) -> None:
    """With an explicit parent a call belongs to it wherever it runs, a plain thread included."""
    bench.put_each(*"pq")
    session = bench.session()

    def work(parent: Call, path: str) -> None:
        with session.call(parent=parent) as call:
            call.touch(path, "read")

    with session.call("outer") as outer:
        for path in ("p/x", "q/x"):
            thread = threading.Thread(target=work, args=(outer, path))
            thread.start()
            thread.join()
    assert tell(outer.contexts) == ["set p/AGENTS.md", "set q/AGENTS.md"]


def test_parent_is_checked(bench: Bench) -> None:
    """A parent that is no call is a usage error that names it."""
    with pytest.raises(UsageError, match="'outer'"):
        bench.session().call("inner", parent="outer")


def test_parent_is_keyword_only(bench: Bench) -> None:
    """`parent` is never given by position."""
    with pytest.raises(TypeError):
        bench.session().call("inner", ROOT)  # type: ignore[call-arg] # what is tested


def test_call_after_the_outer_one_ended_stands_alone(bench: Bench, touch: Touch) -> None:
    """A call whose parent has ended is a call of its own."""
    bench.put_each("p")
    session = bench.session()
    with session.call("outer") as outer:
        pass
    with session.call("late", parent=outer) as late:
        late.touch("p/x", "read")
    assert len(late.contexts) == 1
    assert outer.contexts == ()
    assert touch(session, "p/x") == []


def test_tasks_inside_a_call_belong_to_it(bench: Bench, tell: Tell) -> None:
    """Tasks started in a call carry it along: their calls are inside it, each file delivered once."""
    bench.put_each(*"pqrs")
    session = bench.session()

    async def work(path: str) -> None:
        async with session.call(path) as call:
            await asyncio.sleep(0)
            call.touch(path, "read")

    async def run() -> Call:
        async with session.call("outer") as outer:
            await asyncio.gather(*(work(f"{directory}/x") for directory in "pqrspqrs"))
        return outer

    assert sorted(tell(asyncio.run(run()).contexts)) == [f"set {directory}/AGENTS.md" for directory in "pqrs"]


def test_late_task_of_an_ended_call_is_outside(bench: Bench, tell: Tell) -> None:
    """A task that goes on after its call ended opens calls of its own, which are no part of the ended one."""
    bench.put_each("p")
    session = bench.session()

    async def run() -> tuple[Call, Call]:
        ended = asyncio.Event()

        async def late() -> Call:
            await ended.wait()
            async with session.call("late") as call:
                call.touch("p/x", "read")
            return call

        async with session.call("outer") as outer:
            task = asyncio.create_task(late())
            await asyncio.sleep(0)
        ended.set()
        return outer, await task

    outer, late = asyncio.run(run())
    assert outer.contexts == ()
    assert tell(late.contexts) == ["set p/AGENTS.md"]
    assert late.parent is None


def test_late_access_of_an_ended_call_is_unobserved(local: Workspace, disk: Path) -> None:
    """The session's filesystem used by a task after its call ended passes through unobserved."""
    session = local.session("s")

    async def run() -> bytes:
        ended = asyncio.Event()

        async def late() -> bytes:
            await ended.wait()
            return bytes(session.fs.cat_file(str(disk / "p" / "a.txt")))

        async with session.call("outer"):
            task = asyncio.create_task(late())
            await asyncio.sleep(0)
        ended.set()
        return await task

    assert asyncio.run(run()) == b"one\ntwo\n"
    assert session.stats.batches == 0


def test_threads_use_the_filesystem_of_the_call(local: Workspace, disk: Path, tell: Tell) -> None:
    """Plain threads carry no open call, so `session.fs` passes through there; `call.fs` belongs to the call."""
    session = local.session("s")
    with session.call() as call, ThreadPoolExecutor(2) as pool:
        pool.submit(session.fs.cat_file, str(disk / "p" / "a.txt")).result()
        assert call.touches == ()
        pool.submit(call.fs.cat_file, str(disk / "p" / "a.txt")).result()
        pool.submit(call.fs.cat_file, str(disk / "p" / "q" / "b.txt")).result()
    assert tell(call.contexts) == ["set p/AGENTS.md", "set p/q/AGENTS.md"]


def test_filesystem_of_an_ended_call_is_unobserved(local: Workspace, disk: Path) -> None:
    """`call.fs` of a call that has ended passes through."""
    session = local.session("s")
    with session.call() as call:
        fs = call.fs
    assert fs.cat_file(str(disk / "p" / "a.txt")) == b"one\ntwo\n"
    assert session.stats.batches == 0


def test_to_thread_carries_the_call(local: Workspace, disk: Path, tell: Tell) -> None:
    """`asyncio.to_thread` carries the open call, so the session's filesystem touches there."""
    session = local.session("s")

    async def run() -> Call:
        async with session.call() as call:
            await asyncio.to_thread(session.fs.cat_file, str(disk / "p" / "a.txt"))
        return call

    assert tell(asyncio.run(run()).contexts) == ["set p/AGENTS.md"]


def test_calls_of_two_sessions_nest_without_mixing(bench: Bench, tell: Tell) -> None:
    """A call of one session inside a call of another one is no part of it."""
    bench.put_each(*"pq")
    one, two = bench.session("one"), bench.session("two")
    with one.call() as outer, two.call() as inner:
        inner.touch("p/x", "read")
        outer.touch("q/x", "read")
    assert inner.parent is None
    assert tell(outer.contexts) == ["set q/AGENTS.md"]
    assert tell(inner.contexts) == ["set p/AGENTS.md"]


def test_contexts_of_a_composite_reach_the_log_in_order(
    bench: Bench, touch: Touch, log_all: Callable[[SessionLog, Iterable[Context]], None]
) -> None:
    """Appended in order, the contexts of a composite are confirmed, so that its step may end."""
    bench.put_each(*"pq")
    session: Session = bench.session()
    with session.step():
        with session.call("outer") as outer:
            touch(session, "q/x")
            touch(session, "p/x")
        log_all(session.log, outer.contexts)
    assert touch(session, "p/x") == touch(session, "q/x") == []
    assert session.status().pending == ()


def test_inner_step_belongs_to_the_outermost_end(bench: Bench, touch: Touch) -> None:
    """What an inner call brought belongs to the step in which its outermost call ends."""
    bench.put_each("p")
    session = bench.session()
    with session.call("outer"):
        with session.step():
            touch(session, "p/x")
        assert touch(session, "p/x") == []
    with session.step():
        pass
    assert touch(session, "p/x") == []
