"""What a touch and a baseline cost, counted."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from guidefs import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.workspace.conftest import Bench

    from guidefs import Session

    Touch = Callable[..., list[str]]

COUNT = 64


@pytest.fixture
def loaded(tmp_path: Path) -> Session:
    """A session over the local disk that has 64 directories loaded."""
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    for number in range(COUNT):
        (root / f"d{number}").mkdir()
        (root / f"d{number}" / "AGENTS.md").write_text(f"rules {number}")
    # A clock that runs ahead, so that no file counts as too young for its timestamp to be trusted.
    workspace = Workspace(
        str(root), max_bytes=1 << 20, home=str(tmp_path / "home"), clock=lambda: time.time_ns() + 10_000_000_000
    )
    session = workspace.session("s")
    session.prefix()
    with session.call() as call:
        for number in range(COUNT):
            call.touch(f"d{number}/x", "read")
    session.confirm()
    return session


def test_unchanged_directories_cost_one_batch_and_no_read(loaded: Session, touch: Touch) -> None:
    """With 64 directories loaded and nothing changed, a touch asks one batch and reads nothing."""
    assert len(loaded.status().visible) == COUNT
    before = loaded.stats
    assert touch(loaded, "d3/x") == []
    after = loaded.stats
    assert (after.batches - before.batches, after.reads - before.reads) == (1, 0)
    assert after.stats - before.stats == 1 + 4 * (COUNT + 1)
    assert after.unavailable == 0


def test_one_change_among_many_costs_one_batch_and_one_read(loaded: Session, touch: Touch, tmp_path: Path) -> None:
    """One changed file among them is the only one that is read, in the same batch."""
    (tmp_path / "repo" / "d7" / "AGENTS.md").write_text("newer rules")
    before = loaded.stats
    assert touch(loaded, "x") == ["replace d7/AGENTS.md"]
    after = loaded.stats
    assert (after.batches - before.batches, after.reads - before.reads) == (1, 1)


def test_first_touch_without_a_baseline_costs_two_batches(bench: Bench, touch: Touch) -> None:
    """The first touch of a run without a baseline finds the root in a batch of its own; later ones cost one."""
    bench.put_each("p", "q")
    session = bench.session()
    touch(session, "p/x")
    assert session.stats.batches == 2
    touch(session, "q/x")
    assert session.stats.batches == 3


def test_copy_that_comes_to_light_costs_a_second_batch(bench: Bench, touch: Touch) -> None:
    """A remembered copy that has to be shown after all costs one batch more, for that text alone."""
    bench.put("p/AGENTS.md", "same")
    bench.put("p/CLAUDE.md", "same")
    bench.put_each("q")
    session = bench.session()
    touch(session, "p/x")
    touch(session, "q/x")
    bench.delete("p/AGENTS.md")
    before = session.stats
    assert touch(session, "x") == ["remove p/AGENTS.md", "set p/CLAUDE.md"]
    after = session.stats
    assert (after.batches - before.batches, after.reads - before.reads) == (2, 1)


def test_chain_of_copies_costs_no_more_than_two_batches(bench: Bench, touch: Touch) -> None:
    """However many copies come to light at once, two batches are enough."""
    for name in ("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md"):
        for directory in ("p", "p/q", "p/q/r"):
            bench.put(f"{directory}/{name}", "same")
    session = bench.session()
    touch(session, "p/q/r/x")
    for directory in ("p", "p/q", "p/q/r"):
        bench.delete(f"{directory}/AGENTS.md")
    before = session.stats.batches
    assert len(touch(session, "x")) == 6
    assert session.stats.batches - before == 2


def test_unreadable_files_are_read_once(make_bench: Callable[..., Bench], touch: Touch) -> None:
    """Files that are too large or no text are not read again until they change; failures are asked again each time."""
    bench = make_bench(max_source_bytes=10)
    bench.put("p/AGENTS.md", "\0")
    bench.put("p/CLAUDE.md", "longer than ten")
    bench.put("q/AGENTS.md", "fails")
    bench.fail("q/AGENTS.md")
    session = bench.session()
    touch(session, "p/x")
    before = session.stats.reads
    assert touch(session, "p/x") == []
    assert session.stats.reads == before
    unavailable = session.stats.unavailable
    touch(session, "q/x")
    touch(session, "q/x")
    assert session.stats.unavailable == unavailable + 2


def test_bounded_read_that_shows_the_size_counts_as_a_read(make_bench: Callable[..., Bench], touch: Touch) -> None:
    """Where only reading shows that a file is too large, that read is counted, and not repeated."""
    from guidefs.testing import FakeProvider

    disk = FakeProvider(omit_size=["/work/p/AGENTS.md"])
    bench = make_bench(disk, max_source_bytes=10)
    disk.put("/work/p/AGENTS.md", "longer than ten")
    session = bench.session()
    assert touch(session, "p/x") == []
    assert session.stats.reads == 1
    assert touch(session, "p/x") == []
    assert session.stats.reads == 1


def test_bound_of_a_batch_serves_the_most_specific_first(make_bench: Callable[..., Bench], touch: Touch) -> None:
    """What does not fit the bound of one batch is due at a later touch, the most specific files come first."""
    bench = make_bench(max_batch_bytes=100)
    for directory in ("p", "p/q", "p/q/r"):
        bench.put(f"{directory}/AGENTS.md", directory[-1] * 60)
    session = bench.session()
    told = [touch(session, "p/q/r/x") for _ in range(4)]
    assert told == [["set p/q/r/AGENTS.md"], ["set p/q/AGENTS.md"], ["set p/AGENTS.md"], []]


def test_bound_of_a_batch_is_never_a_removal(make_bench: Callable[..., Bench], touch: Touch) -> None:
    """A loaded file whose new text does not fit the batch stays in force until it is read."""
    bench = make_bench(max_batch_bytes=100)
    for directory in ("p", "p/q"):
        bench.put(f"{directory}/AGENTS.md", "short")
    session = bench.session()
    touch(session, "p/q/x")
    for directory in ("p", "p/q"):
        bench.put(f"{directory}/AGENTS.md", directory[-1] * 60)
    assert touch(session, "x") == ["replace p/q/AGENTS.md"]
    assert touch(session, "x") == ["replace p/AGENTS.md"]


def test_prefix_costs_two_batches(bench: Bench) -> None:
    """A baseline costs two batches, markers and files, also when it is composed again."""
    bench.put("AGENTS.md", "root")
    session = bench.session()
    session.prefix()
    assert session.stats.batches == 2
    session.prefix()
    assert session.stats.batches == 4


def test_async_costs_are_the_same(bench: Bench) -> None:
    """On an event loop the same things are asked."""
    bench.put("AGENTS.md", "root")
    bench.put_each("p")
    one, two = bench.session(), bench.session()

    async def run() -> None:
        await two.aprefix()
        async with two.call() as call:
            call.touch("p/x", "read")

    one.prefix()
    with one.call() as call:
        call.touch("p/x", "read")
    asyncio.run(run())
    assert one.stats == two.stats
