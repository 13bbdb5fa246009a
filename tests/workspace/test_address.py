"""Where a workspace lies, and what a path means in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.registry import _registry

from guidefs import Session, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from guidefs import Context

    Touch = Callable[..., list[str]]
    Tell = Callable[[Iterable[Context]], list[str]]

WHOLE = ["set p/AGENTS.md", "set p/q/AGENTS.md"]


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    """fsspec's memory filesystem with a project at `/bucket/repo`, emptied afterwards."""
    fs = MemoryFileSystem()
    fs.store.clear()
    fs.pipe_file("/bucket/repo/.git/HEAD", b"")
    fs.pipe_file("/bucket/repo/AGENTS.md", b"root rules")
    fs.pipe_file("/bucket/repo/p/AGENTS.md", b"p rules")
    fs.pipe_file("/bucket/repo/p/q/AGENTS.md", b"q rules")
    fs.pipe_file("/bucket/repo/p/q/x", b"content")
    yield fs
    fs.store.clear()
    fs.pseudo_dirs[:] = [""]


def opened(address: object, cwd: str | None = None, **settings: Any) -> Session:
    """A session over an address, with a home that holds nothing."""
    return Workspace(address, cwd, **{"max_bytes": 1 << 20, "home": "memory:///nobody", **settings}).session("s")


def test_local_path(disk: Path, touch: Touch) -> None:
    """A path on this host is a workspace; strings and path objects alike."""
    assert touch(opened(str(disk)), "p/q/x") == touch(opened(disk), "p/q/x") == WHOLE


def test_file_url(disk: Path, touch: Touch) -> None:
    """So is its URL."""
    assert touch(opened(f"file://{disk}"), "p/q/x") == WHOLE


def test_relative_path(disk: Path, touch: Touch, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path starts at the process's own directory when the workspace is made."""
    monkeypatch.chdir(disk.parent)
    session = opened("repo")
    monkeypatch.chdir("/")
    assert touch(session, "p/q/x") == WHOLE


@pytest.mark.parametrize("cwd", ["p", "./p/", "p/q/.."])
def test_working_directory_is_relative_to_the_address(disk: Path, touch: Touch, cwd: str) -> None:
    """`cwd` is relative to the address; the project root is found above it."""
    session = opened(str(disk), cwd)
    prefix = session.prefix()
    assert prefix is not None
    assert "root rules" in prefix.text
    assert "p rules" in prefix.text
    assert touch(session, "q/x") == ["set p/q/AGENTS.md"]


def test_walk_leaves_a_local_workspace_upward(disk: Path) -> None:
    """On this host's disk the root may lie above the workspace's address."""
    prefix = opened(str(disk / "p")).prefix()
    assert prefix is not None
    assert "Instructions from: AGENTS.md" in prefix.text
    assert "Instructions from: p/AGENTS.md" in prefix.text


def test_filesystem_with_its_own_paths(memory: MemoryFileSystem, touch: Touch) -> None:
    """A filesystem is a workspace with an explicit `cwd` in its own form, or with its scheme."""
    for cwd in ("/bucket/repo", "memory://bucket/repo"):
        assert touch(opened(memory, cwd), "p/q/x") == WHOLE


def test_url_of_another_filesystem(memory: MemoryFileSystem, touch: Touch) -> None:
    """A URL is a workspace, and paths with its scheme are absolute in it."""
    session = opened("memory://bucket/repo")
    assert touch(session, "memory://bucket/repo/p/q/x") == WHOLE
    assert touch(session, "/bucket/repo/p/q/x") == []


def test_wrapped_filesystem_takes_its_own_paths(memory: MemoryFileSystem, tell: Tell) -> None:
    """The wrapped filesystem takes the inner filesystem's own paths, file tools those relative to `cwd`."""
    session = opened(memory, "/bucket/repo")
    with session.call() as call:
        assert session.fs.cat_file("/bucket/repo/p/q/x") == b"content"
    assert tell(call.contexts) == WHOLE
    with opened(memory, "/bucket/repo").call() as call:
        call.touch("p/q/x", "read")
    assert tell(call.contexts) == WHOLE


def test_directory_wrapper(disk: Path, touch: Touch, tell: Tell) -> None:
    """A filesystem that shows a part of the disk is served by the disk's provider; its paths are its own."""
    fs = DirFileSystem(path=str(disk), fs=LocalFileSystem())
    session = opened(fs, ".")
    assert session.prefix() is not None
    assert touch(session, "p/q/x") == WHOLE
    other = opened(fs, "p")
    with other.call() as call:
        assert other.fs.cat_file("p/q/b.txt") == b"three\n"
    assert tell(call.contexts) == ["set p/q/AGENTS.md"]
    assert session.stats.unavailable == other.stats.unavailable == 0


def test_directory_wrapper_ends_the_walk(disk: Path) -> None:
    """The walk for the root ends where the shown part begins: what lies above is not looked at."""
    prefix = opened(DirFileSystem(path=str(disk / "p"), fs=LocalFileSystem()), ".").prefix()
    assert prefix is not None
    assert "root rules" not in prefix.text
    assert "Instructions from: AGENTS.md" in prefix.text


def test_home_on_the_host_whatever_the_workspace(memory: MemoryFileSystem, tmp_path: Path, touch: Touch) -> None:
    """A home path lies on this host's disk, whatever the workspace is, and is asked in the same wave."""
    (tmp_path / "AGENTS.md").write_text("global rules")
    session = opened(memory, "/bucket/repo", home=str(tmp_path))
    prefix = session.prefix()
    assert prefix is not None
    assert prefix.text.index("global rules") < prefix.text.index("root rules")
    assert session.stats.batches <= 2
    (tmp_path / "AGENTS.md").write_text("newer global rules")
    before = session.stats.batches
    assert touch(session, "x") == ["replace $DSH_HOME/AGENTS.md"]
    assert session.stats.batches == before + 1


def test_home_url(disk: Path, memory: MemoryFileSystem) -> None:
    """A home may be a URL on another filesystem."""
    memory.pipe_file("/home/AGENTS.md", b"global rules")
    prefix = opened(str(disk), home="memory://home").prefix()
    assert prefix is not None
    assert "Instructions from: $DSH_HOME/AGENTS.md\n\nglobal rules" in prefix.text


class HostedFileSystem(MemoryFileSystem):  # type: ignore[misc] # fsspec has no types
    """A store in memory for each host that a URL or an option names."""

    protocol = "hosted"

    def __init__(self, host: str, **options: Any) -> None:
        super().__init__(host=host, **options)
        self.store: dict[str, Any] = {}
        self.pipe_file("/home/AGENTS.md", f"rules of {host}".encode())

    @classmethod
    def _strip_protocol(cls, path: str) -> Any:
        return "/" + path.removeprefix("hosted://").partition("/")[2]

    @staticmethod
    def _get_kwargs_from_urls(path: str) -> dict[str, str]:
        return {"host": path.removeprefix("hosted://").partition("/")[0]}


def test_home_url_of_the_workspaces_own_filesystem(monkeypatch: pytest.MonkeyPatch) -> None:
    """A home URL that names the workspace's own filesystem is that one, with the options that the workspace has.

    Another host of the same protocol gets none of them.
    """
    monkeypatch.setitem(_registry, "hosted", HostedFileSystem)
    options = {"secret": "s", "skip_instance_cache": True}
    for host, is_shared in (("here", True), ("there", False)):
        session = opened("hosted://here/repo", home=f"hosted://{host}/home", storage_options=options)
        prefix = session.prefix()
        assert prefix is not None
        assert f"rules of {host}" in prefix.text
        home = session.workspace.place.home
        assert home is not None
        assert home.shared is is_shared


def test_home_that_is_missing(disk: Path) -> None:
    """A home that does not exist holds nothing, and fails nothing."""
    session = opened(str(disk), home=str(disk / "none" / "such"))
    assert session.prefix() is not None
    assert session.stats.unavailable == 0


def test_touch_outside_checks_what_is_loaded(disk: Path, touch: Touch) -> None:
    """A touch outside the working directory brings no new directory, but tells what changed."""
    session = opened(str(disk), "p")
    assert touch(session, "q/x") == ["set p/q/AGENTS.md"]
    (disk / "other").mkdir()
    (disk / "other" / "AGENTS.md").write_text("other rules")
    (disk / "p" / "q" / "AGENTS.md").write_text("newer q rules")
    assert touch(session, "../other/x") == ["replace p/q/AGENTS.md"]


def test_settings_of_the_provider(disk: Path, touch: Touch) -> None:
    """A provider's own settings are given like any other."""
    (disk / "p" / "AGENTS.md").unlink()
    (disk.parent / "outside.md").write_text("outside rules")
    (disk / "p" / "AGENTS.md").symlink_to(disk.parent / "outside.md")
    assert touch(opened(str(disk)), "p/x") == ["set p/AGENTS.md"]
    assert touch(opened(str(disk), symlinks="refuse"), "p/x") == []


def test_workspace_is_shared(disk: Path, touch: Touch) -> None:
    """One workspace serves any number of sessions, each with a state of its own."""
    workspace = Workspace(str(disk), max_bytes=1 << 20, home="memory:///nobody")
    assert [touch(workspace.session(str(number)), "p/q/x") for number in range(3)] == [WHOLE] * 3
