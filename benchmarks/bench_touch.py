"""What a touch costs on the local disk when nothing changed, beside a plain loop of `os.stat` over the same paths.

    python benchmarks/bench_touch.py [--directories N] [--rounds N]

Both run in this process, turn about, so that the ratio means something on any machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from guidefs import Session, Workspace
from guidefs.driver.call import Call


def main() -> None:
    """Print the medians with their ratio, and the counts of one touch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--directories", type=int, default=64, help="directories with a loaded instruction file")
    parser.add_argument("--rounds", type=int, default=300, help="how often each side is measured")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        paths = lay_out(root, arguments.directories)
        session = loaded(root, paths)
        before = session.stats
        touch(session.call(), paths[0])
        after = session.stats
        asked = [str(root / "no-home" / "AGENTS.md"), *examined(root, arguments.directories)]
        ours, floor = measure(lambda: touch(session.call(), paths[0]), lambda: stat_loop(asked), arguments.rounds)
    print(f"{arguments.directories} directories loaded, nothing changed, medians of {arguments.rounds}")
    print(f"paths examined by one touch   {after.stats - before.stats} (the loop: {len(asked)})")
    print(f"batches, contents read        {after.batches - before.batches}, {after.reads - before.reads}")
    print(f"touch                         {ours * 1e6:8.0f} us")
    print(f"os.stat loop                  {floor * 1e6:8.0f} us")
    print(f"ratio                         {ours / floor:8.2f}")


def loaded(root: Path, paths: list[str]) -> Session:
    """A session that was told every file and has nothing left to say."""
    session = Workspace(root, max_bytes=1 << 20, home=str(root / "no-home")).session("bench")
    session.prefix()
    with session.call("load") as call:
        for path in paths:
            call.touch(path, "read")
    session.confirm("load")
    time.sleep(0.05)  # so that no timestamp is too fresh to be trusted
    touch(session.call(), paths[0])
    touch(session.call(), paths[0])
    return session


def lay_out(root: Path, directories: int) -> list[str]:
    """Make a project with one instruction file a directory; give one path to touch in each."""
    (root / ".git").mkdir()
    (root / "AGENTS.md").write_text("root rule")
    paths = []
    for number in range(directories - 1):
        directory = root / f"package{number}"
        directory.mkdir()
        (directory / "AGENTS.md").write_text(f"rule {number}")
        paths.append(f"package{number}/module.py")
    return paths


def examined(root: Path, directories: int) -> list[str]:
    """The paths that one touch has to look at."""
    names = ("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md")
    folders = [root, *(root / f"package{number}" for number in range(directories - 1))]
    return [str(folder / name) for folder in folders for name in names]


def touch(call: Call, path: str) -> None:
    """One call that touches one path."""
    with call:
        call.touch(path, "read")


def stat_loop(paths: list[str]) -> None:
    """The floor: ask the operating system about each path, and do nothing with the answer."""
    for path in paths:
        try:
            os.stat(path)
        except OSError:
            pass


def measure(ours: Callable[[], None], floor: Callable[[], None], rounds: int) -> tuple[float, float]:
    """The median seconds of both, measured turn about."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for side, run in zip(taken, (ours, floor), strict=True):
            begin = time.perf_counter()
            run()
            side.append(time.perf_counter() - begin)
    return statistics.median(taken[0]), statistics.median(taken[1])


if __name__ == "__main__":
    main()
