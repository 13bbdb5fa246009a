"""Why each instruction file on the way to a path is in force or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from guidefs import UsageError, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.workspace.conftest import Bench

    Touch = Callable[..., list[str]]


def standings(explanation: Any, *, absent: bool = False) -> dict[str, str]:
    """What became of each file, by label."""
    return {file.label: file.standing.value for file in explanation.files if absent or file.standing.value != "absent"}


def test_every_standing(disk: Path) -> None:
    """Each candidate on the way is told apart by what became of it, and near misses are named."""
    (disk / "CLAUDE.md").write_text("root rules")
    (disk / "p" / "CLAUDE.md").write_bytes(b"\xff")
    (disk / "p" / "AGENTS.local.md").write_text("x" * 2000)
    (disk / "p" / "q" / "CLAUDE.md").symlink_to("b.txt")
    (disk / "p" / "q" / "agents.md").write_text("near")
    workspace = Workspace(str(disk), max_bytes=1 << 20, home=str(disk.parent / "home"), max_source_bytes=1000)
    explanation = workspace.session("s").explain("p/q/b.txt")
    assert standings(explanation) == {
        "AGENTS.md": "baseline",
        "CLAUDE.md": "duplicate",
        "p/AGENTS.md": "on touch",
        "p/CLAUDE.md": "not text",
        "p/AGENTS.local.md": "too large",
        "p/q/AGENTS.md": "on touch",
        "p/q/CLAUDE.md": "on touch",
        "p/q/agents.md": "near miss",
    }
    by_label = {file.label: file for file in explanation.files}
    assert "AGENTS.md" in by_label["CLAUDE.md"].detail
    assert by_label["p/q/CLAUDE.md"].link_target == "b.txt" or str(by_label["p/q/CLAUDE.md"].link_target).endswith(
        "b.txt"
    )
    assert "AGENTS.md" in by_label["p/q/agents.md"].detail
    assert {file.label for file in explanation.findings} == {"p/CLAUDE.md", "p/AGENTS.local.md", "p/q/agents.md"}
    assert (explanation.root, explanation.cwd) == (str(disk), str(disk))


def test_unavailable_names_the_error(bench: Bench) -> None:
    """A file that fails is unavailable, with the error."""
    bench.put_each("p")
    bench.fail("p/AGENTS.md")
    explanation = bench.session().explain("p/x")
    (file,) = [file for file in explanation.files if file.standing.value == "unavailable"]
    assert "injected failure" in file.detail


def test_budget_standings(make_bench: Callable[..., Bench]) -> None:
    """What the budget leaves out or cuts is told apart, for the baseline and for a touch."""
    bench = make_bench(max_bytes=420)
    bench.put("p/AGENTS.md", "x" * 300)
    bench.put("p/q/AGENTS.md", "y" * 900)
    explanation = bench.session().explain("p/q/x")
    assert standings(explanation) == {"p/AGENTS.md": "omitted", "p/q/AGENTS.md": "truncated"}
    tiny = make_bench(max_bytes=30)
    tiny.put("AGENTS.md", "x")
    assert standings(tiny.session().explain("x")) == {"AGENTS.md": "omitted"}


def test_empty_file_is_said_to_be_empty(bench: Bench) -> None:
    """An empty file is in force, and said to be empty."""
    bench.put("p/AGENTS.md", "")
    (file,) = [file for file in bench.session().explain("p/x").files if file.label == "p/AGENTS.md"]
    assert (file.standing.value, file.detail, file.size) == ("on touch", "empty", 0)


def test_marker_that_fails_is_named(bench: Bench) -> None:
    """A marker that could not be examined is named beside the root."""
    bench.fail(".git")
    explanation = bench.session().explain("x")
    assert explanation.root_failure is not None
    assert explanation.root_failure[0] == "/work/.git"


def test_session_knows_what_is_in_sight(bench: Bench, touch: Touch) -> None:
    """A live session adds whether the model has the very text that lies there now."""
    bench.put_each("p", "p/q")
    session = bench.session()
    touch(session, "p/x")
    in_sight = {file.label: file.in_sight for file in session.explain("p/q/x").files if file.digest}
    assert in_sight == {"p/AGENTS.md": True, "p/q/AGENTS.md": False}
    bench.put("p/AGENTS.md", "newer")
    in_sight = {file.label: file.in_sight for file in session.explain("p/q/x").files if file.digest}
    assert in_sight == {"p/AGENTS.md": False, "p/q/AGENTS.md": False}


def test_explaining_changes_nothing(bench: Bench, touch: Touch) -> None:
    """An explanation costs at most two batches, and later touches tell what they would have told."""
    bench.put_each("p")
    session = bench.session()
    before = session.status()
    session.explain("p/x")
    assert session.stats.batches <= 2
    assert session.status() == before
    assert touch(session, "p/x") == ["set p/AGENTS.md"]


@pytest.mark.parametrize("path", ["", "  ", "other://x"])
def test_path_that_is_none(bench: Bench, path: str) -> None:
    """A blank path or one on another filesystem is a usage error that names it."""
    with pytest.raises(UsageError, match="names no path"):
        bench.session().explain(path)
