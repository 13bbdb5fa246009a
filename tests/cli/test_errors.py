"""What the command line says when it cannot do what it is asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["prefix", "{project}/none"], ["none", "does not exist"]),
        (["prefix", "{project}", "--cwd", "none"], ["none", "does not exist"]),
        (["simulate", "{project}/none", "x"], ["none", "does not exist"]),
        (["explain", "x", "--workspace", "{project}/none"], ["none", "does not exist"]),
        (["prefix", "{project}/AGENTS.md"], ["AGENTS.md", "director"]),
        (["prefix", "{project}", "--max-source-bytes", "-5"], ["max_source_bytes", "-5"]),
        (["prefix", "{project}", "--max-source-bytes", "1.5"], ["max_source_bytes", "1.5"]),
        (["prefix", "{project}", "--max-bytes", "many"], ["--max-bytes", "a number of bytes", "many"]),
        (["prefix", "a\0b"], ["NUL"]),
        (["explain", "a\0b", "--workspace", "{project}"], ["names no path", "a\\x00b"]),
        (["prefix", "nosuch://x"], ["nosuch"]),
        (["prefix", "github://x"], ["github://x", "--storage-option"]),
        (["prefix", "{project}", "--config", "{project}/bad.toml"], ["colour"]),
        (["prefix", "{project}", "--config", "{project}/where.toml"], ["cwd", "where.toml"]),
        (["prefix", "{project}", "--config", "{project}/none.toml"], ["none.toml", "--config"]),
        (["prefix", "{project}", "--config", "{project}"], ["project", "--config"]),
        (["prefix", "{project}", "--storage-option", "novalue"], ["novalue", "KEY=VALUE"]),
        (["explain", "   ", "--workspace", "{project}"], ["names no path"]),
        (["explain", "s3://other/x", "--workspace", "{project}"], ["names no path", "s3://other/x"]),
        (["simulate", "{project}", "api/x", ""], ["names no path", "''"]),
        (["simulate", "{project}", "--rm", "s3://other/x"], ["names no path", "s3://other/x"]),
        (["simulate", "{project}", "--edit", "=text"], ["names no path"]),
        (["simulate", "{project}", "--edit", "nothing"], ["PATH=TEXT", "nothing"]),
        (["simulate", "{project}", "--jso", "x"], ["--jso"]),
        (["simulate"], ["WORKSPACE"]),
        (["frobnicate"], ["frobnicate"]),
        ([], ["COMMAND"]),
    ],
)
def test_what_cannot_be_done_is_said_with_its_value(project: Path, run: Run, words: list[str], says: list[str]) -> None:
    """The exit code is 2, the message names the value, nothing else is printed, and there is no traceback."""
    (project / "bad.toml").write_text('colour = "blue"\n')
    (project / "where.toml").write_text('cwd = "api"\n')
    ran = run(*(word.replace("{project}", str(project)) for word in words))
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err
    for part in says:
        assert part in ran.err


def test_a_message_cannot_act_on_the_terminal(run: Run) -> None:
    """A hostile word in a message is shown as text."""
    ran = run("prefix", "--no\x1b[31m\x9b")
    assert ran.code == 2
    assert "--no\\u001b[31m\\u009b" in ran.err


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


@pytest.mark.parametrize("max_bytes", ["0", "-1", "nan", "inf"])
def test_a_budget_that_switches_loading_off_is_said(project: Path, run: Run, max_bytes: str) -> None:
    """Each command says that nothing is loaded because of the budget, and JSON has no number that it cannot hold."""
    option = f"--max-bytes={max_bytes}"
    for words in (["explain", "x", "--workspace", project], ["simulate", project, "x"], ["prefix", project]):
        ran = run(*words, option)
        assert "switches all loading off" in ran.out + ran.err
        assert run(*words, option, "--json").facts["max_bytes"] == (
            None if max_bytes in {"nan", "inf"} else int(max_bytes)
        )


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
