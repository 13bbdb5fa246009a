"""Recorded scenarios, played and compared byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from guidefs import JsonlSessionLog, SessionLog
from guidefs.testing.comparison import differences
from guidefs.testing.replay import play

_OWN = Path(__file__).parent / "golden" / "own.jsonl"
_RANDOM = Path(__file__).parent / "golden" / "random.jsonl"
_SHARED = Path(os.environ.get("GUIDEFS_SHARED") or Path(__file__).resolve().parents[2] / "shared")
_PUBLIC = _SHARED / "golden" / "public.jsonl"


def scenarios(path: Path) -> list[Any]:
    """The scenarios of a file, each with its name as the test's id; lines end at LF and nowhere else."""
    if not path.exists():
        return []
    lines = [line for line in path.read_text("utf-8").split("\n") if line.strip()]
    return [pytest.param(row, id=row["name"]) for row in map(json.loads, lines)]


def check(scenario: dict[str, Any], log: SessionLog | None = None) -> None:
    """Play a scenario, then compare what came out with what is expected, reads as an upper bound."""
    played = play({key: value for key, value in scenario.items() if key != "expect"}, log=log)
    assert differences(scenario, played) == []


@pytest.mark.skipif(not _SHARED.exists(), reason="the folder of shared scenarios is absent")
def test_shared_scenarios_are_there() -> None:
    """Where the shared folder exists, it holds scenarios to play."""
    assert scenarios(_PUBLIC)


@pytest.mark.parametrize("scenario", scenarios(_PUBLIC))
def test_shared_scenario(scenario: dict[str, Any]) -> None:
    """A shared scenario gives its expected texts, metadata and log, with no more reads than expected."""
    check(scenario)


@pytest.mark.parametrize("scenario", scenarios(_OWN))
def test_own_scenario(scenario: dict[str, Any]) -> None:
    """A scenario derived by hand from the specification gives exactly what is expected of it."""
    check(scenario)


@pytest.mark.parametrize("scenario", scenarios(_RANDOM))
def test_random_scenario(scenario: dict[str, Any]) -> None:
    """A random history gives exactly what a second reading of the specification, kept apart from the code, gave."""
    check(scenario)


@pytest.mark.parametrize("scenario", [*scenarios(_PUBLIC), *scenarios(_OWN)])
def test_scenario_with_a_saved_log(scenario: dict[str, Any], tmp_path: Path) -> None:
    """With the log in a file instead of in memory, every scenario gives the same."""
    with JsonlSessionLog(tmp_path / "log.jsonl", on_event=lambda event: pytest.fail(str(event))) as log:
        check(scenario, log)


def replayed(*rows: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """What the replayer writes for some scenarios on its standard input."""
    return subprocess.run(
        [sys.executable, "-m", "guidefs.testing.replay"],
        input="".join(json.dumps(row) + "\n" for row in rows),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_replayer_writes_one_line_a_scenario() -> None:
    """The replayer answers each scenario of its standard input with one line, in their order, as they are played."""
    rows = [parameter.values[0] for parameter in scenarios(_OWN)[:3]]
    done = replayed(*rows)
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(line) for line in done.stdout.split("\n")[:-1]] == [play(row) for row in rows]


def test_replayer_goes_on_after_a_scenario_that_breaks() -> None:
    """A scenario that cannot be played is reported on standard error, and those after it are played all the same."""
    good = scenarios(_OWN)[0].values[0]
    broken = {**good, "name": "broken", "steps": [{"op": "touch_version", "path": "missing"}]}
    done = replayed(broken, good)
    assert done.returncode == 1
    assert "'broken' cannot be played" in done.stderr
    assert [json.loads(line)["name"] for line in done.stdout.split("\n")[:-1]] == [good["name"]]


def test_own_scenarios_are_many_and_distinct() -> None:
    """There are at least forty scenarios of our own beside the random ones, each with a name of its own."""
    names = [parameter.id for path in (_OWN, _RANDOM) for parameter in scenarios(path)]
    assert len(scenarios(_OWN)) >= 40
    assert scenarios(_RANDOM)
    assert len(set(names)) == len(names)
