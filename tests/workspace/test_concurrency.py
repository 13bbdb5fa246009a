"""Many tasks and threads over one session."""

from __future__ import annotations

import asyncio
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from guidefs.values.answer import Marker
from guidefs.values.digest import digest

if TYPE_CHECKING:
    from tests.workspace.conftest import Bench

    from guidefs import Call, Context, Session
    from guidefs.storage import Limits
    from guidefs.testing import FakeProvider
    from guidefs.values.answer import Answer, Question

    Tell = Callable[[Iterable[Context]], list[str]]

SCOPES = [f"d{number}" for number in range(200)]
TASKS = 64
THREADS = 16
_PATIENCE_SECONDS = 120


class SlowProvider:
    """A provider that takes its time, so that calls overlap.

    Args:
        disk: what it answers from.
    """

    def __init__(self, disk: FakeProvider) -> None:
        self._disk = disk
        self._lock = threading.Lock()

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer after a while."""
        time.sleep(0.002)
        with self._lock:
            return self._disk.fetch(questions, limits)

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer after a while, on the loop."""
        await asyncio.sleep(0.002)
        with self._lock:
            return self._disk.fetch(questions, limits)


@pytest.fixture
def slow(make_bench: Callable[..., Bench]) -> Bench:
    """A workspace with 200 scopes on a slow backend."""
    bench = make_bench()
    bench.put_each(*SCOPES)
    bench.workspace = bench.workspace.over(SlowProvider(bench.disk))
    return bench


def shares(workers: int, seed: int) -> list[list[str]]:
    """For each worker a random order of paths; every scope is touched by several workers."""
    order = random.Random(seed)  # noqa: S311 - an order to touch in, no secret
    return [order.sample(SCOPES, 25) for _ in range(workers - 8)] + [SCOPES[start::8] for start in range(8)]


def once(contexts: Iterable[Context], tell: Tell) -> None:
    """Check that every scope was told exactly once."""
    assert Counter(tell(contexts)) == {f"set {name}/AGENTS.md": 1 for name in SCOPES}


async def work(session: Session, names: Iterable[str]) -> list[Context]:
    """Touch scopes one call after another on a loop."""
    found: list[Context] = []
    for name in names:
        async with session.call() as call:
            call.touch(f"{name}/x", "read")
        found.extend(call.contexts)
    return found


def plain_work(session: Session, names: Iterable[str]) -> list[Context]:
    """Touch scopes one call after another in a thread."""
    found: list[Context] = []
    for name in names:
        with session.call() as call:
            call.touch(f"{name}/x", "read")
        found.extend(call.contexts)
    return found


async def in_time(awaitable: Any) -> Any:
    """Await something that must not wait for ever."""
    return await asyncio.wait_for(awaitable, _PATIENCE_SECONDS)


@pytest.mark.parametrize("seed", [1, 2])
def test_tasks_share_batches(slow: Bench, tell: Tell, seed: int) -> None:
    """64 tasks over 200 scopes are told each once, with far fewer batches than calls."""
    session = slow.session()
    parts = shares(TASKS, seed)

    async def run() -> list[list[Context]]:
        return list(await in_time(asyncio.gather(*(work(session, part) for part in parts))))

    once([context for found in asyncio.run(run()) for context in found], tell)
    assert session.stats.batches < sum(map(len, parts)) / 8
    assert session.stats.unavailable == 0


@pytest.mark.parametrize("seed", [3, 4])
def test_threads_share_batches(slow: Bench, tell: Tell, seed: int) -> None:
    """16 threads over 200 scopes are told each once, with far fewer batches than calls."""
    session = slow.session()
    parts = shares(THREADS, seed)
    with ThreadPoolExecutor(THREADS) as pool:
        futures = [pool.submit(plain_work, session, part) for part in parts]
        found = [context for future in futures for context in future.result(_PATIENCE_SECONDS)]
    once(found, tell)
    assert session.stats.batches < sum(map(len, parts)) / 3
    assert session.stats.unavailable == 0


def test_threads_and_tasks_together(slow: Bench, tell: Tell) -> None:
    """64 tasks and 16 threads on one session are told each scope once between them, with shared batches."""
    session = slow.session()
    parts = shares(TASKS + THREADS, 5)

    async def run(pool: ThreadPoolExecutor) -> list[Context]:
        loop = asyncio.get_running_loop()
        tasks = [work(session, part) for part in parts[THREADS:]]
        threads = [loop.run_in_executor(pool, plain_work, session, part) for part in parts[:THREADS]]
        return [context for found in await in_time(asyncio.gather(*tasks, *threads)) for context in found]

    with ThreadPoolExecutor(THREADS) as pool:
        once(asyncio.run(run(pool)), tell)
    assert session.stats.batches < sum(map(len, parts)) / 3
    assert session.stats.unavailable == 0


def test_plain_calls_on_a_loop_do_not_wait_for_tasks(slow: Bench, tell: Tell) -> None:
    """A plain call made on the loop while a task's fetch is under way does not wait for it, which would be for ever."""
    session = slow.session()

    async def both(part: list[str]) -> list[Context]:
        found = await work(session, part[::2])
        return found + plain_work(session, part[1::2])

    async def run() -> list[Context]:
        parts = [SCOPES[start::20] for start in range(20)]
        return [c for found in await in_time(asyncio.gather(*map(both, parts))) for c in found]

    once(asyncio.run(run()), tell)


def test_loops_in_several_threads(slow: Bench, tell: Tell) -> None:
    """A session may be used from several event loops at once."""
    session = slow.session()

    def loop(part: list[str]) -> list[Context]:
        async def run() -> list[Context]:
            halves = await in_time(asyncio.gather(work(session, part[::2]), work(session, part[1::2])))
            return [context for found in halves for context in found]

        return asyncio.run(run())

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(loop, [SCOPES[start::4] for start in range(4)]))
    once([context for contexts in found for context in contexts], tell)


def test_tasks_of_one_composite(slow: Bench, tell: Tell) -> None:
    """64 tasks inside one composite are told each scope once, all of it in the outer call."""
    session = slow.session()

    async def run() -> Call:
        async with session.call("outer") as outer:
            await in_time(asyncio.gather(*(work(session, part) for part in shares(TASKS, 6))))
        return outer

    once(asyncio.run(run()).contexts, tell)


def test_sessions_in_threads_are_isolated(slow: Bench, tell: Tell) -> None:
    """Sessions over one workspace, each in its own thread, are each told everything once."""
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda number: plain_work(slow.session(str(number)), SCOPES), range(4)):
            once(found, tell)


def test_batch_covers_only_calls_that_ended_before(make_bench: Callable[..., Bench], tell: Tell) -> None:
    """A call that wrote a file and ended while another's fetch was under way is told what it wrote."""
    bench = make_bench()

    class Writing(SlowProvider):
        async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
            answers = self._disk.fetch(questions, limits)
            await asyncio.sleep(0.01)
            return answers

    bench.workspace = bench.workspace.over(Writing(bench.disk))
    session = bench.session()

    async def write() -> tuple[Context, ...]:
        async with session.call() as call:
            bench.put("p/AGENTS.md", "just written")
            call.touch("p/AGENTS.md", "write")
        return call.contexts

    async def run() -> tuple[Context, ...]:
        await work(session, ["q"])
        reading = asyncio.create_task(work(session, ["p"]))
        await asyncio.sleep(0.005)
        written = await write()
        await reading
        return written

    assert tell(asyncio.run(run())) == ["set p/AGENTS.md"]


def test_late_answers_never_bring_back_what_is_older(make_bench: Callable[..., Bench], tell: Tell) -> None:
    """Answers that were given before a newer fetch, and arrive after it, tell nothing of what that fetch told."""
    bench = make_bench()

    class Late:
        """Answers at once; on a loop the answers arrive only when they are let through."""

        def __init__(self) -> None:
            self.answered = asyncio.Event()
            self.arrive = asyncio.Event()

        def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
            return bench.disk.fetch(questions, limits)

        async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
            answers = bench.disk.fetch(questions, limits)
            self.answered.set()
            await self.arrive.wait()
            return answers

    late = Late()
    bench.workspace = bench.workspace.over(late)
    session = bench.session()
    bench.put("p/AGENTS.md", "older")
    plain_work(session, ["q"])

    async def run() -> tuple[list[Context], list[Context]]:
        task = asyncio.create_task(work(session, ["p"]))
        await late.answered.wait()
        bench.put("p/AGENTS.md", "newer")
        newer = plain_work(session, ["p"])
        late.arrive.set()
        return newer, await in_time(task)

    newer, older = asyncio.run(run())
    assert tell(newer) == ["set p/AGENTS.md"]
    assert "newer" in newer[0].text
    assert older == []
    assert plain_work(session, ["p"]) == []


def test_edits_under_way_settle(slow: Bench, tell: Tell) -> None:
    """While files change under many threads nothing is lost: once they rest, what was told last is what they say."""
    session = slow.session()
    names = SCOPES[:20]
    order = random.Random(7)  # noqa: S311 - an order to write in, no secret
    edits = [(order.choice(names), f"text {number}") for number in range(300)]
    told: list[Context] = []

    def edit() -> None:
        for name, text in edits:
            slow.put(f"{name}/AGENTS.md", text)
            time.sleep(0.0002)

    with ThreadPoolExecutor(THREADS) as pool:
        futures = [pool.submit(plain_work, session, names * 3) for _ in range(THREADS - 1)]
        pool.submit(edit).result(_PATIENCE_SECONDS)
        for future in futures:
            future.result(_PATIENCE_SECONDS)
    session.confirm()
    told.extend(plain_work(session, names))
    session.confirm()
    assert plain_work(session, names) == []
    last = {change.path: change.digest for message in session.log.visible() for change in message.changes}
    final = {**{name: f"rules of {name}" for name in names}, **dict(edits)}
    assert last == {f"{name}/AGENTS.md": digest(text) for name, text in final.items()}


def test_steps_and_rollbacks_among_threads(slow: Bench, tell: Tell) -> None:
    """Threads whose calls are rolled back at random leave everything either told or due, and nothing twice."""
    session = slow.session()
    kept: list[Context] = []
    lock = threading.Lock()

    def worker(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - a choice of what to block, no secret
        for name in chance.sample(SCOPES, 60):
            call_id = f"{seed}-{name}"
            with session.call(call_id) as call:
                call.touch(f"{name}/x", "read")
            if chance.random() < 0.5:
                session.rollback(call_id)
            else:
                session.confirm(call_id)
                with lock:
                    kept.extend(call.contexts)

    with ThreadPoolExecutor(THREADS) as pool:
        for future in [pool.submit(worker, seed) for seed in range(THREADS)]:
            future.result(_PATIENCE_SECONDS)
    kept.extend(plain_work(session, SCOPES))
    once(kept, tell)


class Interrupted(SlowProvider):
    """A provider whose first batch about files waits for a gate, and is interrupted if it is told to be.

    Args:
        disk: what it answers from.
        raises: what the first batch raises once the gate is open; `None` lets it answer.
    """

    def __init__(self, disk: FakeProvider, raises: type[BaseException] | None) -> None:
        super().__init__(disk)
        self.gate = threading.Event()
        self.entered = threading.Event()
        self._raises = raises

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer, the first time after the gate was opened."""
        if isinstance(questions[0], Marker) or self.entered.is_set():
            return super().fetch(questions, limits)
        self.entered.set()
        self.gate.wait(_PATIENCE_SECONDS)
        if self._raises is not None:
            raise self._raises
        return super().fetch(questions, limits)


def test_interrupted_leader_leaves_its_work_to_the_others(make_bench: Callable[..., Bench], tell: Tell) -> None:
    """When the thread that fetches for others is interrupted, those that wait fetch themselves."""
    bench = make_bench()
    bench.put_each("p", "q", "r")
    provider = Interrupted(bench.disk, KeyboardInterrupt)
    bench.workspace = bench.workspace.over(provider)
    session = bench.session()
    with ThreadPoolExecutor(3) as pool:
        leading = pool.submit(plain_work, session, ["p"])
        provider.entered.wait(_PATIENCE_SECONDS)
        others = [pool.submit(plain_work, session, [name]) for name in "qr"]
        time.sleep(0.05)
        provider.gate.set()
        with pytest.raises(KeyboardInterrupt):
            leading.result(_PATIENCE_SECONDS)
        told = sorted(change for other in others for change in tell(other.result(_PATIENCE_SECONDS)))
    assert told == ["set q/AGENTS.md", "set r/AGENTS.md"]
    assert tell(plain_work(session, ["p"])) == ["set p/AGENTS.md"]


def test_interrupted_waiting_thread_harms_nobody(make_bench: Callable[..., Bench], tell: Tell) -> None:
    """A thread that is interrupted while it waits for another's fetch ends, and its files stay due."""
    bench = make_bench()
    bench.put_each("p", "q")
    provider = Interrupted(bench.disk, None)
    bench.workspace = bench.workspace.over(provider)
    session = bench.session()
    with ThreadPoolExecutor(1) as pool:
        leading = pool.submit(plain_work, session, ["p"])
        provider.entered.wait(_PATIENCE_SECONDS)
        interrupting = threading.Timer(0.2, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            plain_work(session, ["q"])
        interrupting.join()
        provider.gate.set()
        assert tell(leading.result(_PATIENCE_SECONDS)) == ["set p/AGENTS.md"]
    assert tell(plain_work(session, ["q"])) == ["set q/AGENTS.md"]
