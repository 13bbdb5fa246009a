"""Guarded writes, stats and ranged reads of the local provider."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from guidefs.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    FileInputOutputError,
    NotADirectoryFileError,
    NotFoundError,
    NotRegularFileError,
    StaleVersionError,
)
from guidefs.storage.provider import Chunk, CreateOnly, Guard, IfContent, IfVersion, Stat
from guidefs.storage.text import fingerprint
from guidefs.values.answer import Absent, Version
from guidefs_local import LocalProvider, exchange, locking, staging, writing

PROCESSES = 8
INCREMENTS = 10


@pytest.fixture
def provider() -> LocalProvider:
    """A provider whose clock runs ahead, so that every file counts as settled."""
    return LocalProvider(None, clock=lambda: time.time_ns() + 60_000_000_000)


def _version_of(provider: LocalProvider, path: Path) -> Version:
    found = provider.stat(str(path))
    assert isinstance(found, Stat)
    assert found.version is not None
    return found.version


def _no_exchange(first: str, second: str) -> bool:
    return False


def _leftovers(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if path.name.startswith(".guidefs-")]


def test_a_creation_makes_parents(provider: LocalProvider, tmp_path: Path) -> None:
    """A new file appears whole, with missing parents and the mode that the umask gives."""
    path = tmp_path / "a" / "b" / "file"
    mask = os.umask(0o027)
    try:
        written = provider.write(str(path), b"text", CreateOnly())
    finally:
        os.umask(mask)
    assert path.read_bytes() == b"text"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.stat().st_nlink == 1
    assert written.guarantee == "atomic"
    assert written.version == _version_of(provider, path)


def test_a_fresh_write_has_no_version(tmp_path: Path) -> None:
    """What was just written is too fresh to be told from a second write."""
    assert LocalProvider(None).write(str(tmp_path / "file"), b"", CreateOnly()).version is None


@pytest.mark.parametrize("taken", ["file", "directory", "loop"])
def test_a_taken_name_is_refused(provider: LocalProvider, tmp_path: Path, taken: str) -> None:
    """A creation never replaces anything, of whatever kind."""
    (tmp_path / "file").write_text("old")
    (tmp_path / "directory").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(AlreadyExistsError, match=taken):
        provider.write(str(tmp_path / taken), b"new", CreateOnly())
    assert (tmp_path / "file").read_text() == "old"
    assert _leftovers(tmp_path) == []


def _no_links(*_args: object, **_options: object) -> None:
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("has_links", [True, False])
def test_one_of_many_creators_wins(
    provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    """Of many creators at one moment exactly one succeeds, with hard links and without."""
    if not has_links:
        monkeypatch.setattr(os, "link", _no_links)
    rounds, creators = 20, 8
    barrier = threading.Barrier(creators)

    def create(number: int, creator: int) -> bool:
        barrier.wait()
        try:
            provider.write(str(tmp_path / str(number)), f"{creator}".encode(), CreateOnly())
        except AlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(creators) as pool:
        for number in range(rounds):
            assert sum(pool.map(create, [number] * creators, range(creators))) == 1
    assert _leftovers(tmp_path) == []


def test_a_failed_exclusive_creation_leaves_nothing(
    provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without hard links, a write that fails half-way removes the name it took."""

    def full(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", _no_links)
    monkeypatch.setattr(writing, "write_all", full)
    with pytest.raises(FileInputOutputError, match="No space"):
        provider.write(str(tmp_path / "file"), b"text", CreateOnly())
    assert list(tmp_path.iterdir()) == []


def test_nothing_below_a_file_is_created(provider: LocalProvider, tmp_path: Path) -> None:
    """A file in the place of a parent is reported as such."""
    (tmp_path / "file").write_text("")
    for below in ("file/new", "file/deep/new"):
        with pytest.raises(NotADirectoryFileError, match="file"):
            provider.write(str(tmp_path / below), b"", CreateOnly())


@pytest.mark.parametrize("by_content", [False, True])
@pytest.mark.parametrize("has_exchange", [True, False])
class TestReplacement:
    """Replacements under either guard, with and without the kernel's help."""

    @pytest.fixture(autouse=True)
    def setting(self, monkeypatch: pytest.MonkeyPatch, *, has_exchange: bool) -> None:
        """Take the exchange of names away where the table says so."""
        if not has_exchange:
            monkeypatch.setattr(writing, "exchange", _no_exchange)

    def guard(self, provider: LocalProvider, path: Path, *, by_content: bool) -> Guard:
        """The guard that holds now."""
        if by_content:
            return IfContent(fingerprint(path.read_bytes()))
        return IfVersion(_version_of(provider, path))

    def test_it_happens(self, provider: LocalProvider, tmp_path: Path, *, by_content: bool, has_exchange: bool) -> None:
        """The content is replaced, the mode kept, and the guarantee told."""
        path = tmp_path / "file"
        path.write_text("old")
        path.chmod(0o751)
        written = provider.write(str(path), b"new", self.guard(provider, path, by_content=by_content))
        assert path.read_bytes() == b"new"
        assert stat.S_IMODE(path.stat().st_mode) == 0o751
        assert written.guarantee == ("checked" if has_exchange and exchange.exchange_is_known() else "best-effort")
        assert written.version == _version_of(provider, path)
        assert _leftovers(tmp_path) == []

    def test_a_changed_file_is_kept(self, provider: LocalProvider, tmp_path: Path, *, by_content: bool) -> None:
        """A file that changed since is not overwritten."""
        path = tmp_path / "file"
        path.write_text("old")
        guard = self.guard(provider, path, by_content=by_content)
        path.write_text("two")
        with pytest.raises(StaleVersionError, match=r"file.*read it again"):
            provider.write(str(path), b"new", guard)
        assert path.read_text() == "two"

    @pytest.mark.parametrize("now", ["nothing", "directory"])
    def test_a_vanished_file_is_stale(
        self, provider: LocalProvider, tmp_path: Path, now: str, *, by_content: bool
    ) -> None:
        """A file that is gone, or another thing now, is not created again."""
        path = tmp_path / "file"
        path.write_text("old")
        guard = self.guard(provider, path, by_content=by_content)
        path.unlink()
        if now == "directory":
            path.mkdir()
        with pytest.raises(StaleVersionError):
            provider.write(str(path), b"new", guard)
        assert path.is_dir() == (now == "directory")

    def test_a_link_stays_a_link(self, provider: LocalProvider, tmp_path: Path, *, by_content: bool) -> None:
        """The target of a link is what is written."""
        path = tmp_path / "file"
        path.write_text("old")
        (tmp_path / "link").symlink_to("file")
        provider.write(str(tmp_path / "link"), b"new", self.guard(provider, path, by_content=by_content))
        assert (tmp_path / "link").is_symlink()
        assert path.read_bytes() == b"new"


def test_a_dangling_link_is_filled(provider: LocalProvider, tmp_path: Path) -> None:
    """A creation through a dangling link makes its target."""
    (tmp_path / "link").symlink_to("sub/target")
    provider.write(str(tmp_path / "link"), b"text", CreateOnly())
    assert (tmp_path / "sub" / "target").read_bytes() == b"text"
    assert (tmp_path / "link").is_symlink()


class Intruder:
    """Lets somebody else act between the first verification and the exchange.

    Args:
        before: what is done before the first exchange.
        after: what is done after it.
    """

    def __init__(self, before: Callable[[], object], after: Callable[[], object] = lambda: None) -> None:
        self.before = before
        self.after = after
        self.calls = 0

    def __call__(self, first: str, second: str) -> bool:
        """Exchange two names, with company."""
        self.calls += 1
        if self.calls == 1:
            self.before()
        result = exchange.exchange(first, second)
        if self.calls == 1:
            self.after()
        return result


linux_only = pytest.mark.skipif(not exchange.exchange_is_known(), reason="this system cannot exchange two names")


@linux_only
@pytest.mark.parametrize("by_content", [False, True])
def test_a_last_moment_writer_is_not_lost(
    provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_content: bool
) -> None:
    """What came in between verification and exchange is put back and reported."""
    path = tmp_path / "file"
    path.write_text("old")
    guard = IfContent(fingerprint(b"old")) if by_content else IfVersion(_version_of(provider, path))
    monkeypatch.setattr(writing, "exchange", Intruder(lambda: path.write_text("his")))
    with pytest.raises(StaleVersionError):
        provider.write(str(path), b"new", guard)
    assert path.read_text() == "his"
    assert _leftovers(tmp_path) == []


@linux_only
def test_a_third_writer_is_not_lost_either(
    provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who replaces the file while the exchange is taken back keeps the last word."""
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_text("old")
    other.write_text("last")
    intruder = Intruder(lambda: path.write_text("his"), lambda: other.replace(path))
    monkeypatch.setattr(writing, "exchange", intruder)
    with pytest.raises(StaleVersionError):
        provider.write(str(path), b"new", IfContent(fingerprint(b"old")))
    assert path.read_text() == "last"
    assert _leftovers(tmp_path) == []


@linux_only
def test_a_removal_in_the_last_moment_is_stale(
    provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that vanishes before the exchange is not created again."""
    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(writing, "exchange", Intruder(path.unlink))
    with pytest.raises(StaleVersionError):
        provider.write(str(path), b"new", IfContent(fingerprint(b"old")))
    assert list(tmp_path.iterdir()) == []


def test_a_write_protected_file_is_refused(
    provider: LocalProvider, common: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    """A new name for new content does not get around the protection of the file itself."""
    path = common / "file"
    path.write_text("old")
    path.chmod(0o444)
    with unprivileged(), pytest.raises(AccessDeniedError, match="write-protected"):
        provider.write(str(path), b"new", IfContent(fingerprint(b"old")))
    assert path.read_text() == "old"


def test_a_write_protected_directory_is_refused(
    provider: LocalProvider, common: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    """A directory that takes no new names is a typed error."""
    (common / "closed").mkdir()
    (common / "closed").chmod(0o555)
    with unprivileged(), pytest.raises(AccessDeniedError, match="closed"):
        provider.write(str(common / "closed" / "file"), b"", CreateOnly())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_is_kept(provider: LocalProvider, tmp_path: Path) -> None:
    """A replaced file keeps its owner and group where the process may set them."""
    path = tmp_path / "file"
    path.write_text("old")
    os.chown(path, 65_534, 65_533)
    provider.write(str(path), b"new", IfContent(fingerprint(b"old")))
    assert (path.stat().st_uid, path.stat().st_gid) == (65_534, 65_533)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file of another owner")
def test_privilege_bits_end_with_the_owner(
    provider: LocalProvider, common: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    """Where the owner cannot be kept, neither are the bits that act in its name."""
    path = common / "file"
    path.write_text("old")
    path.chmod(0o6777)
    with unprivileged():
        provider.write(str(path), b"new", IfContent(fingerprint(b"old")))
    assert stat.S_IMODE(path.stat().st_mode) == 0o777
    assert path.stat().st_uid != 0


def test_a_failed_write_leaves_no_trace(
    provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the content cannot be written, the old file and nothing else is there."""

    def full(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(staging, "write_all", full)
    with pytest.raises(FileInputOutputError, match="No space"):
        provider.write(str(path), b"new", IfContent(fingerprint(b"old")))
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_a_reader_never_sees_a_mixture(provider: LocalProvider, tmp_path: Path) -> None:
    """While a file is replaced over and over, every read is one of the whole contents."""
    path = tmp_path / "file"
    contents = [bytes([letter]) * 200_000 for letter in b"ab"]
    path.write_bytes(contents[0])
    stop = threading.Event()

    def replace() -> None:
        for number in range(100):
            guard = IfContent(fingerprint(contents[number % 2]))
            provider.write(str(path), contents[(number + 1) % 2], guard)
        stop.set()

    writer = threading.Thread(target=replace)
    writer.start()
    torn = 0
    while not stop.is_set():
        torn += path.read_bytes() not in contents
    writer.join()
    assert torn == 0


COUNT_UP = """
import sys, time
from guidefs.errors import StaleVersionError
from guidefs.storage.provider import IfVersion
from guidefs_local import LocalProvider

provider, path, times = LocalProvider(None), sys.argv[1], int(sys.argv[2])
while times:
    chunk = provider.read(path, offset=0, max_bytes=100)
    if chunk.version is None:  # written a moment ago
        time.sleep(0.003)
        continue
    try:
        provider.write(path, str(int(chunk.data) + 1).encode(), IfVersion(chunk.version))
    except StaleVersionError:
        continue  # somebody else was faster
    times -= 1
"""


def test_writers_lose_nothing_among_themselves(tmp_path: Path) -> None:
    """Eight processes that each count ten times through versions end at eighty."""
    path = tmp_path / "counter"
    path.write_text("0")
    command = [sys.executable, "-c", COUNT_UP, str(path), str(INCREMENTS)]
    counters = [subprocess.Popen(command) for _ in range(PROCESSES)]
    try:
        assert [counter.wait(timeout=120) for counter in counters] == [0] * PROCESSES
    finally:
        for counter in counters:
            counter.kill()
            counter.wait()
    assert path.read_text() == str(PROCESSES * INCREMENTS)
    assert _leftovers(tmp_path) == []


def test_a_lock_that_never_comes_is_reported(tmp_path: Path) -> None:
    """A writer does not wait for ever for somebody who holds the lock."""
    with (
        locking.directory_lock(str(tmp_path)),
        pytest.raises(FileInputOutputError, match="locked"),
        locking.directory_lock(str(tmp_path), timeout_seconds=0.01),
    ):
        pytest.fail("two holders of one lock")


def test_where_there_is_no_lock_the_write_goes_on(tmp_path: Path) -> None:
    """A directory that cannot be opened is no obstacle to the lock."""
    entered = False
    with locking.directory_lock(str(tmp_path / "missing")):
        entered = True
    assert entered


def test_stats_tell_the_kind(provider: LocalProvider, tmp_path: Path) -> None:
    """A stat tells files, directories and other things apart, and what is absent."""
    (tmp_path / "file").write_text("12345")
    os.mkfifo(tmp_path / "pipe")
    assert provider.stat(str(tmp_path / "file")) == Stat("file", 5, _version_of(provider, tmp_path / "file"))
    assert provider.stat(str(tmp_path)) == Stat("directory", None, None)
    assert provider.stat(str(tmp_path / "pipe")) == Stat("other", None, None)
    assert provider.stat(str(tmp_path / "missing")) == Absent()


@pytest.mark.parametrize(
    ("offset", "max_bytes", "data"),
    [(0, 100, b"0123456789"), (3, 4, b"3456"), (8, 5, b"89"), (10, 5, b""), (99, 1, b"")],
)
def test_ranged_reads(provider: LocalProvider, tmp_path: Path, offset: int, max_bytes: int, data: bytes) -> None:
    """A piece has the asked-for bytes, the version they belong to, and the size of the whole."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    chunk = provider.read(str(path), offset=offset, max_bytes=max_bytes)
    assert chunk == Chunk(data, _version_of(provider, path), 10)


def test_reads_fail_with_types(provider: LocalProvider, tmp_path: Path) -> None:
    """What cannot be read is a typed error and never a wait."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotFoundError):
        provider.read(str(tmp_path / "missing"), offset=0, max_bytes=1)
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(NotRegularFileError):
            provider.read(str(path), offset=0, max_bytes=1)
