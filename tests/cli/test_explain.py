"""The command that says why a file is in force or not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def file_of(ran: Any, path: str) -> Any:
    """What was found out about one file."""
    [file] = [file for file in ran.facts["files"] if file["path"] == path]
    return file


def test_each_candidate_on_the_way_has_its_standing(project: Path, run: Run) -> None:
    """Baseline, on touch and duplicate are told apart, and absent names are counted."""
    ran = run("explain", "api/src/main.py", "--workspace", project, "--json")
    assert ran.standings == {"AGENTS.md": "baseline", "api/AGENTS.md": "on touch", "api/CLAUDE.md": "duplicate"}
    assert ran.facts["root"] == str(project)
    # The user-global file, three more names in the root, two in api, four in api/src.
    assert ran.facts["absent"] == 10
    assert ran.code == 0


def test_an_empty_file_is_in_force_and_said_to_be_empty(project: Path, run: Run) -> None:
    """An empty file is no finding, and is told apart from one with text."""
    (project / "api" / "AGENTS.md").write_text("")
    ran = run("explain", "api/f", "--workspace", project, "--json")
    assert (file_of(ran, "api/AGENTS.md")["standing"], file_of(ran, "api/AGENTS.md")["detail"]) == ("on touch", "empty")
    assert ran.code == 0


@pytest.mark.parametrize(
    ("name", "content", "standing"),
    [
        ("AGENTS.md", b"\xff\xfe", "not text"),
        ("AGENTS.md", b"x" * 2_000, "too large"),
        ("agents.md", b"lower case", "near miss"),
        ("AGENTS.MD", b"upper case", "near miss"),
        ("AGENT.md", b"singular", "near miss"),
        ("Agent.local.MD", b"an overlay", "near miss"),
        ("AGENTS.md ", b"a blank at the end", "near miss"),
        ("claude.txt", b"another extension", "near miss"),
    ],
)
def test_what_somebody_should_look_at_is_a_finding(
    project: Path, run: Run, name: str, content: bytes, standing: str
) -> None:
    """A file that cannot be loaded, or is named almost like one that would be, makes the exit code 1."""
    (project / "lib").mkdir()
    (project / "lib" / name).write_bytes(content)
    ran = run("explain", "lib/f", "--workspace", project, "--max-source-bytes", 1_000, "--json")
    assert ran.standings[f"lib/{name}"] == standing
    assert file_of(ran, f"lib/{name}")["finding"] is True
    assert ran.code == 1


def test_a_near_miss_is_almost_one_of_the_names_looked_for(project: Path, run: Run) -> None:
    """What counts as almost a candidate follows from the candidates, and a directory never does."""
    (project / "agents.md").mkdir()
    (project / "claude.txt").write_text("x")
    (project / "guide.MD").write_text("x")
    ran = run("explain", "x", "--workspace", project, "--candidate", "GUIDE.md", "--local-candidate", "", "--json")
    assert ran.standings == {"guide.MD": "near miss"}


@pytest.mark.parametrize(
    ("kind", "detail"),
    [("link", "leads to no file"), ("directory", "a directory"), ("pipe", "a pipe, a socket or a device")],
)
def test_a_name_that_is_no_file_is_a_finding(project: Path, run: Run, kind: str, detail: str) -> None:
    """A candidate that is there but is no file is told apart from one that is absent."""
    place = project / "api" / "AGENTS.local.md"
    make: dict[str, Callable[[], object]] = {
        "link": lambda: place.symlink_to("nowhere"),
        "directory": place.mkdir,
        "pipe": lambda: os.mkfifo(place),
    }
    make[kind]()
    ran = run("explain", "api/f", "--workspace", project, "--json")
    assert file_of(ran, "api/AGENTS.local.md")["standing"] == "not a file"
    assert detail in file_of(ran, "api/AGENTS.local.md")["detail"]
    assert ran.code == 1


def test_a_file_that_is_too_large_is_told_with_its_size(project: Path, run: Run) -> None:
    """The size of the file and the setting that it exceeds are both named."""
    (project / "api" / "AGENTS.md").write_text("x" * 2_000)
    ran = run("explain", "api/f", "--workspace", project, "--max-source-bytes", 1_000, "--json")
    assert "2000" in file_of(ran, "api/AGENTS.md")["detail"]
    assert "1000" in file_of(ran, "api/AGENTS.md")["detail"]


def test_the_budget_shows_in_the_standings(project: Path, run: Run) -> None:
    """What a small budget omits or cuts is said so."""
    (project / "api" / "src" / "AGENTS.md").write_text("s" * 400)
    ran = run("explain", "api/src/f", "--workspace", project, "--max-bytes", 400, "--json")
    assert ran.standings["api/AGENTS.md"] == "omitted"
    assert ran.standings["api/src/AGENTS.md"] == "truncated"
    assert ran.facts["max_bytes"] == 400


def test_what_the_baseline_leaves_out_is_due_at_the_first_touch(project: Path, run: Run) -> None:
    """A file that only the baseline has no room for is said to come with the first touch, as it then does."""
    (project / "AGENTS.md").write_text("r" * 200)
    (project / "api" / "AGENTS.md").write_text("a" * 200)
    words = ("--cwd", "api", "--max-bytes", 700)
    ran = run("explain", "f", "--workspace", project, *words, "--json")
    assert file_of(ran, "AGENTS.md")["standing"] == "omitted"
    assert "due at the first touch" in file_of(ran, "AGENTS.md")["detail"]
    assert run("simulate", project, "f", *words, "--json").changes[1] == [("set", "AGENTS.md")]


def test_a_link_shows_its_target(project: Path, run: Run) -> None:
    """A candidate that is a link is shown with where it leads."""
    (project / "lib").mkdir()
    (project / "lib" / "AGENTS.md").symlink_to("../api/AGENTS.md")
    ran = run("explain", "lib/f", "--workspace", project, "--json")
    assert file_of(ran, "lib/AGENTS.md")["link_target"] == "../api/AGENTS.md"


def test_the_marker_that_decided_is_named(project: Path, run: Run) -> None:
    """The project root comes with the marker that makes it one, and without where there is none."""
    found = run("explain", "x", "--workspace", project, "--cwd", "api", "--json").facts
    assert (found["root"], found["root_marker"]) == (str(project), str(project / ".git"))
    alone = run("explain", "x", "--workspace", project, "--root-marker", "no-such-marker", "--json").facts
    assert (alone["root"], alone["root_marker"]) == (str(project), None)


def test_a_marker_that_cannot_be_examined_is_a_finding(run: Run, hostile: str) -> None:
    """Where the root is undecided the exit code is 1, and the marker is named with the error."""
    ran = run("explain", "x", "--workspace", hostile, "--json")
    assert ran.facts["root_failure"]["path"] == "work/.git"
    assert "the moon is full" in ran.facts["root_failure"]["error"]
    assert ran.code == 1


def test_a_filesystem_that_fails_in_its_own_way_is_explained(run: Run, hostile: str) -> None:
    """Files are unavailable with the words of the filesystem, and directories that cannot be listed are named."""
    ran = run("explain", "api/x", "--workspace", hostile, "--json")
    assert set(ran.standings.values()) == {"unavailable"}
    assert all("the moon is full" in file["detail"] for file in ran.facts["files"])
    assert [entry["path"] for entry in ran.facts["unlisted"]] == ["work", "work/api"]
    people = run("explain", "api/x", "--workspace", hostile)
    assert "work/api cannot be listed" in people.out
    assert "Traceback" not in people.err


def test_the_home_is_looked_at_where_it_lies(run: Run, hostile: str, tmp_path: Path) -> None:
    """The directory of the user-global file is not listed on another filesystem than its own."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "AGENTS.md").write_text("mine")
    ran = run("explain", "x", "--workspace", hostile, "--home", tmp_path / "home", "--json")
    assert ran.standings["$DSH_HOME/AGENTS.md"] == "baseline"
    assert [entry["path"] for entry in ran.facts["unlisted"]] == ["work"]


def test_a_directory_is_explained_from_inside(project: Path, run: Run) -> None:
    """A path that is a directory, or is written like one, means what holds in it."""
    assert run("explain", "api", "--workspace", project, "--json").standings["api/AGENTS.md"] == "on touch"
    # The user-global file, three names in the root, four in the new directory.
    assert run("explain", "new/", "--workspace", project, "--json").facts["absent"] == 8
    assert "a directory" in run("explain", "api", "--workspace", project).out


def test_a_directory_in_a_loop_of_links_is_explained(project: Path, run: Run) -> None:
    """What lies behind links that lead nowhere is absent, and that is no finding."""
    (project / "loop").symlink_to("loop")
    ran = run("explain", "loop/f", "--workspace", project, "--json")
    assert (ran.code, ran.facts["unlisted"]) == (0, [])


@pytest.mark.parametrize(
    ("path", "note"),
    [
        ("api/src/main.py", ""),
        ("api/none.py", "no such file"),
        ("/etc/hostname", "outside the working directory"),
    ],
)
def test_a_path_that_may_be_a_mistake_is_remarked(project: Path, run: Run, path: str, note: str) -> None:
    """People are told that a path does not exist, or lies where touches reach no directory."""
    first = run("explain", path, "--workspace", project).out.splitlines()[0]
    assert note in first
    assert ("(" in first) == bool(note)


def test_people_see_a_table(project: Path, run: Run) -> None:
    """The output for people names the root with its marker, the budget, each file and its standing."""
    out = run("explain", "api/f", "--workspace", project).out
    for words in ("project root", "(has .git)", "65536 bytes", "baseline", "on touch", "same text as api/AGENTS.md"):
        assert words in out
