"""The command that plays a session."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file of a tree with its bytes."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def changes(event: dict[str, Any]) -> list[tuple[str, str]]:
    """The changes that an event attached."""
    return [(change["action"], change["path"]) for context in event["contexts"] for change in context["changes"]]


def test_a_touch_attaches_what_lies_on_the_way_once(project: Path, run: Run) -> None:
    """The first touch below a directory brings its file, the second brings nothing and reads nothing."""
    events = run("simulate", project, "api/src/main.py", "api/src/main.py", "--json").facts["events"]
    assert [changes(event) for event in events] == [[("set", "AGENTS.md")], [("set", "api/AGENTS.md")], []]
    assert events[2]["cost"]["reads"] == 0
    assert events[2]["cost"]["round_trips"] == 1


def test_edits_and_removals_hold_for_what_follows_them(project: Path, run: Run) -> None:
    """Touches, edits and removals are played in the order of the command line."""
    words = ["api/x", "--edit", "api/AGENTS.md=new rule", "api/x", "--rm", "api/AGENTS.md", "api/x"]
    events = run("simulate", project, *words, "--json").facts["events"]
    played = [(event["kind"], changes(event)) for event in events[1:]]
    assert played == [
        ("touch", [("set", "api/AGENTS.md")]),
        ("edit", []),
        # The copy is no copy any more, so it comes to light.
        ("touch", [("replace", "api/AGENTS.md"), ("set", "api/CLAUDE.md")]),
        ("rm", []),
        ("touch", [("remove", "api/AGENTS.md")]),
    ]


def test_the_workspace_is_never_written(project: Path, run: Run) -> None:
    """An edit and a removal of a whole directory leave every file as it was."""
    before = snapshot(project)
    assert run("simulate", project, "--edit", "new/AGENTS.md=x", "new/f", "--rm", "api", "api/f").code == 0
    assert snapshot(project) == before


def test_a_file_that_the_overlay_makes_is_told(project: Path, run: Run) -> None:
    """An instruction file that exists in the overlay only is told like any other."""
    events = run("simulate", project, "--edit", "new/AGENTS.md=fresh", "new/f", "--json").facts["events"]
    assert changes(events[-1]) == [("set", "new/AGENTS.md")]
    assert "fresh" in events[-1]["contexts"][0]["text"]


def test_a_path_after_two_dashes_is_a_path(project: Path, run: Run) -> None:
    """After `--` a word that begins with a dash is a path."""
    events = run("simulate", project, "--json", "--", "--edit").facts["events"]
    assert [event["path"] for event in events] == ["", "--edit"]


def test_people_see_the_exact_text_and_the_cost(project: Path, run: Run) -> None:
    """The output for people holds each line of the message, the cost, and a note about a path that is not there."""
    out = run("simulate", project, "api/none.py").out
    for line in ("Instructions from: AGENTS.md", "Additional instructions from: api/AGENTS.md", "api rule"):
        assert line in out
    assert "1 round trip" in out
    assert "no such file" in out


def test_no_control_character_reaches_the_terminal(project: Path, run: Run) -> None:
    """Names and contents with escapes are shown as text."""
    hostile = project / "a\x1b[31m\nb"
    hostile.mkdir()
    (hostile / "AGENTS.md").write_text("red \x1b[31m [bold]not markup[/bold]")
    out = run("simulate", project, "a\x1b[31m\nb/f").out
    assert "\x1b[31m" not in out
    assert "[bold]not markup[/bold]" in out


def test_a_name_that_is_not_utf8_is_shown(project: Path, run: Run) -> None:
    """A directory whose name is not UTF-8 goes through both forms of output."""
    name = os.fsdecode(b"caf\xe9")
    (project / name).mkdir()
    (project / name / "AGENTS.md").write_text("latin rule")
    assert "latin rule" in run("simulate", project, f"{name}/f").out
    assert changes(run("simulate", project, f"{name}/f", "--json").facts["events"][1]) == [("set", f"{name}/AGENTS.md")]
