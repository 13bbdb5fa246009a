"""A process that appends is killed at random moments: nothing acknowledged is lost, nothing is told again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = Path(__file__).parent / "killed.py"
_ROUNDS = 200


def test_killed_two_hundred_times(tmp_path: Path) -> None:
    """After each of 200 kills the log is readable, holds what was acknowledged, and a resumed run repeats nothing."""
    words = [sys.executable, str(_PROGRAM), str(tmp_path), str(_ROUNDS), "7"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["lost"], found["repeated"], found["faults"]) == ([], [], [])
    # The kills met processes at work: most of them after the baseline, some with many turns behind them.
    assert found["acknowledged"] > _ROUNDS
    assert found["baselines"] > _ROUNDS / 2
    # A rewrite that was cut off may leave its temporary file, which nobody takes for the log.
    assert {name for name in os.listdir(tmp_path) if not name.endswith(".tmp")} == {"work", "log.jsonl"}
