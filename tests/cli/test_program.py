"""The command line as a program of its own, among terminals, pipes and missing packages."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from guidefs.cli.commands import COMMANDS

Run = Callable[..., Any]
PROGRAM = [sys.executable, "-m", "guidefs.cli"]

WITHOUT = """
import sys
sys.modules.update(dict.fromkeys({modules!r}))  # None makes an import fail
from guidefs.cli.main import main
sys.exit(main({words!r}))
"""

BROUGHT = """
import sys
from guidefs.cli.main import main
main({words!r})
sys.stderr.write(" ".join(sorted({modules!r} & {{name.partition(".")[0] for name in sys.modules}})))
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python in a process of its own."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)


def test_the_module_runs_as_a_program(project: Path) -> None:
    """`python -m guidefs.cli` is the same program."""
    ran = subprocess.run([*PROGRAM, "prefix", str(project)], capture_output=True, check=True, text=True)
    assert "root rule" in ran.stdout


@pytest.mark.parametrize(("word", "says"), [("--version", version("guidefs")), ("--help", "simulate")])
def test_what_is_asked_about_the_program_is_told(word: str, says: str) -> None:
    """The version is that of the installed package, and help names the commands."""
    ran = subprocess.run([*PROGRAM, word], capture_output=True, check=True, text=True)
    assert says in ran.stdout


def test_json_and_prefix_need_no_rich(project: Path) -> None:
    """Programs, and the exact baseline, are served where only the core is installed."""
    for words in (
        ["simulate", str(project), "api/f", "--json"],
        ["explain", "x", "--workspace", str(project), "--json"],
    ):
        assert json.loads(python(WITHOUT.format(modules=["rich"], words=words)).stdout)["schema"] == 1
    assert "root rule" in python(WITHOUT.format(modules=["rich"], words=["prefix", str(project)])).stdout


def test_output_for_people_names_what_is_missing(project: Path) -> None:
    """Without rich the message says how to install it, and what works without."""
    ran = python(WITHOUT.format(modules=["rich"], words=["simulate", str(project), "api/f"]))
    assert ran.returncode == 2
    assert "pip install 'guidefs[cli]'" in ran.stderr
    assert "--json" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_nothing_is_imported_that_is_not_needed(project: Path) -> None:
    """A local workspace shown to a program brings neither rich nor any other backend."""
    words = ["simulate", str(project), "api/f", "--json"]
    ran = python(BROUGHT.format(modules={"rich", "s3fs", "aiobotocore", "obstore", "guidefs_s3"}, words=words))
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("encoding", "umlaut"), [("ascii", rb"Gr\xfc\xdfe \u2602"), ("latin-1", b"Gr\xfc\xdfe \\u2602")]
)
def test_output_survives_a_terminal_without_unicode(project: Path, encoding: str, umlaut: bytes) -> None:
    """A terminal that lacks a character gets a stand-in instead of an error, and plain signs in place of ours."""
    (project / "AGENTS.md").write_text("Grüße ☂")
    (project / "lib").mkdir()
    (project / "lib" / "AGENTS.md").symlink_to("../AGENTS.md")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    for words in (["simulate", str(project), "api/f"], ["explain", "lib/f", "--workspace", str(project)]):
        ran = subprocess.run([*PROGRAM, *words], capture_output=True, check=True, env=environment)
        assert not {b"\\u25b6", b"\\u25cf", b"\\u2192", b"\\u2500"} & set(ran.stdout.split())
        assert umlaut in ran.stdout or words[0] == "explain"


def test_colours_are_for_terminals_only(project: Path) -> None:
    """A pipe gets no escape sequence, and neither does a terminal that asks for no colour."""
    plain = subprocess.run([*PROGRAM, "simulate", str(project), "api/f"], capture_output=True, check=True)
    assert b"\x1b" not in plain.stdout
    forced = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    coloured = subprocess.run(
        [*PROGRAM, "simulate", str(project), "api/f"], capture_output=True, check=True, env=forced
    )
    assert b"\x1b[36m" in coloured.stdout
    none = {**forced, "NO_COLOR": "1"}
    ran = subprocess.run([*PROGRAM, "simulate", str(project), "api/f"], capture_output=True, check=True, env=none)
    assert b"\x1b[36m" not in ran.stdout


def test_a_reader_that_has_seen_enough_is_no_error(project: Path) -> None:
    """Who closes the pipe gets no complaint."""
    (project / "AGENTS.md").write_text("x" * 500_000)
    words = [*PROGRAM, "prefix", str(project), "--max-bytes", "1000000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert b"BrokenPipe" not in running.stderr.read()
    assert running.returncode == 0


def test_a_full_disk_is_an_error(project: Path) -> None:
    """What could not be written is said, and is not success."""
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [*PROGRAM, "prefix", str(project), "--json"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ran.returncode == 2
    assert b"No space left" in ran.stderr
    assert b"Traceback" not in ran.stderr


def test_warnings_are_one_line(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the library warns of is shown without its traceback, and cannot act on the terminal."""

    def warn(options: object) -> int:
        logging.getLogger("guidefs.storage").warning("a provider failed \x1b[31m", exc_info=ValueError("inner"))
        return 0

    monkeypatch.setitem(COMMANDS, "prefix", warn)
    ran = run("prefix", project)
    assert (ran.code, ran.err) == (0, "guidefs: a provider failed \\u001b[31m\n")


def test_an_interrupt_ends_quietly(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who interrupts the program gets the exit code that shells know, and no traceback."""

    def interrupted(options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(COMMANDS, "prefix", interrupted)
    ran = run("prefix", project)
    assert (ran.code, ran.err) == (130, "")
