"""The project root, and where the file of each scope lies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidefs.reconcile.root import marker_questions, project_root
from guidefs.reconcile.territory import HomeFile, Territory
from guidefs.values.answer import Absent, Answer, Exists, Unavailable
from guidefs.values.path import ancestors

WALK = ("/a/b/c", "/a/b", "/a", "/")
FOUND, NONE, DOWN = Exists(), Absent(), Unavailable("down")


def answered(markers: tuple[str, ...], answers: dict[str, Answer]) -> dict[str, Answer]:
    """Answers for every marker, absent unless given."""
    return {marker.path: answers.get(marker.path, NONE) for marker in marker_questions(WALK, markers)}


@pytest.mark.parametrize(
    ("markers", "answers", "root", "failure"),
    [
        ((".git",), {}, "/a/b/c", None),
        ((".git",), {"/a/.git": FOUND}, "/a", None),
        ((".git",), {"/a/.git": FOUND, "/a/b/.git": FOUND}, "/a/b", None),
        ((".git",), {"/a/b/c/.git": FOUND, "/.git": FOUND}, "/a/b/c", None),
        ((".git",), {"/.git": FOUND}, "/", None),
        ((".git", "W"), {"/a/W": FOUND, "/.git": FOUND}, "/a", None),
        ((".git",), {"/a/b/.git": DOWN, "/a/.git": FOUND}, "/a/b/c", "/a/b/.git"),
        ((".git",), {"/a/b/.git": FOUND, "/a/.git": DOWN}, "/a/b", None),
        ((".git", "W"), {"/a/.git": FOUND, "/a/W": DOWN}, "/a", None),
        (("W", ".git"), {"/a/.git": FOUND, "/a/W": DOWN}, "/a/b/c", "/a/W"),
        ((), {}, "/a/b/c", None),
        (("W", "W"), {"/a/W": FOUND}, "/a", None),
    ],
)
def test_root_walk(markers: tuple[str, ...], answers: dict[str, Answer], root: str, failure: str | None) -> None:
    """The nearest directory with a marker is the root; the first found or failing marker decides."""
    found = project_root(WALK, markers, answered(markers, answers))
    assert found.directory == root
    assert (found.failure and found.failure[0]) == failure


@given(st.lists(st.sampled_from([FOUND, NONE, DOWN]), min_size=8, max_size=8))
def test_root_walk_never_passes_a_failure(answers: list[Answer]) -> None:
    """No directory above a failing marker is ever the root."""
    markers = ("A", "B")
    questions = marker_questions(WALK, markers)
    found = project_root(WALK, markers, {q.path: answer for q, answer in zip(questions, answers, strict=True)})
    first = next((number for number, answer in enumerate(answers) if answer is not NONE), None)
    decides = None if first is None else answers[first]
    assert found.directory == (WALK[(first or 0) // 2] if decides is FOUND else WALK[0])
    assert (found.failure is not None) == (decides is DOWN)


def test_markers_are_asked_in_deciding_order() -> None:
    """The questions of the walk come in the order in which they decide, nearest directory first."""
    assert [marker.path for marker in marker_questions(("/a", "/"), ("x", "y"))] == ["/a/x", "/a/y", "/x", "/y"]


def territory(root: str = "/r", cwd: str = "/r/a/b", home: HomeFile | None = None) -> Territory:
    """A territory with two candidates."""
    return Territory(root, cwd, ("AGENTS.md", "CLAUDE.md"), home)


HOME = HomeFile("/h", "$DSH_HOME", shared=True)


@pytest.mark.parametrize(
    ("root", "cwd", "expected"),
    [
        ("/r", "/r", ["user-global", "."]),
        ("/r", "/r/a/b", ["user-global", ".", "a", "a/b"]),
        ("/", "/a", ["user-global", ".", "a"]),
        ("b/r", "b/r/user-global/x", ["user-global", ".", "./user-global", "user-global/x"]),
    ],
)
def test_baseline_directories(root: str, cwd: str, expected: list[str]) -> None:
    """The baseline goes from the user-global file to the root, then down to the working directory."""
    assert territory(root, cwd).baseline_directories() == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/r/a/b/c/d/x", ["a/b/c", "a/b/c/d"]),
        ("/r/a/b/x", []),
        ("/r/a/x/y", []),
        ("/r/a/bc/x/y", []),
        ("/other/x/y", []),
    ],
)
def test_touched_directories(path: str, expected: list[str]) -> None:
    """A touch makes known what lies strictly below the working directory, down to its parent."""
    assert territory().touched_directories(path) == expected


def test_targets_of_a_directory() -> None:
    """Each candidate of a directory is looked for at its absolute path, and labelled relative to the root."""
    found = territory().targets([".", "a/b"])
    assert [(t.path, t.label, t.scope.serialised()) for t in found] == [
        ("/r/AGENTS.md", "AGENTS.md", ".\0AGENTS.md"),
        ("/r/CLAUDE.md", "CLAUDE.md", ".\0CLAUDE.md"),
        ("/r/a/b/AGENTS.md", "a/b/AGENTS.md", "a/b\0AGENTS.md"),
        ("/r/a/b/CLAUDE.md", "a/b/CLAUDE.md", "a/b\0CLAUDE.md"),
    ]


@pytest.mark.parametrize("home", ["/r", "/r/a", "/r/a/b"])
def test_path_reached_twice_counts_once(home: str) -> None:
    """A file reached twice under one path is examined once, at its first place: as the user-global file."""
    found = territory(home=HomeFile(home, "$DSH_HOME", shared=True)).targets(["user-global", ".", "a", "a/b"])
    paths = [t.path for t in found]
    assert len(set(paths)) == len(paths) == 6
    assert found[0].scope.serialised() == "user-global\0AGENTS.md"
    assert found[0].label == "$DSH_HOME/AGENTS.md"


def test_home_on_another_filesystem_is_another_file() -> None:
    """An equal path on the home's own filesystem is another file."""
    found = territory("/r", "/r", HomeFile("/r", "~/.dsh", shared=False)).targets(["user-global", "."])
    assert [(t.path, t.home) for t in found] == [
        ("/r/AGENTS.md", True),
        ("/r/AGENTS.md", False),
        ("/r/CLAUDE.md", False),
    ]


def test_home_has_one_file() -> None:
    """The user-global directory has `AGENTS.md` alone, whatever the candidates are."""
    found = Territory("/r", "/r", ("RULES.md",), HOME).targets(["user-global"])
    assert [t.path for t in found] == ["/h/AGENTS.md"]


@pytest.mark.parametrize("key", ["/etc", "..", "../x", "a/../../x"])
def test_directories_of_a_forged_log_end_at_the_root(key: str) -> None:
    """A logged directory that is absolute or climbs out of the root is not looked at."""
    assert territory().targets([key]) == []


@given(st.lists(st.sampled_from("abc"), max_size=4), st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
def test_baseline_and_touch_make_one_chain(above: list[str], below: list[str]) -> None:
    """The directories of the baseline and of a touch are those from the root to the touched file, each once."""
    cwd = "/".join(["/r", *above])
    path = "/".join([cwd, *below])
    place = territory("/r", cwd)
    keys = [*place.baseline_directories()[1:], *place.touched_directories(path)]
    walked = [step for step in reversed(ancestors(path)[1:]) if step.startswith("/r")]
    assert [t.path for t in place.targets(keys)][::2] == [f"{step}/AGENTS.md" for step in walked]
