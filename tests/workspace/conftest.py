"""A workspace over a store in memory, whose files tests write behind the product's back."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from guidefs import Context, Message, Session, SessionLog, Workspace
from guidefs.testing import FakeProvider, FaultyProvider

ROOT = "/work"
_NOBODY = 65_534


class Bench:
    """A workspace at `/work`, with the provider that answers for it and what it was asked.

    Args:
        settings: settings of the workspace, with a large budget unless one is given.
    """

    def __init__(self, provider: object | None = None, **settings: Any) -> None:
        self.disk = FakeProvider()
        self.disk.mkdir(f"{ROOT}/.git")
        self.faults = FaultyProvider(self.disk)
        self.workspace = Workspace(
            MemoryFileSystem(),
            ROOT,
            provider=self.faults if provider is None else provider,
            **{"max_bytes": 1 << 20, "home": "memory:///nobody", **settings},
        )

    def put(self, path: str, text: str) -> None:
        """Write a file of the workspace."""
        self.disk.put(f"{ROOT}/{path}", text)

    def put_each(self, *directories: str) -> None:
        """Write an `AGENTS.md` that names its directory into each of some directories."""
        for directory in directories:
            self.put(f"{directory}/AGENTS.md", f"rules of {directory}")

    def delete(self, path: str) -> None:
        """Delete a file of the workspace."""
        self.disk.delete(f"{ROOT}/{path}")

    def fail(self, path: str) -> None:
        """Let a file of the workspace fail from now on."""
        self.faults.fail(f"{ROOT}/{path}")

    def heal(self, path: str) -> None:
        """Let a file of the workspace work again."""
        self.faults.heal(f"{ROOT}/{path}")

    def session(self, name: str = "s", **options: Any) -> Session:
        """Start a run."""
        return self.workspace.session(name, **options)


def said(contexts: Iterable[Context]) -> list[str]:
    """What contexts say, in order, as `action path`."""
    return [f"{change.action} {change.path}" for context in contexts for change in context.changes]


def touched(session: Session, path: str, call_id: Hashable | None = None) -> list[str]:
    """Touch one path in one call, and give what the call says."""
    with session.call(call_id) as call:
        call.touch(path, "read")
    return said(call.contexts)


def append(log: SessionLog, contexts: Iterable[Context]) -> None:
    """Append contexts to a log, as a host does."""
    for context in contexts:
        log.append(Message.of(context))


@pytest.fixture
def bench() -> Bench:
    """A workspace in memory."""
    return Bench()


@pytest.fixture
def make_bench() -> Callable[..., Bench]:
    """Makes a workspace in memory with settings of its own."""
    return Bench


@pytest.fixture
def touch() -> Callable[..., list[str]]:
    """Touches one path in one call and gives what the call says, as `action path`."""
    return touched


@pytest.fixture
def tell() -> Callable[[Iterable[Context]], list[str]]:
    """Gives what contexts say, as `action path`."""
    return said


@pytest.fixture
def log_all() -> Callable[[SessionLog, Iterable[Context]], None]:
    """Appends contexts to a log."""
    return append


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A project on the local disk: a root with a marker, and files in `p` and `p/q`."""
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / "p" / "q").mkdir(parents=True)
    (root / "AGENTS.md").write_text("root rules\n")
    (root / "p" / "AGENTS.md").write_text("p rules\n")
    (root / "p" / "q" / "AGENTS.md").write_text("q rules\n")
    (root / "p" / "a.txt").write_text("one\ntwo\n")
    (root / "p" / "q" / "b.txt").write_text("three\n")
    (root / "c.txt").write_text("four\n")
    return root


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A directory that every user can enter, unlike pytest's own."""
    directory = Path(tempfile.mkdtemp(prefix="guidefs-test-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def unprivileged() -> Callable[[], AbstractContextManager[None]]:
    """A context in which root, too, is subject to permissions."""

    @contextmanager
    def context() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(_NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    return context


@pytest.fixture
def local(disk: Path) -> Workspace:
    """The project on the local disk as a workspace, with a home that holds nothing."""
    return Workspace(str(disk), max_bytes=1 << 20, home=str(disk.parent / "home"))
