"""Recorded scenarios over S3: the same texts, metadata and log as on the local disk, and no more reads."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from s3fs import S3FileSystem

from guidefs.testing.comparison import differences
from guidefs.testing.objectstores import ObjectStore
from guidefs.testing.replay import play
from guidefs.testing.s3_stage import S3Stage

_HERE = Path(__file__).resolve()
_SHARED = Path(os.environ.get("GUIDEFS_SHARED") or _HERE.parents[3] / "shared")
_PUBLIC = _SHARED / "golden" / "public.jsonl"
_OWN = _HERE.parents[1] / "golden" / "own.jsonl"
_RANDOM = _HERE.parents[1] / "golden" / "random.jsonl"


def reason_to_leave_out(scenario: dict[str, Any]) -> str | None:
    """Why a scenario has no meaning on an object store, if it has none.

    All other steps have one. A directory is a placeholder key. `touch_version` cannot be a second PUT of the same
    bytes, which would have the ETag of the first; it uploads them in parts, which gives another ETag. `~` is on
    the local disk, as it is for an agent whose files lie on S3.
    """
    if scenario.get("provider") == "memory":
        return "it is played on a lenient store in memory, which reads what is no text, keeps versions and hides sizes"
    if any("symlink" in entry for entry in scenario["tree"].values()):
        return "the tree holds links"
    if any(step["op"] == "symlink" for step in scenario["steps"]):
        return "a step makes a link"
    return None


def read(*paths: Path) -> list[dict[str, Any]]:
    """The scenarios of some files; lines end at LF and nowhere else."""
    lines = [line for path in paths if path.exists() for line in path.read_text("utf-8").split("\n")]
    return [json.loads(line) for line in lines if line.strip()]


def scenarios(*paths: Path) -> list[Any]:
    """Those that can be played, each with its name as the test's id."""
    return [pytest.param(row, id=row["name"]) for row in read(*paths) if reason_to_leave_out(row) is None]


@pytest.fixture(scope="session")
def filesystems() -> dict[str, Any]:
    """The filesystem of each store that was used, by the address of the store."""
    return {}


@pytest.fixture
def stage(filesystems: dict[str, Any]) -> Callable[[ObjectStore], S3Stage]:
    """Makes the stage of a scenario on a store."""

    def make(store: ObjectStore) -> S3Stage:
        if store.url not in filesystems:
            filesystems[store.url] = S3FileSystem(**store.options())
            filesystems[store.url].call_s3("create_bucket", Bucket="golden")
        directory = f"golden/{secrets.token_hex(8)}"
        return S3Stage(filesystems[store.url], directory)

    return make


def check(scenario: dict[str, Any], stage: S3Stage) -> None:
    """Play a scenario, then compare what came out with what is expected."""
    played = play({key: value for key, value in scenario.items() if key != "expect"}, stage)
    assert differences(scenario, played) == []


@pytest.mark.parametrize("scenario", scenarios(_PUBLIC))
def test_shared_scenario(store: ObjectStore, stage: Callable[..., S3Stage], scenario: dict[str, Any]) -> None:
    """A shared scenario gives on each store what it gives on the local disk, with no more reads."""
    check(scenario, stage(store))


@pytest.mark.parametrize("scenario", scenarios(_OWN, _RANDOM))
def test_own_scenario(seaweed_store: ObjectStore, stage: Callable[..., S3Stage], scenario: dict[str, Any]) -> None:
    """A scenario of our own gives on S3 what it gives on the local disk, with no more reads.

    On one store only: moto takes a minute more, and cannot hold keys with a line end, which one scenario has.
    """
    check(scenario, stage(seaweed_store))


def test_little_is_left_out() -> None:
    """What is not played here are scenarios with links and those made for a store in memory, and no others."""
    rows = read(_PUBLIC, _OWN, _RANDOM)
    left_out = [row for row in rows if reason_to_leave_out(row) is not None]
    assert all("symlink" in json.dumps(row) or row["provider"] == "memory" for row in left_out)
    assert len(scenarios(_OWN)) >= 110


def test_the_replayer_plays_on_a_bucket(moto_store: ObjectStore, stage: Callable[..., S3Stage]) -> None:
    """The replayer takes an address to play at, with the usual environment variables, and leaves nothing there."""
    scenario = next(row for row in read(_OWN) if reason_to_leave_out(row) is None)
    own = stage(moto_store)
    done = subprocess.run(
        [sys.executable, "-m", "guidefs.testing.replay", "s3://golden/replayed"],
        input=json.dumps(scenario) + "\n",
        env={**os.environ, **moto_store.environment()},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == play(scenario)
    assert own.fs.call_s3("list_objects_v2", Bucket="golden", Prefix="replayed/")["KeyCount"] == 0
