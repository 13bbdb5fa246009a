"""The command that says why a file is in force or not, with the one that prints the baseline."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def standings(ran: Any) -> dict[str, str]:
    """What became of each file."""
    return {file["path"]: file["standing"] for file in ran.facts["files"]}


def test_each_candidate_on_the_way_has_its_standing(project: Path, run: Run) -> None:
    """Baseline, on touch and duplicate are told apart, and absent names are counted."""
    ran = run("explain", "api/src/main.py", "--workspace", project, "--json")
    assert standings(ran) == {"AGENTS.md": "baseline", "api/AGENTS.md": "on touch", "api/CLAUDE.md": "duplicate"}
    assert ran.facts["root"] == str(project)
    # The user-global file, three more names in the root, two in api, four in api/src.
    assert ran.facts["absent"] == 10
    assert ran.code == 0


@pytest.mark.parametrize(
    ("name", "content", "standing"),
    [
        ("AGENTS.md", b"\xff\xfe", "not text"),
        ("AGENTS.md", b"x" * 2_000, "too large"),
        ("agents.md", b"lower case", "near miss"),
        ("AGENTS.MD", b"upper case", "near miss"),
        ("AGENT.md", b"singular", "near miss"),
    ],
)
def test_what_somebody_should_look_at_is_a_finding(
    project: Path, run: Run, name: str, content: bytes, standing: str
) -> None:
    """A file that cannot be loaded, or is named almost like one that would be, makes the exit code 1."""
    (project / "lib").mkdir()
    (project / "lib" / name).write_bytes(content)
    ran = run("explain", "lib/f", "--workspace", project, "--max-source-bytes", 1_000, "--json")
    assert standings(ran)[f"lib/{name}"] == standing
    assert ran.code == 1


def test_the_budget_shows_in_the_standings(project: Path, run: Run) -> None:
    """What a small budget omits or cuts is said so."""
    (project / "api" / "src" / "AGENTS.md").write_text("s" * 400)
    ran = run("explain", "api/src/f", "--workspace", project, "--max-bytes", 400, "--json")
    assert standings(ran)["api/AGENTS.md"] == "omitted"
    assert standings(ran)["api/src/AGENTS.md"] == "truncated"


def test_a_link_shows_its_target(project: Path, run: Run) -> None:
    """A candidate that is a link is shown with where it leads."""
    (project / "lib").mkdir()
    (project / "lib" / "AGENTS.md").symlink_to("../api/AGENTS.md")
    facts = run("explain", "lib/f", "--workspace", project, "--json").facts
    assert [f["link_target"] for f in facts["files"] if f["path"] == "lib/AGENTS.md"] == ["../api/AGENTS.md"]


def test_people_see_a_table(project: Path, run: Run) -> None:
    """The output for people names the root, each file and its standing."""
    out = run("explain", "api/f", "--workspace", project).out
    for word in ("project root", "baseline", "on touch", "duplicate", "same text as api/AGENTS.md"):
        assert word in out


def test_the_baseline_is_printed_to_the_byte(project: Path, run: Run) -> None:
    """Standard output is the message with one line end; what is said about it goes to standard error."""
    ran, facts = run("prefix", project), run("prefix", project, "--json").facts
    assert ran.out == facts["text"] + "\n"
    assert facts["bytes"] == len(facts["text"].encode())
    assert facts["digest"] == hashlib.sha1(facts["text"].encode()).hexdigest()  # noqa: S324 - the digest is SHA-1
    assert facts["digest"] in ran.err
    assert ran.code == 0


def test_a_baseline_over_budget_is_a_finding(project: Path, run: Run) -> None:
    """A baseline that had to be cut makes the exit code 1 and says what was cut."""
    (project / "AGENTS.md").write_text("r" * 1_000)
    ran = run("prefix", project, "--max-bytes", 500)
    assert ran.code == 1
    assert "AGENTS.md is truncated" in ran.err


def test_an_empty_baseline_is_fine(project: Path, run: Run) -> None:
    """Where nothing holds from the start nothing is printed, and that is no finding."""
    (project / "AGENTS.md").unlink()
    ran = run("prefix", project)
    assert (ran.code, ran.out) == (0, "")
