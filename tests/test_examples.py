"""What the examples print and what the pages show of them is the same, and true."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_EXAMPLES = _ROOT / "examples"
_GUIDEFS = Path(sys.executable).parent / "guidefs"
_WIDTH = 78
"""Columns of the transcripts in the pages: with their indentation they stay within 82."""


def printed(*words: object, cwd: Path = _ROOT) -> str:
    """The standard output of a program that has to end well."""
    environment = {**os.environ, "COLUMNS": str(_WIDTH), "NO_COLOR": "1"}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def transcript(page: str, first_line: str) -> str:
    """The indented block of a page that begins with a line, without its indentation."""
    text = (_ROOT / page).read_text()
    lines = text[text.index(f"\n    {first_line}\n") + 1 :].splitlines()
    ended = next((number for number, line in enumerate(lines) if line and not line.startswith("    ")), len(lines))
    return textwrap.dedent("\n".join(lines[:ended])).strip("\n") + "\n"


@pytest.mark.parametrize(("program", "texts"), [
    ("loop.py", ["Run the tests before you finish.", "Money is Decimal, never float."]),
    ("async_loop.py", ["Run the tests before you finish.", "The rules of api.", "The rules of web."]),
])  # fmt: skip
def test_loops_tell_each_text_once(program: str, texts: list[str]) -> None:
    """Both loops run as they are, tell every instruction once and meet no failure."""
    output = printed(sys.executable, _EXAMPLES / program)
    assert [output.count(text) for text in texts] == [1] * len(texts)
    assert output.splitlines()[-1].endswith("unavailable=0)")


def test_readme_shows_what_the_demo_prints() -> None:
    """The transcript of the README is a part of what `make demo` prints, to the character."""
    shown = transcript("README.md", "▶ touch packages/api/src/orders.py")
    assert "nothing new" in shown
    assert shown in printed("bash", _EXAMPLES / "demo.sh", _GUIDEFS)


def test_page_of_the_command_line_shows_what_explain_prints() -> None:
    """The transcript in docs/cli.md is what `explain` prints for the example workspace."""
    shown = transcript("docs/cli.md", "$ guidefs explain packages/web/src/app.js")
    # A short name, since long ones are wrapped.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        project = Path(folder).resolve()
        shutil.copytree(_EXAMPLES / "monorepo", project, dirs_exist_ok=True)
        (project / ".git").mkdir()
        home = project / "nobody"
        output = printed(_GUIDEFS, "explain", "packages/web/src/app.js", "--home", home, cwd=project)
    assert shown.partition("\n")[2] == output.replace(str(project), "/repo")
