"""A small project on disk, and the command line run in this process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from guidefs.cli.main import main


@dataclass(frozen=True)
class Ran:
    """What one run of the command line left.

    Args:
        code: the exit code.
        out: what it wrote to standard output.
        err: what it wrote to standard error.
    """

    code: int
    out: str
    err: str

    @property
    def facts(self) -> dict[str, Any]:
        """The standard output as JSON."""
        parsed: dict[str, Any] = json.loads(self.out)
        return parsed


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a root file, a package and a duplicate; no home directory."""
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("DSH_HOME", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    root = tmp_path / "project"
    for name, text in {
        "AGENTS.md": "root rule",
        "api/AGENTS.md": "api rule",
        "api/CLAUDE.md": "api rule\n",
        "api/src/main.py": "pass\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".git").mkdir()
    time.sleep(0.03)  # a file written in the last moment has no version yet that could be trusted
    return root


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the command line with some words."""

    def run_words(*words: object) -> Ran:
        code = main([str(word) for word in words])
        captured = capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    return run_words
