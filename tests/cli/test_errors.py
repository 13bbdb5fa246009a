"""What the command line says when it cannot do what it is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["prefix", "{project}/none"], ["none", "does not exist"]),
        (["prefix", "{project}/AGENTS.md"], ["AGENTS.md", "director"]),
        (["prefix", "{project}", "--max-source-bytes", "-5"], ["max_source_bytes", "-5"]),
        (["prefix", "{project}", "--max-bytes", "many"], ["many"]),
        (["prefix", "a\0b"], ["NUL"]),
        (["prefix", "nosuch://x"], ["nosuch"]),
        (["prefix", "{project}", "--config", "{project}/bad.toml"], ["colour"]),
        (["prefix", "{project}", "--config", "{project}/none.toml"], ["none.toml"]),
        (["prefix", "{project}", "--storage-option", "novalue"], ["novalue", "KEY=VALUE"]),
        (["explain", "   ", "--workspace", "{project}"], ["names no path"]),
        (["simulate", "{project}", "--edit", "nothing"], ["PATH=TEXT", "nothing"]),
        (["simulate"], ["WORKSPACE"]),
        (["frobnicate"], ["frobnicate"]),
        ([], ["COMMAND"]),
    ],
)
def test_what_cannot_be_done_is_said_with_its_value(project: Path, run: Run, words: list[str], says: list[str]) -> None:
    """The exit code is 2, the message names the value, and there is no traceback."""
    (project / "bad.toml").write_text('colour = "blue"\n')
    ran = run(*(word.replace("{project}", str(project)) for word in words))
    assert ran.code == 2
    assert "Traceback" not in ran.err
    for part in says:
        assert part in ran.err


def test_settings_come_from_a_file_that_is_named(project: Path, run: Run) -> None:
    """A file of settings is read where it is named, and an option on the command line goes before it."""
    (project / "guidefs.toml").write_text('candidates = ["GUIDE.md"]\nmax_bytes = 5_000\n')
    (project / "GUIDE.md").write_text("guide rule")
    facts = run("prefix", project, "--config", project / "guidefs.toml", "--json").facts
    assert [change["path"] for change in facts["changes"]] == ["GUIDE.md"]
    assert facts["max_bytes"] == 5_000
    assert (
        run("prefix", project, "--config", project / "guidefs.toml", "--max-bytes", 600, "--json").facts["max_bytes"]
        == 600
    )


def test_a_workspace_does_not_choose_its_settings(project: Path, run: Run) -> None:
    """A file of settings that lies in a workspace is not read on its own."""
    (project / "guidefs.toml").write_text('candidates = ["EVIL.md"]\n')
    assert [change["path"] for change in run("prefix", project, "--json").facts["changes"]] == ["AGENTS.md"]


def test_the_module_runs_as_a_program(project: Path) -> None:
    """`python -m guidefs.cli` is the same program, quiet when its reader stops reading."""
    ran = subprocess.run(
        [sys.executable, "-m", "guidefs.cli", "prefix", str(project)], capture_output=True, check=True, text=True
    )
    assert "root rule" in ran.stdout


def test_output_survives_a_terminal_without_unicode(project: Path) -> None:
    """A terminal that can show ASCII only gets stand-ins instead of an error."""
    (project / "AGENTS.md").write_text("Grüße → ☂")
    ran = subprocess.run(
        [sys.executable, "-m", "guidefs.cli", "simulate", str(project), "api/f"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
    )
    assert b"Gr\\xfc" in ran.stdout


def test_no_read_permission_is_said(project: Path, run: Run) -> None:
    """A directory that may not be read is an error that names it, for a user who is not root."""
    project.chmod(0o000)
    if os.geteuid() != 0:
        ran = run("prefix", project)
    else:
        assert run("prefix", project).code == 0, "root reads everything, and everything is imported now"
        os.seteuid(65_534)
        try:
            ran = run("prefix", project)
        finally:
            os.seteuid(0)
    project.chmod(0o700)
    assert ran.code == 2
    assert str(project) in ran.err
    assert "Traceback" not in ran.err
