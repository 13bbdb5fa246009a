"""The command that prints the baseline."""

from __future__ import annotations

import hashlib
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def on_a_terminal(*words: object) -> tuple[str, int]:
    """What the program shows on a terminal, with its exit code."""
    ours, theirs = pty.openpty()
    program = [sys.executable, "-m", "guidefs.cli", *map(str, words)]
    with subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL) as running:
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 4096):
                seen += piece
        except OSError:  # how Linux reports that the other end of a terminal was closed
            pass
        running.wait(timeout=60)
    os.close(ours)
    return seen.decode().replace("\r\n", "\n"), running.returncode


def test_the_baseline_is_printed_to_the_byte(project: Path, run: Run) -> None:
    """Standard output is the message and nothing else; what is said about it goes to standard error."""
    ran, facts = run("prefix", project), run("prefix", project, "--json").facts
    assert ran.out == facts["text"]
    assert facts["bytes"] == len(facts["text"].encode())
    assert facts["digest"] == hashlib.sha1(facts["text"].encode()).hexdigest()  # noqa: S324 - the digest is SHA-1
    assert facts["digest"] in ran.err
    assert facts["frame"] in ran.err
    assert "of 65536 bytes" in ran.err
    assert ran.code == 0


def test_a_terminal_gets_no_control_characters(project: Path) -> None:
    """On a terminal control characters are shown as text, unless the exact bytes are asked for."""
    (project / "AGENTS.md").write_text("red \x1b[31m, and \x9b31m")
    shown, code = on_a_terminal("prefix", project)
    assert "red \\u001b[31m, and \\u009b31m" in shown
    assert shown.endswith("</system-reminder>\n")
    assert code == 0
    raw, _ = on_a_terminal("prefix", project, "--raw")
    assert "red \x1b[31m, and \x9b31m" in raw


def test_what_is_said_about_it_holds_no_control_characters(project: Path, run: Run) -> None:
    """A finding about a hostile name cannot act on the terminal that shows standard error."""
    hostile = project / "a\x1b[31m\nb"
    hostile.mkdir()
    (hostile / "agents.md").write_text("x")
    ran = run("prefix", project, "--cwd", "a\x1b[31m\nb")
    assert "near miss: a\\u001b[31m\\u000ab/agents.md" in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    ("name", "content", "words", "says"),
    [
        ("AGENTS.md", b"r" * 1_000, ["--max-bytes", 500], "truncated: AGENTS.md, the first"),
        ("AGENTS.md", b"r" * 1_000, ["--max-source-bytes", 10], "too large: AGENTS.md, 1000 bytes"),
        ("AGENTS.md", b"\xff", [], "not text: AGENTS.md"),
        ("agents.md", b"x", [], "near miss: agents.md, not loaded; did you mean AGENTS.md?"),
    ],
)
def test_what_is_not_in_the_baseline_is_a_finding(
    project: Path, run: Run, name: str, content: bytes, words: list[object], says: str
) -> None:
    """A baseline that lacks something makes the exit code 1 and says what it lacks, in both forms of output."""
    (project / name).write_bytes(content)
    ran = run("prefix", project, *words)
    assert ran.code == 1
    assert says in ran.err
    facts = run("prefix", project, *words, "--json").facts
    assert facts["findings"] == 1
    assert [file["path"] for file in facts["files"] if file["finding"]] == [name]


def test_a_file_that_is_unavailable_is_a_finding(run: Run, hostile: str) -> None:
    """A backend that fails is no empty baseline: each file is named with the error."""
    ran = run("prefix", hostile)
    assert (ran.code, ran.out) == (1, "")
    assert "unavailable: AGENTS.md, FullMoonError: the moon is full" in ran.err


def test_an_empty_baseline_is_fine(project: Path, run: Run) -> None:
    """Where nothing holds from the start nothing is printed, and that is no finding."""
    (project / "AGENTS.md").unlink()
    ran = run("prefix", project)
    assert (ran.code, ran.out, ran.err) == (0, "", "no baseline\n")
