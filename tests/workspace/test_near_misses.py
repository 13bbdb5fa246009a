"""Files named almost like a candidate are reported to the host, once, and never to the model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from guidefs import Session, Workspace
from guidefs.values.diagnostic import Diagnostic, NearMiss
from guidefs.values.lookalike import Lookalikes

NAMES = ("AGENTS.md", "CLAUDE.md", "AGENTS.local.md")


@pytest.mark.parametrize(("name", "meant"), [
    ("agents.md", "AGENTS.md"), ("AGENT.md", "AGENTS.md"), ("Agents.MD", "AGENTS.md"), ("AGENTS.txt", "AGENTS.md"),
    ("agent.markdown", "AGENTS.md"), ("claude.md", "CLAUDE.md"), ("Agents.Local.md", "AGENTS.local.md"),
    (" AGENTS.md", "AGENTS.md"), ("AGENTS.md", None), ("CLAUDE.md", None), ("README.md", None), ("AGENTSmd", None),
    ("", None), ("MYAGENTS.md", None), ("AGENTS.md.bak", None),
])  # fmt: skip
def test_names_that_are_almost_candidates(name: str, meant: str | None) -> None:
    """Another case, the singular and a text extension are near misses; other names, and the candidates, are not."""
    assert Lookalikes(NAMES).meant_by(name) == meant


Open = Callable[..., Workspace]


def on_disk(root: Path, **settings: Any) -> Workspace:
    """A workspace by its path."""
    return Workspace(root, **settings)


def seen_through_a_directory(root: Path, **settings: Any) -> Workspace:
    """The same through a filesystem that shows one directory."""
    return Workspace(DirFileSystem(path=str(root), fs=LocalFileSystem()), cwd="", **settings)


def in_memory(root: Path, **settings: Any) -> Workspace:
    """The same in memory."""
    fs = MemoryFileSystem()
    fs.put(f"{root}/", f"memory:/{root}/", recursive=True)
    fs.makedirs(f"{root}/.git", exist_ok=True)
    return Workspace(fs, cwd=str(root), **settings)


@pytest.fixture(params=[on_disk, seen_through_a_directory, in_memory], ids=lambda opened: opened.__name__)
def session(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Session, list[Diagnostic]]:
    """A session over a project with near misses, and what it reported."""
    for name in (".git", "api/src", "web", "far"):
        (tmp_path / name).mkdir(parents=True)
    for name in (
        "Agents.md",
        "api/AGENTS.md",
        "api/src/agent.md",
        "api/src/x",
        "web/claude.md",
        "web/x",
        "far/AGENT.md",
    ):
        (tmp_path / name).write_text("text\n")
    events: list[Diagnostic] = []
    workspace = request.param(tmp_path, max_bytes=65_536, home=str(tmp_path / "nobody"))
    return workspace.session("s", on_event=events.append), events


def misses(events: list[Diagnostic]) -> list[tuple[str, str]]:
    """The near misses among some events."""
    return [(event.path, event.candidate) for event in events if isinstance(event, NearMiss)]


def test_reported_where_the_agent_works(session: tuple[Session, list[Diagnostic]]) -> None:
    """Each near miss on the way to a touched path is reported once, and the model is not told of it."""
    opened, events = session
    assert opened.prefix() is None
    assert misses(events) == [("Agents.md", "AGENTS.md")]
    with opened.call() as call:
        opened.tools.read("api/src/x")
    assert misses(events) == [("Agents.md", "AGENTS.md"), ("api/src/agent.md", "AGENTS.md")]
    assert "gent.md" not in call.text
    for path in ("api/src/x", "web/x", "web/x"):
        with opened.call():
            opened.tools.read(path)
    assert misses(events)[2:] == [("web/claude.md", "CLAUDE.md")]


def test_touched_near_miss_where_nothing_can_be_listed(tmp_path: Path) -> None:
    """Where a listing would cost a round trip, a near miss is reported when it is touched itself."""
    fs = MemoryFileSystem()
    fs.pipe({f"{tmp_path}/agents.md": b"x", f"{tmp_path}/p/agent.md": b"x", f"{tmp_path}/p/x": b"x"})
    events: list[Diagnostic] = []

    class Remote:
        """Knows of no file."""

        def fetch(self, questions: Any, limits: Any) -> Any:
            """Answer that nothing is there."""
            from guidefs.values.answer import Absent

            return [Absent() for _ in questions]

    workspace = Workspace(fs, cwd=str(tmp_path), provider=Remote(), max_bytes=9999, home="memory:///nobody")
    session = workspace.session("s", on_event=events.append)
    for path in ("p/x", "p/agent.md", "p/agent.md", "agents.md"):
        with session.call():
            session.tools.read(path)
    assert misses(events) == [("p/agent.md", "AGENTS.md"), ("agents.md", "AGENTS.md")]


def test_directory_that_cannot_be_listed(tmp_path: Path) -> None:
    """A path that leads nowhere, and one through a file, report nothing and cost the call nothing."""
    (tmp_path / "file").write_text("x")
    events: list[Diagnostic] = []
    session = Workspace(tmp_path, max_bytes=9999, home=str(tmp_path / "no")).session("s", on_event=events.append)
    for path in ("no/such/x", "file/x", "nul\0/x"):
        with session.call() as call:
            call.touch(path, "read")
    assert misses(events) == []
