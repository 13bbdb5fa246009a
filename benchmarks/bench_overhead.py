"""What the wrapping filesystem costs on top of the inner call, both measured in one run.

    python benchmarks/bench_overhead.py

Prints the medians per call in microseconds. It fails if, outside a call, `info` costs more than 2 microseconds over
the inner call, or `cat_file` more than 6.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from guidefs.filesystem import GuideFileSystem

ROUNDS = 41
CALLS = 400
BUDGETS_MICROSECONDS = {"info": 2.0, "cat_file": 6.0}
CONTENT = b"x" * 4096


class Nobody:
    """A session outside a call."""

    def current(self) -> None:
        """There is no call."""


class Somebody:
    """A session in a call, which forgets what it is told."""

    def current(self) -> Somebody:
        """The call is this object."""
        return self

    def touch(self, path: str, operation: str) -> None:
        """Forget the touch."""


def microseconds(action: Callable[[], Any]) -> float:
    """How long one call takes, averaged over a round."""
    started = time.perf_counter()
    for _ in range(CALLS):
        action()
    return (time.perf_counter() - started) / CALLS * 1e6


def compare(actions: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The medians of several actions whose rounds alternate, so that a slow moment meets all of them alike."""
    rounds: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(ROUNDS):
        for name, action in actions.items():
            rounds[name].append(microseconds(action))
    plain = rounds["plain"]
    medians = {name: statistics.median(times) for name, times in rounds.items()}
    for name in ("outside", "inside"):
        differences = [wrapped - bare for wrapped, bare in zip(rounds[name], plain, strict=True)]
        medians[f"+{name}"] = statistics.median(differences)
    return medians


def methods(path: str) -> dict[str, Callable[[Any], Any]]:
    """The measured calls."""
    return {
        "info": lambda fs: fs.info(path),
        "cat_file": lambda fs: fs.cat_file(path),
        "open + read": lambda fs: fs.open(path, "rb").read(),
        "pipe_file": lambda fs: fs.pipe_file(path, CONTENT),
    }


def measure(title: str, inner: Any, path: str) -> bool:
    """Measure one inner filesystem; whether the budgets were kept."""
    inner.pipe_file(path, CONTENT)
    twins = {
        "plain": inner,
        "outside": GuideFileSystem(inner, recorder=Nobody()),
        "inside": GuideFileSystem(inner, recorder=Somebody()),
    }
    kept = True
    columns = f"{'plain':>8} {'outside':>8} {'inside':>8} {'+outside':>9} {'+inside':>8}"
    print(f"{title:<8} {'method':<12} {columns}   microseconds a call")
    for name, call in methods(path).items():
        medians = compare({twin: partial(call, fs) for twin, fs in twins.items()})
        budget = BUDGETS_MICROSECONDS.get(name)
        over = budget is not None and medians["+outside"] > budget
        kept = kept and not over
        figures = " ".join(f"{medians[twin]:8.2f}" for twin in twins)
        limit = "" if budget is None else f"   at most +{budget:g} outside: {'OVER' if over else 'ok'}"
        print(f"{'':<8} {name:<12} {figures} {medians['+outside']:+9.2f} {medians['+inside']:+8.2f}{limit}")
    return kept


async def measure_coroutine(inner: Any, path: str) -> None:
    """Print what the asynchronous half costs over fsspec's own adapter for synchronous filesystems."""
    from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

    twins = {
        "adapter": AsyncFileSystemWrapper(inner, asynchronous=True),
        "wrapper": GuideFileSystem(inner, recorder=Nobody(), asynchronous=True),
    }
    rounds: dict[str, list[float]] = {name: [] for name in twins}
    for _ in range(ROUNDS):
        for name, fs in twins.items():
            started = time.perf_counter()
            for _ in range(CALLS // 10):
                await fs._info(path)
            rounds[name].append((time.perf_counter() - started) / (CALLS // 10) * 1e6)
    figures = ", ".join(f"{name} {statistics.median(times):.1f}" for name, times in rounds.items())
    print(f"\n_info over a synchronous filesystem, microseconds a call: {figures}")


def main() -> int:
    """Measure, print, judge."""
    with tempfile.TemporaryDirectory() as directory:
        local = measure("local", LocalFileSystem(), str(Path(directory) / "f"))
        memory = measure("memory", MemoryFileSystem(global_store=False, skip_instance_cache=True), "/f")
        asyncio.run(measure_coroutine(LocalFileSystem(), str(Path(directory) / "f")))
    return 0 if local and memory else 1


if __name__ == "__main__":
    sys.exit(main())
