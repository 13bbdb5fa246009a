"""What the local provider answers and does when somebody acts between two of its steps."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from guidefs.errors import FileInputOutputError, StaleVersionError
from guidefs.storage.provider import CreateOnly, IfContent, Limits
from guidefs.storage.text import fingerprint
from guidefs.values.answer import Absent, Answer, Question, TooLarge, Unavailable
from guidefs_local import LocalProvider, exchange, writing
from guidefs_local.verification import Expectation

LIMITS = Limits(max_source_bytes=100)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file below a root."""
    (tmp_path / "root").mkdir()
    path = tmp_path / "root" / "AGENTS.md"
    path.write_text("text")
    return path


def _before_opening(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    really_open = os.open

    def open_late(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        monkeypatch.setattr(os, "open", really_open)
        act()
        return really_open(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", open_late)


def _replaced(path: Path, make: Callable[[Path], object]) -> Callable[[], None]:
    def act() -> None:
        path.unlink()
        make(path)

    return act


def _ask(provider: LocalProvider, path: Path) -> Answer:
    [answer] = provider.fetch([Question(str(path))], LIMITS)
    return answer


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: None], ids=["a directory", "a pipe", "nothing"])
def test_a_file_that_becomes_something_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object]
) -> None:
    """What is no regular file any more when it is opened is absent, and nothing blocks."""
    _before_opening(monkeypatch, _replaced(path, make))
    assert _ask(LocalProvider(None), path) == Absent()


def test_a_file_that_becomes_too_large(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of the opened file counts, not the one that was seen before."""
    _before_opening(monkeypatch, lambda: path.write_bytes(b"x" * 200))
    assert _ask(LocalProvider(None), path) == TooLarge(None, 200)


def test_a_link_that_appears_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link that takes the file's place is not followed, and is not told as a removal."""
    (path.parent / "real").write_text("inside")
    _before_opening(monkeypatch, _replaced(path, lambda name: name.symlink_to("real")))
    answer = _ask(LocalProvider(None, symlinks="refuse", root=str(path.parent)), path)
    assert isinstance(answer, Unavailable)


def test_a_way_out_that_appears_is_not_taken(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link out of the root that takes the file's place is opened at most, and not read."""
    (tmp_path / "secret").write_text("secret")
    _before_opening(monkeypatch, _replaced(path, lambda name: name.symlink_to(tmp_path / "secret")))
    answer = _ask(LocalProvider(None, symlinks="contained", root=str(path.parent)), path)
    assert isinstance(answer, Unavailable)
    assert "'contained'" in answer.error


def test_without_an_exchange_the_file_is_looked_at_twice(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where names cannot be exchanged, what changed while the new content was written is still noticed."""

    def change_instead(first: str, second: str) -> bool:
        path.write_text("his")
        return False

    monkeypatch.setattr(writing, "exchange", change_instead)
    with pytest.raises(StaleVersionError):
        LocalProvider(None).write(str(path), b"new", IfContent(fingerprint(b"text")))
    assert [found.read_text() for found in path.parent.iterdir()] == ["his"]


@pytest.mark.skipif(not exchange.exchange_is_known(), reason="this system cannot exchange two names")
def test_what_cannot_be_verified_is_put_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the displaced file cannot be examined, it gets its name back, and the write has failed."""

    def fail(self: Expectation, displaced: str) -> bool:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Expectation, "met_by_displaced", fail)
    with pytest.raises(FileInputOutputError, match="Input/output"):
        LocalProvider(None).write(str(path), b"new", IfContent(fingerprint(b"text")))
    assert [found.read_text() for found in path.parent.iterdir()] == ["text"]


def test_a_file_that_vanishes_right_after_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that happened is reported as such, whatever became of the file; it just has no version."""
    really_link = os.link

    def link_and_remove(source: str, target: str) -> None:
        really_link(source, target)
        os.unlink(target)

    monkeypatch.setattr(os, "link", link_and_remove)
    assert LocalProvider(None).write(str(tmp_path / "file"), b"", CreateOnly()).version is None


def test_a_failed_link_is_a_failed_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a missing ability of the filesystem leads to another way; other failures are failures."""

    def fail(source: str, target: str) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "link", fail)
    with pytest.raises(FileInputOutputError):
        LocalProvider(None).write(str(tmp_path / "file"), b"", CreateOnly())
    assert list(tmp_path.iterdir()) == []


def test_a_filesystem_without_locks_is_written_unlocked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no lock can be had, the other guards still hold."""

    def fail(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    LocalProvider(None).write(str(path), b"new", IfContent(fingerprint(b"text")))
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(not exchange.exchange_is_known(), reason="this system cannot exchange two names")
def test_an_exchange_says_whether_it_happened(tmp_path: Path) -> None:
    """What the kernel will not do is told apart from what went wrong."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert exchange.exchange(str(tmp_path / "a"), str(tmp_path / "a" / "b")) is False  # EINVAL: into itself
    with pytest.raises(FileNotFoundError):
        exchange.exchange(str(tmp_path / "a"), str(tmp_path / "none"))


def test_without_the_call_nothing_is_exchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without the call is no error."""
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    assert exchange.exchange(str(tmp_path / "a"), str(tmp_path / "b")) is False
    assert (tmp_path / "a").read_text() == "a"
