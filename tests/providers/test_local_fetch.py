"""What the local provider answers in a batch."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import fsspec
import pytest

from guidefs.errors import ConfigurationError
from guidefs.storage.provider import Limits
from guidefs.values.answer import (
    Absent,
    Answer,
    Exists,
    Marker,
    NotText,
    Question,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
    Version,
)
from guidefs_local import LocalProvider

LIMITS = Limits(max_source_bytes=100, max_batch_bytes=1_000)


def _ask(provider: LocalProvider, *paths: object, limits: Limits = LIMITS) -> list[Answer]:
    return list(provider.fetch([Question(str(path)) for path in paths], limits))


def _later(seconds: float = 60.0) -> Callable[[], int]:
    return lambda: time.time_ns() + int(seconds * 1e9)


@pytest.fixture
def provider() -> LocalProvider:
    """A provider whose clock runs ahead, so that every file counts as settled."""
    return LocalProvider(fsspec.filesystem("file"), clock=_later())


def _record_opening(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    opened: list[str] = []
    really_open = os.open

    def open_recorded(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        opened.append(path)
        return really_open(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", open_recorded)
    return opened


def _version_of(answer: Answer) -> Version | None:
    assert isinstance(answer, Text)
    return answer.version


def _make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def _make_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the address of a socket is limited to about 100 bytes
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def _make_link_to_directory(path: Path) -> None:
    (path.parent / "directory").mkdir()
    path.symlink_to("directory")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda path: None, id="missing"),
        pytest.param(lambda path: path.symlink_to("nowhere"), id="dangling link"),
        pytest.param(_make_loop, id="link loop"),
        pytest.param(lambda path: path.mkdir(), id="directory"),
        pytest.param(_make_link_to_directory, id="link to directory"),
        pytest.param(os.mkfifo, id="pipe"),
        pytest.param(_make_socket, id="socket"),
        pytest.param(lambda path: path.symlink_to("/dev/null"), id="device"),
    ],
)
def test_what_is_no_file_is_absent(provider: LocalProvider, tmp_path: Path, make: Callable[[Path], None]) -> None:
    """Whatever is certainly no regular file is absent, and nothing blocks on it."""
    make(tmp_path / "AGENTS.md")
    assert _ask(provider, tmp_path / "AGENTS.md") == [Absent()]


@pytest.mark.parametrize("name", ["nul\0byte", "lone \ud800 surrogate", "x" * 256])
def test_a_name_that_cannot_exist_is_absent(provider: LocalProvider, tmp_path: Path, name: str) -> None:
    """A name that the operating system cannot hold is absent, not an exception."""
    assert _ask(provider, f"{tmp_path}/{name}") == [Absent()]


def test_a_path_through_a_file_is_absent(provider: LocalProvider, tmp_path: Path) -> None:
    """A regular file in the place of a directory makes the candidate absent."""
    (tmp_path / "file").write_text("text")
    assert _ask(provider, tmp_path / "file" / "AGENTS.md") == [Absent()]


def test_a_path_beyond_the_limit_is_unavailable(provider: LocalProvider, tmp_path: Path) -> None:
    """A whole path over PATH_MAX may exist, reached from further down, so it is unavailable."""
    path = f"{tmp_path}{'/deep' * 1_000}/AGENTS.md"
    [answer] = _ask(provider, path)
    assert isinstance(answer, Unavailable)
    assert "too long" in answer.error


def test_a_refusal_stays_with_its_path(
    provider: LocalProvider, common: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    """An unreadable file and a closed directory are unavailable, and their neighbours are answered."""
    (common / "open.md").write_text("open")
    (common / "secret.md").write_text("secret")
    (common / "secret.md").chmod(0)
    (common / "closed").mkdir()
    (common / "closed" / "AGENTS.md").write_text("hidden")
    (common / "closed").chmod(0)
    with unprivileged():
        answers = _ask(provider, common / "secret.md", common / "closed" / "AGENTS.md", common / "open.md")
    (common / "closed").chmod(0o700)
    assert [type(answer) for answer in answers] == [Unavailable, Unavailable, Text]
    assert all("PermissionError" in answer.error for answer in answers[:2] if isinstance(answer, Unavailable))


def test_a_link_loads_its_target(provider: LocalProvider, tmp_path: Path) -> None:
    """A link to a regular file gives the target's text."""
    (tmp_path / "real.md").write_text("text")
    (tmp_path / "AGENTS.md").symlink_to("real.md")
    [answer] = _ask(provider, tmp_path / "AGENTS.md")
    assert isinstance(answer, Text)
    assert answer.text == "text"


def test_a_known_version_is_not_read(provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the known version is unchanged and is not opened."""
    path = tmp_path / "AGENTS.md"
    path.write_text("text")
    [first] = _ask(provider, path)
    opened = _record_opening(monkeypatch)
    assert provider.fetch([Question(str(path), _version_of(first))], LIMITS) == [Unchanged()]
    assert opened == []


def test_a_foreign_version_is_read(provider: LocalProvider, tmp_path: Path) -> None:
    """A version that this provider did not make matches nothing."""
    (tmp_path / "AGENTS.md").write_text("text")
    [answer] = provider.fetch([Question(str(tmp_path / "AGENTS.md"), Version("etag:abc"))], LIMITS)
    assert isinstance(answer, Text)


def _rewrite_restoring_the_time(path: Path) -> None:
    before = path.stat()
    path.write_text("four")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replace_by_another(path: Path) -> None:
    before = path.stat()
    other = path.with_name("other")
    other.write_text("four")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda path: path.write_text("longer text"), id="edit"),
        pytest.param(lambda path: path.write_text("four"), id="same size"),
        pytest.param(_rewrite_restoring_the_time, id="same size and modification time"),
        pytest.param(_replace_by_another, id="replaced by a file of the same size and time"),
    ],
)
def test_a_change_is_noticed(
    provider: LocalProvider, tmp_path: Path, settle: Callable[[], None], change: Callable[[Path], None]
) -> None:
    """A settled file that is changed in any way no longer has its version."""
    path = tmp_path / "AGENTS.md"
    path.write_text("text")
    settle()
    [first] = _ask(provider, path)
    change(path)
    [second] = provider.fetch([Question(str(path), _version_of(first))], LIMITS)
    assert isinstance(second, Text)
    assert second.text == path.read_text()


def test_a_fresh_file_has_no_version(tmp_path: Path) -> None:
    """A timestamp younger than its granularity is not trusted, so a second write cannot hide behind it."""
    path = tmp_path / "AGENTS.md"
    path.write_text("text")
    written = max(path.stat().st_mtime_ns, path.stat().st_ctime_ns)
    too_early = LocalProvider(None, clock=lambda: written + 10_000_000)
    late_enough = LocalProvider(None, clock=lambda: written + 10_000_001)
    assert _version_of(_ask(too_early, path)[0]) is None
    assert _version_of(_ask(late_enough, path)[0]) is not None


def test_the_clock_is_read_before_the_stat(tmp_path: Path) -> None:
    """A file written between the clock and the stat is fresh, however slow the batch is."""
    path = tmp_path / "AGENTS.md"
    path.write_text("old")

    def clock() -> int:
        now = time.time_ns()
        path.write_text("new")
        time.sleep(0.02)
        return now

    assert _ask(LocalProvider(None, clock=clock), path) == [Text(None, "new")]


def test_a_mark_in_the_future_is_not_trusted(tmp_path: Path) -> None:
    """A modification time that has yet to come gives no version."""
    path = tmp_path / "AGENTS.md"
    path.write_text("text")
    os.utime(path, (4e9, 4e9))
    assert _version_of(_ask(LocalProvider(None, clock=_later()), path)[0]) is None


def test_a_file_too_large_by_its_size_is_not_opened(provider: LocalProvider, tmp_path: Path) -> None:
    """The stated size decides first, and its version is told so that the file can be recognised."""
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"x" * 101)
    path.chmod(0)
    [answer] = _ask(provider, path)
    assert isinstance(answer, TooLarge)
    assert answer.size == 101
    assert provider.fetch([Question(str(path), answer.version)], LIMITS) == [Unchanged()]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs procfs, which states no sizes")
def test_a_file_that_states_no_size_is_bounded(provider: LocalProvider) -> None:
    """What is really read is bounded too, for files that are larger than they say."""
    [answer] = _ask(provider, "/proc/self/smaps")
    assert isinstance(answer, TooLarge)


def test_the_batch_keeps_its_tail(provider: LocalProvider, tmp_path: Path) -> None:
    """When the batch is full, the last files are kept and everything before the first misfit is refused."""
    paths = [tmp_path / f"{number}.md" for number in range(4)]
    for path, size in zip(paths, (1, 60, 50, 50), strict=True):
        path.write_bytes(b"x" * size)
    answers = _ask(provider, *paths, limits=Limits(max_source_bytes=100, max_batch_bytes=100))
    assert [type(answer) for answer in answers] == [Unavailable, Unavailable, Text, Text]


def test_a_full_batch_reads_no_further(
    provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first misfit nothing is opened any more; what needs no text is still answered."""
    paths = [tmp_path / f"{number}.md" for number in range(3)]
    for path in paths:
        path.write_bytes(b"x" * 60)
    [known] = _ask(provider, paths[0])
    questions = [
        Question(str(paths[0]), _version_of(known)),
        Question(str(tmp_path / "missing")),
        Question(str(tmp_path / "unread.md")),
        *(Question(str(path)) for path in paths[1:]),
    ]
    (tmp_path / "unread.md").write_bytes(b"x")
    opened = _record_opening(monkeypatch)
    answers = provider.fetch(questions, Limits(max_source_bytes=100, max_batch_bytes=100))
    assert [type(answer) for answer in answers] == [Unchanged, Absent, Unavailable, Unavailable, Text]
    assert opened == [str(paths[2]), str(paths[1])]


def test_markers(provider: LocalProvider, tmp_path: Path) -> None:
    """A file, a directory and a link to either are markers; a dangling link and a missing name are not."""
    (tmp_path / "directory").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("directory")
    (tmp_path / "dangling").symlink_to("nowhere")
    names = ["directory", "file", "link", "dangling", "missing", "file/below"]
    answers = provider.fetch([Marker(f"{tmp_path}/{name}") for name in names], LIMITS)
    assert answers == [Exists(), Exists(), Exists(), Absent(), Absent(), Absent()]


def test_bytes_that_are_no_text(provider: LocalProvider, tmp_path: Path) -> None:
    """A binary file is not text, and its version is told."""
    (tmp_path / "AGENTS.md").write_bytes(b"\xff\xfe")
    [answer] = _ask(provider, tmp_path / "AGENTS.md")
    assert isinstance(answer, NotText)
    assert answer.version is not None


def test_the_clock_has_to_be_a_function() -> None:
    """A clock that cannot be called is refused when the provider is made."""
    with pytest.raises(ConfigurationError, match="clock"):
        LocalProvider(None, clock=5)  # type: ignore[arg-type] # the mistake under test
