"""Cancellation at every place where work waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from guidefs import Message, SessionLog
from guidefs.testing import FakeProvider
from guidefs.values.answer import Marker

if TYPE_CHECKING:
    from tests.workspace.conftest import Bench

    from guidefs import Context, Session
    from guidefs.storage import Limits
    from guidefs.values.answer import Answer, Question

    Touch = Callable[..., list[str]]
    Tell = Callable[[Iterable[Context]], list[str]]

_MOST_AWAITS = 100


class Suspension:
    """An awaitable that suspends its task once, without a loop's help."""

    def __await__(self) -> Generator[Suspension, None, None]:
        yield self


class SuspendingProvider:
    """A provider that suspends before, between and after the parts of its work.

    Args:
        disk: what it answers from.
    """

    def __init__(self, disk: FakeProvider) -> None:
        self._disk = disk

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer after several suspensions."""
        await Suspension()
        answers: list[Answer] = []
        for question in questions:
            answers.extend(self._disk.fetch([question], limits))
        await Suspension()
        await Suspension()
        return answers


class GatedProvider:
    """A provider whose answers about files wait until a gate is opened; markers are answered at once.

    Args:
        disk: what it answers from.
    """

    def __init__(self, disk: FakeProvider) -> None:
        self._disk = disk
        self.gate = asyncio.Event()
        self.entered = asyncio.Event()
        self.waiting = 0

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer once the gate is open."""
        answers = self._disk.fetch(questions, limits)
        if isinstance(questions[0], Marker):
            return answers
        self.waiting += 1
        self.entered.set()
        try:
            await self.gate.wait()
        finally:
            self.waiting -= 1
        return answers


def cancelled_after(coroutine: Coroutine[Any, Any, object], awaits: int) -> bool:
    """Drive a coroutine by hand and cancel it after some suspensions.

    Returns:
        Whether it was cancelled; false where it ended before.
    """
    try:
        for _ in range(awaits + 1):
            coroutine.send(None)
    except StopIteration:
        return False
    with pytest.raises(asyncio.CancelledError):
        coroutine.throw(asyncio.CancelledError())
    return True


async def touching(session: Session, *paths: str) -> tuple[Context, ...]:
    """One call that touches some paths."""
    async with session.call("c") as call:
        for path in paths:
            call.touch(path, "read")
    return call.contexts


def cancel_everywhere(
    make: Callable[[], tuple[Session, Callable[[], Coroutine[Any, Any, object]]]],
    expect: Callable[[Session], None],
) -> int:
    """Cancel a piece of work after each number of suspensions, in a fresh session each time.

    Args:
        make: makes a session in a state, with the work to cancel.
        expect: checks what the session does afterwards.

    Returns:
        At how many places it was cancelled.
    """

    async def run() -> int:
        for awaits in range(_MOST_AWAITS):
            session, work = make()
            before = session.status()
            if not cancelled_after(work(), awaits):
                return awaits
            after = session.status()
            assert (after.visible, after.removed, after.pending, after.due) == (
                before.visible,
                before.removed,
                before.pending,
                before.due,
            )
            with session.call() as probe:
                assert probe.parent is None
            expect(session)
        raise AssertionError("the work never ended")

    return asyncio.run(run())


def finished(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Drive a coroutine by hand to its end."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as stop:
        return stop.value


@pytest.fixture
def make_suspending(make_bench: Callable[..., Bench]) -> Callable[[], Bench]:
    """Makes a workspace whose provider suspends."""

    def make() -> Bench:
        bench = make_bench()
        bench.workspace = bench.workspace.over(SuspendingProvider(bench.disk))
        return bench

    return make


def test_first_touch(make_suspending: Callable[[], Bench], tell: Tell) -> None:
    """Cancelled anywhere, also while the root is looked for, a first touch leaves everything due."""

    def make() -> tuple[Session, Callable[[], Coroutine[Any, Any, object]]]:
        bench = make_suspending()
        bench.put_each("p", "p/q")
        session = bench.session()
        return session, lambda: touching(session, "p/q/x")

    def expect(session: Session) -> None:
        assert tell(finished(touching(session, "p/q/x"))) == ["set p/AGENTS.md", "set p/q/AGENTS.md"]
        assert finished(touching(session, "p/q/x")) == ()

    assert cancel_everywhere(make, expect) >= 6


def test_update_removal_and_new_file_at_once(make_suspending: Callable[[], Bench], tell: Tell) -> None:
    """Cancelled anywhere, a touch that finds an update, a removal and a new file leaves all three due."""

    def make() -> tuple[Session, Callable[[], Coroutine[Any, Any, object]]]:
        bench = make_suspending()
        bench.put_each("p", "q", "r")
        session = bench.session()
        finished(touching(session, "p/x", "q/x"))
        session.confirm()
        bench.put("p/AGENTS.md", "newer")
        bench.delete("q/AGENTS.md")
        return session, lambda: touching(session, "r/x")

    def expect(session: Session) -> None:
        changes = ["replace p/AGENTS.md", "remove q/AGENTS.md", "set r/AGENTS.md"]
        assert tell(finished(touching(session, "r/x"))) == changes
        assert finished(touching(session, "r/x")) == ()

    assert cancel_everywhere(make, expect) >= 3


def test_second_round(make_suspending: Callable[[], Bench], tell: Tell) -> None:
    """Cancelled in the second round too, where a copy has to be shown after all, a touch leaves both changes due."""

    def make() -> tuple[Session, Callable[[], Coroutine[Any, Any, object]]]:
        bench = make_suspending()
        bench.put("p/AGENTS.md", "same")
        bench.put("p/CLAUDE.md", "same")
        session = bench.session()
        finished(touching(session, "p/x"))
        bench.delete("p/AGENTS.md")
        return session, lambda: touching(session, "p/x")

    def expect(session: Session) -> None:
        assert tell(finished(touching(session, "p/x"))) == ["remove p/AGENTS.md", "set p/CLAUDE.md"]

    assert cancel_everywhere(make, expect) >= 6


def test_baseline(make_suspending: Callable[[], Bench], tell: Tell) -> None:
    """Cancelled anywhere, composing a baseline leaves no baseline behind, and what it would have reported due."""

    def make() -> tuple[Session, Callable[[], Coroutine[Any, Any, object]]]:
        bench = make_suspending()
        bench.put("AGENTS.md", "root")
        bench.put_each("p")
        first = bench.session()
        log = SessionLog(Message.of(context) for context in finished(touching(first, "p/x")))
        bench.put("p/AGENTS.md", "newer")
        session = bench.session(log=log)
        return session, session.aprefix

    def expect(session: Session) -> None:
        assert session.take() == ()
        assert tell(finished(touching(session, "x"))) == ["replace p/AGENTS.md"]
        prefix = finished(session.aprefix())
        assert prefix.text.endswith("root\n</system-reminder>")

    assert cancel_everywhere(make, expect) >= 6


def test_baseline_composed_again(make_suspending: Callable[[], Bench], tell: Tell) -> None:
    """Cancelled anywhere, composing a baseline again leaves the first one in force."""

    def make() -> tuple[Session, Callable[[], Coroutine[Any, Any, object]]]:
        bench = make_suspending()
        bench.put("AGENTS.md", "root")
        session = bench.session()
        finished(session.aprefix())
        bench.put("AGENTS.md", "newer")
        return session, session.aprefix

    def expect(session: Session) -> None:
        assert tell(finished(touching(session, "x"))) == ["replace AGENTS.md"]

    assert cancel_everywhere(make, expect) >= 3


def test_inner_call_of_a_composite(make_suspending: Callable[[], Bench], tell: Tell) -> None:
    """Cancelled anywhere, an inner call leaves nothing to the outer one, which goes on and keeps what it had."""

    def make() -> tuple[Session, Callable[[], Coroutine[Any, Any, object]]]:
        bench = make_suspending()
        bench.put_each("p", "q", "r")
        session = bench.session()
        finished(touching(session, "r/x"))
        return session, lambda: composite(session)

    async def composite(session: Session) -> None:
        async with session.call("outer"):
            await touching(session, "p/x")
            await touching(session, "q/x")

    def expect(session: Session) -> None:
        assert tell(finished(touching(session, "p/x", "q/x"))) == ["set p/AGENTS.md", "set q/AGENTS.md"]

    assert cancel_everywhere(make, expect) >= 6


def test_cancelled_inner_call_in_a_surviving_outer_one(make_suspending: Callable[[], Bench], tell: Tell) -> None:
    """An outer call that survives the cancellation of an inner one keeps what other inner calls brought."""
    bench = make_suspending()
    bench.put_each("p", "q")
    session = bench.session()

    async def run() -> tuple[Context, ...]:
        async with session.call("outer") as outer:
            await_first = touching(session, "p/x")
            finished(await_first)
            assert cancelled_after(touching(session, "q/x"), 1)
        return outer.contexts

    assert tell(asyncio.run(run())) == ["set p/AGENTS.md"]
    assert tell(asyncio.run(hand_driven(touching(session, "q/x")))) == ["set q/AGENTS.md"]


async def hand_driven(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Drive a coroutine by hand while a loop runs."""
    return finished(coroutine)


def test_body_of_a_call(make_suspending: Callable[[], Bench], tell: Tell) -> None:
    """A call that is cancelled in its body touches nothing."""

    def make() -> tuple[Session, Callable[[], Coroutine[Any, Any, object]]]:
        bench = make_suspending()
        bench.put_each("p")
        session = bench.session()

        async def work() -> None:
            async with session.call() as call:
                call.touch("p/x", "read")
                await Suspension()
                raise AssertionError("never reached")

        return session, work

    async def run() -> None:
        session, work = make()
        assert cancelled_after(work(), 0)
        assert session.stats.batches == 0
        assert tell(finished(touching(session, "p/x"))) == ["set p/AGENTS.md"]

    asyncio.run(run())


def test_waiting_task_is_released_at_once(make_bench: Callable[..., Bench], tell: Tell) -> None:
    """A cancelled task that waited for another's fetch ends before that fetch does, and harms it in nothing."""
    bench = make_bench()
    bench.put_each("p", "q")

    async def run() -> None:
        gated = GatedProvider(bench.disk)
        bench.workspace = bench.workspace.over(gated)
        session = bench.session()
        leading = asyncio.create_task(touching(session, "p/x"))
        await gated.entered.wait()
        waiting = asyncio.create_task(touching(session, "q/x"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(waiting, 5)
        assert gated.waiting == 1
        gated.gate.set()
        assert tell(await leading) == ["set p/AGENTS.md"]
        assert tell(await touching(session, "q/x")) == ["set q/AGENTS.md"]

    asyncio.run(run())


def test_cancelled_leader_leaves_its_work_to_the_others(make_bench: Callable[..., Bench], tell: Tell) -> None:
    """When the task that fetches for others is cancelled, the others fetch themselves and get what is theirs."""
    bench = make_bench()
    bench.put_each("p", "q", "r")

    async def run() -> None:
        gated = GatedProvider(bench.disk)
        bench.workspace = bench.workspace.over(gated)
        session = bench.session()
        leading = asyncio.create_task(touching(session, "p/x"))
        await gated.entered.wait()
        others = [asyncio.create_task(touching(session, f"{name}/x")) for name in "qr"]
        await asyncio.sleep(0)
        leading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(leading, 5)
        gated.gate.set()
        told = [change for contexts in await asyncio.gather(*others) for change in tell(contexts)]
        assert told == ["set q/AGENTS.md", "set r/AGENTS.md"]
        assert tell(await touching(session, "p/x")) == ["set p/AGENTS.md"]

    asyncio.run(run())


def test_timeout_of_a_touch(make_bench: Callable[..., Bench], tell: Tell) -> None:
    """A touch under a timeout ends with it, and everything stays due."""
    bench = make_bench()
    bench.put_each("p")

    async def run() -> None:
        gated = GatedProvider(bench.disk)
        bench.workspace = bench.workspace.over(gated)
        session = bench.session()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(touching(session, "p/x"), 0.01)
        assert gated.waiting == 0
        gated.gate.set()
        assert tell(await touching(session, "p/x")) == ["set p/AGENTS.md"]

    asyncio.run(run())


def test_home_on_another_filesystem(make_bench: Callable[..., Bench], tell: Tell, tmp_path: Any) -> None:
    """Cancelled while both filesystems are asked, a touch leaves both due."""
    (tmp_path / "AGENTS.md").write_text("global")
    bench = make_bench(home=str(tmp_path))
    bench.put("AGENTS.md", "root")

    async def run() -> None:
        gated = GatedProvider(bench.disk)
        bench.workspace = bench.workspace.over(gated)
        session = bench.session()
        composing = asyncio.create_task(session.aprefix())
        await gated.entered.wait()
        composing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(composing, 5)
        gated.gate.set()
        prefix = await session.aprefix()
        assert prefix is not None
        assert "global" in prefix.text
        assert "root" in prefix.text

    asyncio.run(run())
