"""The command that plays a session."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import pytest

Run = Callable[..., Any]


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file of a tree with its bytes."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_touch_attaches_what_lies_on_the_way_once(project: Path, run: Run) -> None:
    """The first touch below a directory brings its file, the second brings nothing and reads nothing."""
    ran = run("simulate", project, "api/src/main.py", "api/src/main.py", "--json")
    assert ran.changes == [[("set", "AGENTS.md")], [("set", "api/AGENTS.md")], []]
    again = ran.facts["events"][2]
    assert again["cost"]["reads"] == 0
    assert again["cost"]["round_trips"] == 1
    assert (ran.facts["schema"], ran.facts["command"], ran.facts["max_bytes"]) == (1, "simulate", 65_536)


def test_edits_and_removals_hold_for_what_follows_them(project: Path, run: Run) -> None:
    """Touches, edits and removals are played in the order of the command line."""
    words = ["api/x", "--edit", "api/AGENTS.md=new rule", "api/x", "--rm", "api/AGENTS.md", "--touch", "api/x"]
    ran = run("simulate", project, *words, "--json")
    assert [event["kind"] for event in ran.facts["events"]] == ["baseline", "touch", "edit", "touch", "rm", "touch"]
    assert ran.changes[1:] == [
        [("set", "api/AGENTS.md")],
        [],
        # The copy is no copy any more, so it comes to light.
        [("replace", "api/AGENTS.md"), ("set", "api/CLAUDE.md")],
        [],
        [("remove", "api/AGENTS.md")],
    ]


def test_the_workspace_is_never_written(project: Path, run: Run) -> None:
    """An edit and a removal of a whole directory leave every file as it was."""
    before = snapshot(project)
    assert run("simulate", project, "--edit", "new/AGENTS.md=x", "new/f", "--rm", "api", "api/f").code == 0
    assert snapshot(project) == before


def test_a_file_that_the_overlay_makes_is_told(project: Path, run: Run) -> None:
    """An instruction file that exists in the overlay only is told like any other."""
    ran = run("simulate", project, "--edit", "new/AGENTS.md=fresh", "new/f", "--json")
    assert ran.changes[-1] == [("set", "new/AGENTS.md")]
    assert "fresh" in ran.facts["events"][-1]["contexts"][0]["text"]


def test_an_edit_of_a_file_shows_through_links_to_it(project: Path, run: Run) -> None:
    """A sibling that is a link to an edited file changes with it, and stays a copy."""
    (project / "api" / "CLAUDE.md").unlink()
    (project / "api" / "CLAUDE.md").symlink_to("AGENTS.md")
    ran = run("simulate", project, "api/x", "--edit", "api/AGENTS.md=new", "api/x", "--json")
    assert ran.changes[1:] == [[("set", "api/AGENTS.md")], [], [("replace", "api/AGENTS.md")]]


@pytest.mark.parametrize(
    ("words", "exists", "directory"),
    [
        (["api/src/main.py"], True, False),
        (["api/src/none.py"], False, False),
        (["api/src"], True, True),
        (["--edit", "api/new.py=x", "api/new.py"], True, False),
        (["--rm", "api/src", "api/src/main.py"], False, False),
    ],
)
def test_a_touched_path_need_not_exist(
    project: Path, run: Run, words: list[str], *, exists: bool, directory: bool
) -> None:
    """Any path may be touched, and the output says whether it is there, as the overlay has it."""
    event = run("simulate", project, *words, "--json").facts["events"][-1]
    assert (event["exists"], event["directory"]) == (exists, directory)
    out = run("simulate", project, *words).out
    assert ("no such file: as if it were created" in out) == (not exists)
    assert ("a directory; name a file in it" in out) == directory


def test_nobody_knows_whether_an_unavailable_path_exists(run: Run, hostile: str) -> None:
    """A backend that fails is not taken for a path that is not there."""
    assert run("simulate", hostile, "api/x", "--json").facts["events"][-1]["exists"] is None


def test_a_path_after_two_dashes_is_a_path(project: Path, run: Run) -> None:
    """After `--` a word that begins with a dash is a path."""
    assert [event["path"] for event in run("simulate", project, "--json", "--", "--edit").facts["events"]][
        1
    ] == "--edit"


def test_a_workspace_after_two_dashes_is_a_workspace(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `--` a workspace may begin with a dash too."""
    project.rename(project.with_name("-dashed"))
    monkeypatch.chdir(project.parent)
    assert run("simulate", "--json", "--", "-dashed", "api/x").changes[-1] == [("set", "api/AGENTS.md")]


def test_a_url_names_a_workspace(run: Run) -> None:
    """A workspace on any fsspec filesystem is played like one on the disk, with its own paths or by URL."""
    fs = fsspec.filesystem("memory")
    for name, text in {".git": "x", "AGENTS.md": "root rule", "api/AGENTS.md": "api rule", "api/x": "x"}.items():
        fs.pipe(f"/clirepo/{name}", text.encode())
    words = ["memory://clirepo/api/x", "--edit", "api/AGENTS.md=new rule", "api/x", "api/x", "--json"]
    ran = run("simulate", "memory://clirepo", *words)
    fs.rm("/clirepo", recursive=True)
    assert ran.changes == [[("set", "AGENTS.md")], [("set", "api/AGENTS.md")], [], [("replace", "api/AGENTS.md")], []]
    assert ran.facts["events"][-1]["cost"]["reads"] == 0


def test_people_see_the_exact_text_and_the_cost(project: Path, run: Run) -> None:
    """The output for people holds the budget, each line of the message, the cost, and that a touch was quiet."""
    out = run("simulate", project, "api/src/main.py", "api/src/main.py").out
    for line in (
        "budget 65536 bytes",
        "Instructions from: AGENTS.md",
        "Additional instructions from: api/AGENTS.md",
        "api rule",
        "api/CLAUDE.md is left out: it has the same text as api/AGENTS.md",
        "nothing new",
        "0 bytes, 1 round trip, 13 paths, 0 reads",
    ):
        assert line in out


def test_no_control_character_reaches_the_terminal(project: Path, run: Run) -> None:
    """Names and contents with escapes and markup are shown as text."""
    hostile = project / "a\x1b[31m\nb"
    hostile.mkdir()
    (hostile / "AGENTS.md").write_text("red \x1b[31m \x9b31m \u202eright [bold]not markup[/bold] :smile:")
    out = run("simulate", project, "a\x1b[31m\nb/f").out
    assert not {"\x1b", "\x9b", "\u202e"} & set(out)
    assert "red \\u001b[31m \\u009b31m \\u202eright [bold]not markup[/bold] :smile:" in out


def test_a_name_that_is_not_utf8_is_shown(project: Path, run: Run) -> None:
    """A directory whose name is not UTF-8 goes through both forms of output."""
    name = os.fsdecode(b"caf\xe9")
    (project / name).mkdir()
    (project / name / "AGENTS.md").write_text("latin rule")
    assert "latin rule" in run("simulate", project, f"{name}/f").out
    assert run("simulate", project, f"{name}/f", "--json").changes[1] == [("set", f"{name}/AGENTS.md")]
