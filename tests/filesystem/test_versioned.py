"""The three primitives on wrapped filesystems."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem

from guidefs.errors import (
    AlreadyExistsError,
    ArgumentError,
    GuardUnsupportedError,
    NotFoundError,
    NotRegularFileError,
    StaleVersionError,
    UsageError,
)
from guidefs.filesystem import GuideFileSystem
from guidefs.storage import Absent, CreateOnly, IfContent, IfVersion, Stat, fingerprint

BACKENDS = ("local", "memory", "directory", "native", "s3")


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, memory: Any, native: Any, tmp_path: Path) -> tuple[Any, str]:
    """An inner filesystem with a directory of the test's own."""
    if request.param == "s3":
        return request.getfixturevalue("s3"), f"{request.getfixturevalue('bucket')}/dir"
    return {
        "local": (LocalFileSystem(), str(tmp_path)),
        "memory": (memory, "/dir"),
        "directory": (DirFileSystem(str(tmp_path), LocalFileSystem()), "dir"),
        "native": (native({}), "/dir"),
    }[request.param]


class Primitives:
    """The primitives of one half, called the same way."""

    def __init__(self, fs: GuideFileSystem, half: str) -> None:
        self.fs = fs
        self._half = half

    def __getattr__(self, name: str) -> Any:
        if self._half == "sync":
            return getattr(self.fs, name)
        return lambda *args, **kwargs: asyncio.run(getattr(self.fs, f"_{name}")(*args, **kwargs))


@pytest.fixture(params=["sync", "async"])
def primitives(request: pytest.FixtureRequest, backend: tuple[Any, str], recorder: Any) -> Primitives:
    """The primitives of a wrapped filesystem that is always in a call."""
    return Primitives(GuideFileSystem(backend[0], recorder=recorder), request.param)


@pytest.fixture
def path(backend: tuple[Any, str]) -> str:
    """A file that exists, with the content `0123456789`."""
    inner, directory = backend
    inner.makedirs(directory, exist_ok=True)
    inner.pipe_file(f"{directory}/f", b"0123456789")
    return f"{directory}/f"


def test_a_stat_is_fresh_and_no_touch(primitives: Any, path: str, recorder: Any) -> None:
    """Kind and size of a file, of a directory, of nothing."""
    found = primitives.versioned_stat(path)
    assert isinstance(found, Stat)
    assert (found.kind, found.size) == ("file", 10)
    assert primitives.versioned_stat(path.removesuffix("/f")).kind == "directory"
    assert primitives.versioned_stat(f"{path}.missing") == Absent()
    assert recorder.touches == []


def test_a_bounded_read_holds_no_more_than_asked_for(primitives: Any, path: str, recorder: Any) -> None:
    """A piece from any offset, empty past the end, each read one touch."""
    assert primitives.read_bounded(path, 4).data == b"0123"
    assert primitives.read_bounded(path, 4, offset=8).data == b"89"
    assert primitives.read_bounded(path=path, max_bytes=4, offset=20).data == b""
    whole = primitives.read_bounded(path, 11)
    assert (whole.data, whole.size) == (b"0123456789", 10)
    assert recorder.touches == [(primitives.fs._strip_protocol(path), "read")] * 4


def test_an_empty_file_is_read_as_nothing(primitives: Any, path: str, backend: Any) -> None:
    """Object stores refuse ranges of empty objects; the primitive does not."""
    backend[0].pipe_file(path, b"")
    assert primitives.read_bounded(path, 10).data == b""


def test_a_failed_read_is_typed_and_no_touch(primitives: Any, path: str, recorder: Any) -> None:
    """What is missing, or no file, says so; nonsense is refused before anything is asked."""
    with pytest.raises(NotFoundError):
        primitives.read_bounded(f"{path}.missing", 1)
    with pytest.raises((NotRegularFileError, NotFoundError)):
        primitives.read_bounded(path.removesuffix("/f"), 1)
    with pytest.raises(ArgumentError, match="max_bytes"):
        primitives.read_bounded(path, -1)
    with pytest.raises(ArgumentError, match="offset"):
        primitives.read_bounded(path, 1, offset=-1)
    assert recorder.touches == []


def test_a_creation_is_refused_where_something_is(primitives: Any, path: str, backend: Any, recorder: Any) -> None:
    """`CreateOnly` writes once, and a refused write is no touch."""
    primitives.write_guarded(f"{path}.new", b"new", CreateOnly())
    with pytest.raises(AlreadyExistsError):
        primitives.write_guarded(f"{path}.new", b"newer", CreateOnly())
    backend[0].invalidate_cache()
    assert backend[0].cat_file(f"{path}.new") == b"new"
    assert recorder.touches == [(primitives.fs._strip_protocol(f"{path}.new"), "write")]


def test_a_replacement_is_refused_once_the_file_changed(
    primitives: Any, path: str, backend: Any, recorder: Any
) -> None:
    """A write that is guarded by a version, or by the content where there is none, happens once."""
    version = primitives.versioned_stat(path).version
    guard = IfContent(fingerprint(b"0123456789")) if version is None else IfVersion(version)
    primitives.write_guarded(path, b"new", guard)
    with pytest.raises(StaleVersionError):
        primitives.write_guarded(path, b"newer", guard)
    assert backend[0].cat_file(path) == b"new"
    assert recorder.touches == [(primitives.fs._strip_protocol(path), "write")]


def test_a_guard_that_cannot_be_enforced_is_refused(native: Any, recorder: Any) -> None:
    """A backend without versions does not pretend to compare them."""
    fs = GuideFileSystem(native({"/f": b"text"}), recorder=recorder)
    with pytest.raises(GuardUnsupportedError):
        fs.write_guarded("/f", b"new", IfVersion("1"))  # type: ignore[arg-type]  # any string will do
    assert fs.fs.content == {"/f": b"text"}
    assert recorder.touches == []


def test_a_guarded_write_shows_in_a_listing_that_was_cached(s3: Any, bucket: str, recorder: Any) -> None:
    """What a provider writes past the filesystem is seen by it."""
    fs = GuideFileSystem(s3, recorder=recorder)
    s3.pipe_file(f"{bucket}/dir/f", b"")
    assert fs.ls(f"{bucket}/dir", detail=False) == [f"{bucket}/dir/f"]
    fs.write_guarded(f"s3://{bucket}/dir/g", b"text", CreateOnly())
    assert fs.exists(f"{bucket}/dir/g")
    assert fs.ls(f"{bucket}/dir", detail=False) == [f"{bucket}/dir/f", f"{bucket}/dir/g"]
    assert recorder.touches == [(f"{bucket}/dir/g", "write")]


def test_a_new_file_of_somebody_else_is_seen_despite_a_cached_listing(s3: Any, bucket: str, object_store: Any) -> None:
    """A stat never answers from a listing that was made before."""
    other = type(s3)(**object_store, skip_instance_cache=True)
    s3.pipe_file(f"{bucket}/dir/f", b"")
    fs = GuideFileSystem(s3)
    fs.ls(f"{bucket}/dir")
    other.pipe_file(f"{bucket}/dir/AGENTS.md", b"text")
    assert not fs.exists(f"{bucket}/dir/AGENTS.md")
    found = fs.versioned_stat(f"{bucket}/dir/AGENTS.md")
    assert isinstance(found, Stat)
    assert found.size == 4
    assert fs.read_bounded(f"{bucket}/dir/AGENTS.md", 10).data == b"text"


def test_a_plain_primitive_over_a_filesystem_of_a_loop_is_refused(native: Any) -> None:
    """Waiting for one's own loop can never work, so it is an error with a way out."""
    fs = GuideFileSystem(native({}, asynchronous=True))
    with pytest.raises(UsageError, match="asynchronous=True"):
        fs.read_bounded("/f", 1)


def test_an_asynchronous_wrapper_over_a_synchronous_filesystem_has_both(memory: Any, recorder: Any) -> None:
    """Where nothing lives on a loop both halves work."""
    memory.pipe_file("/f", b"text")
    fs = GuideFileSystem(memory, recorder=recorder, asynchronous=True)
    assert fs.read_bounded("/f", 4).data == asyncio.run(fs._read_bounded("/f", 4)).data == b"text"


@pytest.mark.parametrize(("size_bytes", "read_bytes"), [(9, 9), (10, 10), (11, 10)])
def test_a_bound_is_exact(primitives: Any, path: str, backend: Any, size_bytes: int, read_bytes: int) -> None:
    """One byte below the bound, at it, above it."""
    backend[0].pipe_file(path, b"x" * size_bytes)
    assert primitives.read_bounded(path, 10).data == b"x" * read_bytes


def test_over_a_cache_version_and_bytes_come_from_one_layer(tmp_path: Path) -> None:
    """A cache may hold an older content, which is never passed off as the newer version."""
    (tmp_path / "f").write_bytes(b"one")
    cache = fsspec.filesystem(
        "simplecache", fs=LocalFileSystem(), cache_storage=str(tmp_path / "cache"), skip_instance_cache=True
    )
    fs = GuideFileSystem(cache)
    assert fs.cat_file(f"{tmp_path}/f") == b"one"
    (tmp_path / "f").write_bytes(b"two!")
    assert fs.cat_file(f"{tmp_path}/f") == b"one"
    chunk, found = fs.read_bounded(f"{tmp_path}/f", 10), fs.versioned_stat(f"{tmp_path}/f")
    assert isinstance(found, Stat)
    assert (chunk.version, found.version) == (None, None)
