"""What the length of the history costs: a touch over a long log, and a look at many messages.

    python benchmarks/bench_log.py [--smoke]

Prints ratios of medians of one run, and the times beside them. With `--smoke` sizes are tiny and only counts matter.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from guidefs import JsonlSessionLog, Message, Session, SessionLog, Workspace
from guidefs.values.change import Change
from guidefs.values.context import metadata
from guidefs.values.scope import Scope

DIRECTORIES = 64


def make_project(root: Path) -> Workspace:
    """A project with instructions in many directories."""
    (root / ".git").mkdir(parents=True)
    for number in range(DIRECTORIES):
        (root / f"d{number}").mkdir()
        (root / f"d{number}" / "AGENTS.md").write_text(f"rules of d{number}")
    time.sleep(0.05)  # a file written in the last moment has no version yet that could be trusted
    return Workspace(root, max_bytes=1 << 20, home=str(root / "nobody"))


def fill(log: SessionLog, events: int) -> None:
    """Append what a long run leaves: every fourth message is one of ours, the others are the host's."""
    text = "x" * 1000
    for number in range(events):
        if number % 4:
            log.append(Message(text, {"kind": "tool"}))
        else:
            # Of the same few files in a short log and in a long one, so that both make a touch examine as many paths.
            scope = Scope(f"other{number // 4 % 3}", "AGENTS.md")
            change = Change("set", scope, f"{scope.directory}/AGENTS.md", str(number))
            log.append(Message("", meta=metadata([change]), frame=f"xxh3:{number:032x}"))


def warm(workspace: Workspace, log: SessionLog) -> Session:
    """A session that was told of every directory, and whose versions are known."""
    session = workspace.session("bench", log=log)
    session.prefix()
    for number in range(DIRECTORIES):
        touch(session, number)
    # What the long log speaks of is not on disk; its removal is told once.
    touch(session, 0)
    touch(session, 0)
    return session


def touch(session: Session, number: int) -> None:
    """Touch one directory and confirm what it brought."""
    with session.call() as call:
        call.touch(f"d{number}/file", "read")
    if call.contexts:
        session.confirm()


def medians(works: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The median time of each piece of work in seconds, taken in turns."""
    times: dict[str, list[float]] = {name: [] for name in works}
    gc.disable()
    try:
        for _ in range(rounds):
            for name, work in works.items():
                start = time.perf_counter()
                work()
                times[name].append(time.perf_counter() - start)
    finally:
        gc.enable()
    return {name: statistics.median(taken) for name, taken in times.items()}


def bench_touch(folder: Path, long: int, rounds: int) -> None:
    """Touches over short and long logs, in memory and in a file."""
    workspace = make_project(folder / "work")
    logs: dict[str, SessionLog] = {}
    for events in (10, long):
        logs[f"memory, {events:,} events"] = SessionLog()
        logs[f"file, {events:,} events"] = JsonlSessionLog(folder / f"{events}.jsonl")
        for name, log in logs.items():
            if name.endswith(f" {events:,} events"):
                fill(log, events)
    sessions = {name: warm(workspace, log) for name, log in logs.items()}
    before = {name: session.stats for name, session in sessions.items()}
    works = {name: (lambda session=session: touch(session, 0)) for name, session in sessions.items()}
    found = medians(works, rounds)
    for name, session in sessions.items():
        asked = (session.stats.batches - before[name].batches, session.stats.reads - before[name].reads)
        assert asked == (rounds, 0), f"{name}: {asked} batches and reads in {rounds} touches"
        print(f"touch, log in {name:<24} {found[name] * 1e6:8.0f} us")
    for kind in ("memory", "file"):
        ratio = found[f"{kind}, {long:,} events"] / found[f"{kind}, 10 events"]
        print(f"touch, log in {kind:<24} {ratio:8.2f} times ({long:,} events against 10)")


def bench_observe(folder: Path, count: int, rounds: int) -> None:
    """A look at many messages of 1 KB when one is new: the same objects again, and all of them copies."""
    workspace = make_project(folder / "observed")
    session = warm(workspace, SessionLog())
    messages: list[Any] = [{"role": "user", "content": f"{number} " + "x" * 1000} for number in range(count)]
    session.observe(messages)

    def one_new() -> None:
        messages.append({"role": "user", "content": "y" * 1000})
        session.observe(messages)

    found = medians({"one new": one_new}, rounds)
    copies = [[dict(message) for message in messages] for _ in range(min(rounds, 15))]
    found |= medians({"all new": lambda: session.observe(copies.pop())}, len(copies))
    print(f"observe {count:,} messages, one of them new      {found['one new'] * 1e3:8.2f} ms")
    print(f"observe {count:,} messages, all of them new      {found['all new'] * 1e3:8.2f} ms")


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, for the counts alone")
    smoke = parser.parse_args().smoke
    with tempfile.TemporaryDirectory() as folder:
        bench_touch(Path(folder), 100 if smoke else 100_000, 20 if smoke else 300)
        bench_observe(Path(folder), 100 if smoke else 10_000, 5 if smoke else 50)


if __name__ == "__main__":
    main()
