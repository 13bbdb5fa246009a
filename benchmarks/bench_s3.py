"""What asking for instruction files on S3 costs, in requests and time, beside what people write by hand.

    python benchmarks/bench_s3.py [--delay-ms N] [--rounds N] [--json FILE] [--check | --smoke]

SeaweedFS runs on loopback, behind a proxy in a process of its own that adds a delay to each request and counts them.
Needs the extras s3, s3-fast and test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fsspec.asyn import sync
from s3fs import S3FileSystem

from guidefs.storage import Limits
from guidefs.testing.objectstores import ObjectStore, seaweedfs
from guidefs.values.answer import Question, Text
from guidefs_s3 import S3Provider

BUCKET = "bench"
BODY = b"Use tabs.\n" * 1_000  # 10 kB
NAMES = ("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md")
SIZES = (4, 24, 68, 260, 1_000)

PROXY = """
import json, sys
from guidefs.testing.latency import LatencyProxy
with LatencyProxy(sys.argv[1], delay_seconds=float(sys.argv[2])) as proxy:
    print(proxy.url, flush=True)
    for _ in sys.stdin:
        listed = sum("list-type" in request.target for request in proxy.requests)
        print(json.dumps([len(proxy.requests), listed]), flush=True)
        proxy.reset()
"""

Step = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Result:
    """One line of a table; times in milliseconds, requests of one round."""

    what: str
    candidates: int
    requests: int
    listings: int
    median_ms: float
    least_ms: float


class Proxy:
    """The counting, delaying proxy in its own process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.url = self._line()

    def counts(self) -> tuple[int, int]:
        """The requests and, of them, the listings since the last look."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        requests, listings = json.loads(self._line())
        return requests, listings

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def slowed(store: ObjectStore, delay_seconds: float) -> Iterator[Proxy]:
    """A proxy in front of the store."""
    command = [sys.executable, "-c", PROXY, store.url, str(delay_seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - made above
        try:
            yield Proxy(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()  # ends its loop


def measure(fs: Any, proxy: Proxy, what: str, candidates: int, step: Step, rounds: int) -> Result:
    """Run a step some times on the filesystem's loop, after two rounds to warm connections up."""
    durations: list[float] = []
    for number in range(rounds + 2):
        proxy.counts()
        begun = time.perf_counter()
        sync(fs.loop, step)
        if number > 1:
            durations.append((time.perf_counter() - begun) * 1e3)
    requests, listings = proxy.counts()
    return Result(what, candidates, requests, listings, statistics.median(durations), min(durations))


def paths_of(candidates: int) -> list[str]:
    """The candidates of so many files, four a directory."""
    return [f"{BUCKET}/d{n}/{name}" for n in range(candidates // len(NAMES)) for name in NAMES]


def lay_out(store: ObjectStore, directories: int) -> None:
    """One instruction file in each of the first four directories, and in every fourth one; a few others in all."""
    fs = S3FileSystem(**store.options())
    fs.call_s3("create_bucket", Bucket=BUCKET)

    async def fill() -> None:
        gate = asyncio.Semaphore(32)

        async def put(key: str, body: bytes) -> None:
            async with gate:
                await fs._call_s3("put_object", Bucket=BUCKET, Key=key, Body=body)

        files = [put(f"d{n}/AGENTS.md", BODY) for n in range(directories) if n < 4 or n % 4 == 0]
        others = [put(f"d{n}/{name}", b"x") for n in range(directories) for name in ("a.py", "b.py", "c.py")]
        await asyncio.gather(*files, *others)

    sync(fs.loop, fill)


async def one_by_one(fs: Any, paths: Sequence[str]) -> object:
    """What people write: does it exist, then read it."""
    return [await fs._cat_file(path) for path in paths if await fs._exists(path)]


async def gathered(fs: Any, paths: Sequence[str]) -> object:
    """The same for all at once, by `_info`."""

    async def one(path: str) -> object:
        with suppress(FileNotFoundError):
            await fs._info(path)
            return await fs._cat_file(path)
        return None

    return await asyncio.gather(*(one(path) for path in paths))


async def ranges(fs: Any, paths: Sequence[str]) -> object:
    """fsspec's own way to read the beginnings of many files."""
    return await fs._cat_ranges(list(paths), 0, (1 << 20) + 1, on_error="return")


def asking(provider: S3Provider, questions: Sequence[Question]) -> Step:
    """One batch."""
    return lambda: provider.afetch(questions, Limits())


def known(fs: Any, provider: S3Provider, paths: Sequence[str]) -> list[Question]:
    """The questions of somebody who has seen all answers."""
    answers = sync(fs.loop, provider.afetch, [Question(path) for path in paths], Limits())
    versions = (answer.version if isinstance(answer, Text) else None for answer in answers)
    return [Question(path, version) for path, version in zip(paths, versions, strict=True)]


def side_by_side(store: ObjectStore, proxy: Proxy, rounds: int) -> list[Result]:
    """Twenty-four candidates of which four exist, asked in every way."""
    directories = [f"d{n}" for n in range(4)] + [f"e{n}" for n in range(8)]
    paths = [f"{BUCKET}/{directory}/{name}" for directory in directories for name in NAMES[:2]]
    results = []
    for pool in (10, 50):
        fs = S3FileSystem(**store.options(url=proxy.url, pool=pool, use_listings_cache=False))
        ways: list[tuple[str, Step]] = [
            ("exists, then cat_file, one by one", lambda fs=fs: one_by_one(fs, paths)),  # type: ignore[misc] # bound
            ("gathered _info and _cat_file", lambda fs=fs: gathered(fs, paths)),  # type: ignore[misc] # bound
            ("cat_ranges", lambda fs=fs: ranges(fs, paths)),  # type: ignore[misc] # bound
        ]
        for engine in ("s3fs", "obstore"):
            provider = S3Provider(fs, engine=engine)
            ways.append((f"guidefs over {engine}, all new", asking(provider, [Question(path) for path in paths])))
            ways.append((f"guidefs over {engine}, unchanged", asking(provider, known(fs, provider, paths))))
        for what, step in ways:
            few = 3 if "one by one" in what else rounds
            results.append(measure(fs, proxy, f"{what} (pool of {pool})", len(paths), step, few))
    return results


def plans(store: ObjectStore, proxy: Proxy, rounds: int, sizes: Sequence[int]) -> list[Result]:
    """Both plans with both engines for batches of growing size, new and unchanged."""
    results = []
    for candidates in sizes:
        paths = paths_of(candidates)
        for engine in ("s3fs", "obstore"):
            for plan, list_above in (("one by one", None), ("by listing", 0)):
                fs = S3FileSystem(**store.options(url=proxy.url, pool=64))
                provider = S3Provider(fs, engine=engine, list_above=list_above)
                new = [Question(path) for path in paths]
                seen = known(fs, provider, paths)
                what = f"{engine}, {plan}"
                results.append(measure(fs, proxy, f"{what}, all new", candidates, asking(provider, new), rounds))
                results.append(measure(fs, proxy, f"{what}, unchanged", candidates, asking(provider, seen), rounds))
    return results


def table(title: str, results: Sequence[Result], baseline: Result | None = None) -> str:
    """A Markdown table, with ratios if there is something to compare to."""
    head = "| way | candidates | requests | of them LIST | median ms | least ms |"
    lines = [
        f"### {title}",
        "",
        head + (" times faster |" if baseline else ""),
        "|---|" + "---:|" * (6 if baseline else 5),
    ]
    for r in results:
        line = f"| {r.what} | {r.candidates} | {r.requests} | {r.listings} | {r.median_ms:.1f} | {r.least_ms:.1f} |"
        lines.append(line + (f" {baseline.median_ms / r.median_ms:.1f} |" if baseline else ""))
    return "\n".join([*lines, ""])


def check_requests(compared: Sequence[Result], planned: Sequence[Result]) -> None:
    """Assert the requests that the documentation promises, which do not depend on the machine."""
    requests = {result.what: result.requests for result in compared}
    assert requests["exists, then cat_file, one by one (pool of 50)"] == 52
    assert requests["guidefs over s3fs, unchanged (pool of 50)"] == 24
    assert requests["guidefs over obstore, unchanged (pool of 50)"] == 24
    for result in planned:
        if "one by one" in result.what:
            assert (result.requests, result.listings) == (result.candidates, 0), result
        if "by listing, unchanged" in result.what:
            assert (result.requests, result.listings) == (result.candidates // 4, result.candidates // 4), result


def check_times(compared: Sequence[Result]) -> None:
    """Assert the ratios that the documentation promises."""
    by_name = {result.what: result for result in compared}
    slowest = by_name["exists, then cat_file, one by one (pool of 50)"]
    ours = by_name["guidefs over s3fs, unchanged (pool of 50)"]
    fast = by_name["guidefs over obstore, unchanged (pool of 50)"]
    assert slowest.median_ms >= 15 * ours.median_ms, "not 15 times faster than one by one"
    # The two are one wave of as many GETs, so that a tenth is noise.
    assert ours.median_ms <= 1.1 * by_name["cat_ranges (pool of 50)"].median_ms, "slower than cat_ranges"
    assert slowest.median_ms >= 30 * fast.median_ms, "obstore is not 30 times faster than one by one"


def main() -> None:
    """Measure, print both tables, and check them on demand."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--delay-ms", type=float, default=20, help="what the proxy adds to each request")
    parser.add_argument("--rounds", type=int, default=7, help="how often each way is measured")
    parser.add_argument("--json", type=Path, help="also write all results to this file")
    parser.add_argument("--check", action="store_true", help="fail if requests or ratios are not as documented")
    parser.add_argument("--smoke", action="store_true", help="small sizes, one round, no delay; check requests only")
    arguments = parser.parse_args()
    sizes = SIZES[:2] if arguments.smoke else SIZES
    if arguments.smoke:
        arguments.delay_ms, arguments.rounds = 0, 1
    with seaweedfs() as store:
        lay_out(store, sizes[-1] // len(NAMES))
        with slowed(store, arguments.delay_ms / 1e3) as proxy:
            compared = side_by_side(store, proxy, arguments.rounds)
            planned = plans(store, proxy, arguments.rounds, sizes)
    print(table(f"24 candidates of which 4 exist, +{arguments.delay_ms:g} ms a request", compared, compared[0]))
    print(table(f"Both plans and engines, +{arguments.delay_ms:g} ms a request", planned))
    if arguments.json:
        everything = {"delay_ms": arguments.delay_ms, "side_by_side": compared, "plans": planned}
        arguments.json.write_text(json.dumps(everything, default=asdict, indent=2))
    if arguments.check or arguments.smoke:
        check_requests(compared, planned)
    if arguments.check:
        check_times(compared)


if __name__ == "__main__":
    main()
