"""`guidefs watch`: changes as they happen, until interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Ran


def start(*words: object) -> subprocess.Popen[str]:
    """Start the program."""
    return subprocess.Popen(
        [sys.executable, "-m", "guidefs.cli", "watch", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def changes(event: dict[str, Any]) -> list[tuple[str, str]]:
    """What one event told."""
    return [(change["action"], change["path"]) for context in event["contexts"] for change in context["changes"]]


@pytest.mark.parametrize("words", [[], ["--poll-seconds", "0.05"]], ids=["events", "polling"])
def test_shows_changes_live(project: Path, words: list[str]) -> None:
    """The baseline, each touch and then each change are one JSON object a line; an interrupt ends it with 130."""
    process = start(project, "api/src/main.py", "--json", *words)
    assert process.stdout is not None
    lines = (json.loads(line) for line in process.stdout)
    first, second = next(lines), next(lines)
    assert (first["kind"], changes(first)) == ("baseline", [("set", "AGENTS.md")])
    assert (second["kind"], second["path"], changes(second)) == ("touch", "api/src/main.py", [("set", "api/AGENTS.md")])
    (project / "api" / "CLAUDE.md").unlink()
    (project / "api" / "AGENTS.md").write_text("newer")
    third = next(lines)
    assert (third["schema"], third["command"], third["kind"]) == (1, "watch", "change")
    assert changes(third) == [("replace", "api/AGENTS.md")]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")


def test_for_people(project: Path) -> None:
    """The same for people."""
    process = start(project, "api/src/main.py")
    assert process.stdout is not None
    (project / "api" / "CLAUDE.md").unlink()
    shown = ""
    while "touch api/src/main.py" not in shown or not shown.rstrip().endswith(("╯", "nothing new")):
        shown += process.stdout.readline()
    (project / "api" / "AGENTS.md").write_text("newer rule")
    while "newer rule" not in shown:
        shown += process.stdout.readline()
    assert "changed on disk" in shown
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


@pytest.mark.parametrize(("words", "reason"), [
    (["no-such"], "does not exist"), ([".", "--poll-seconds", "0"], "poll_seconds"),
    ([".", "--poll-seconds", "x"], "poll-seconds"), ([".", " "], "names no path"), ([], "WORKSPACE"),
])  # fmt: skip
def test_words_that_are_off(
    run: Callable[..., Ran], project: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], reason: str
) -> None:
    """What cannot be done is a message, at once."""
    monkeypatch.chdir(project)
    ran = run("watch", *words)
    assert ran.code == 2
    assert reason in ran.err
