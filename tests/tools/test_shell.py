"""Tools that run commands: what a command changed counts as touched."""

from __future__ import annotations

import asyncio
import inspect
import os
import subprocess
import time
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from guidefs import Session, UsageError, Workspace
from guidefs.watch.sweep import sweep


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with instructions in three directories, all of it older than any command."""
    for name in (".git", "api/src", "web", "docs", "node_modules/lib"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("api", "web", "docs", "node_modules/lib"):
        (tmp_path / name / "AGENTS.md").write_text(f"rules of {name}")
        (tmp_path / name / "x").write_text("x")
    time.sleep(0.05)
    return tmp_path


@pytest.fixture
def session(root: Path) -> Session:
    """A session that was told nothing."""
    return Workspace(root, max_bytes=65_536, home=str(root / "nobody")).session("s")


def told(session: Session, root: Path, command: str) -> list[str]:
    """What a command brings, run by a decorated tool in a call."""

    @session.shell()
    def shell(command: str) -> str:
        return subprocess.run(command, shell=True, cwd=root, capture_output=True, text=True, check=True).stdout  # noqa: S602 - what such tools do

    with session.call("c") as call:
        shell(command)
    session.confirm("c")
    return [f"{change.action} {change.path}" for context in call.contexts for change in context.changes]


@pytest.mark.parametrize(("command", "expected"), [
    ("echo y > api/x", ["set api/AGENTS.md"]),
    ("echo y > api/src/new", ["set api/AGENTS.md"]),
    ("rm web/x", ["set web/AGENTS.md"]),
    ("mv web/x docs/y", ["set docs/AGENTS.md", "set web/AGENTS.md"]),
    ("mkdir -p api/n/m && echo z > api/n/m/AGENTS.md", ["set api/AGENTS.md", "set api/n/m/AGENTS.md"]),
    ("mkdir empty", []),
    ("cat api/x; ls web", []),
    ("echo y > node_modules/lib/x", []),
    ("touch api/AGENTS.md", ["set api/AGENTS.md"]),
    ("true", []),
])  # fmt: skip
def test_what_a_command_changed(session: Session, root: Path, command: str, expected: list[str]) -> None:
    """Files that were made, written, renamed or removed count, read ones and ignored directories do not."""
    assert told(session, root, command) == expected


def test_loaded_files_that_a_command_changes(session: Session, root: Path) -> None:
    """What the model was told is told again when a command changed it, and as removed when one removed it."""
    assert told(session, root, "echo y > api/x") == ["set api/AGENTS.md"]
    assert told(session, root, "echo newer > api/AGENTS.md") == ["replace api/AGENTS.md"]
    time.sleep(0.05)
    assert told(session, root, "rm -r api") == ["remove api/AGENTS.md"]


def test_failed_command_counts_for_nothing(session: Session, root: Path) -> None:
    """A tool that raises touched nothing, as ever."""
    with pytest.raises(subprocess.CalledProcessError):
        told(session, root, "echo y > api/x; exit 3")


def test_async_tool_outside_a_call(session: Session, root: Path) -> None:
    """An async tool outside any call carries its text itself; signature and docstring stay."""

    @session.shell()
    async def shell(command: str, *, timeout_seconds: float = 5) -> str:
        """Run a command."""
        process = await asyncio.create_subprocess_shell(command, cwd=root)
        await process.wait()
        return "done"

    result = asyncio.run(shell("echo y > api/x"))
    assert result.startswith("done\n\n<system-reminder>\nAdditional instructions from: api/AGENTS.md\n")
    assert list(inspect.signature(shell).parameters) == ["command", "timeout_seconds"]
    assert shell.__doc__ == "Run a command."


def test_object_that_is_called_like_an_async_function(session: Session, root: Path) -> None:
    """An object with an async `__call__` is an async tool, as it is for `session.tool`."""

    class Shell:
        async def __call__(self) -> str:
            (root / "api" / "x").write_text("y")
            return "done"

    assert "Additional instructions from: api/AGENTS.md" in asyncio.run(session.shell()(Shell())())


def test_generators_are_refused(session: Session) -> None:
    """A tool whose work is not done when it returns cannot be observed."""

    def stream(command: str) -> object:
        yield command

    with pytest.raises(UsageError, match="generator"):
        session.shell()(stream)


def test_other_filesystems_check_what_was_told() -> None:
    """Where the disk cannot be swept, the known files are checked again."""
    fs = MemoryFileSystem()
    fs.pipe({"/shelled/.git/HEAD": b"", "/shelled/AGENTS.md": b"one"})
    session = Workspace(fs, cwd="/shelled", max_bytes=9999, home="memory:///nobody").session("s")
    session.prefix()

    @session.shell()
    def shell() -> str:
        fs.pipe("/shelled/AGENTS.md", b"two")
        return "done"

    assert "Updated instructions from: AGENTS.md" in shell()


def test_bounds_are_kept(root: Path, session: Session, caplog: pytest.LogCaptureFixture) -> None:
    """A command that changes more than the bounds is logged, and the shallowest directories count."""
    since = time.time_ns()
    for number in range(10):
        os.makedirs(root / f"many/d{number}/e")
        (root / f"many/d{number}/e/f").write_text("x")
    found = sweep(str(root), since, max_entries=10_000, max_directories=4)
    assert not found.complete
    assert [path.removeprefix(str(root)) for path in found.directories] == ["", "/many", "/many/d0", "/many/d1"]
    assert sweep(str(root), since, max_entries=10_000, max_directories=1_000).complete
    assert not sweep(str(root), since, max_entries=3, max_directories=1_000).complete
    gone = str(root / "no-such")
    assert sweep(gone, since, max_entries=3, max_directories=9).directories == (gone,)

    @session.shell(max_directories=1)
    def shell() -> str:
        (root / "api" / "x").write_text("y")
        (root / "web" / "x").write_text("y")
        return "done"

    shell()
    assert "1 directories count as touched" in caplog.text


def test_links_are_not_followed(root: Path) -> None:
    """A link to a directory elsewhere, or to one above, is one entry."""
    since = time.time_ns()
    (root / "loop").symlink_to(root)
    found = sweep(str(root), since, max_entries=1_000, max_directories=100)
    assert found.complete
    assert found.directories == (str(root),)
