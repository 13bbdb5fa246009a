"""Markers, stats and reads of single names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from guidefs.errors import AccessDeniedError, FileInputOutputError, NotFoundError, NotRegularFileError
from guidefs.storage import Chunk, Stat
from guidefs.testing.latency import LatencyProxy
from guidefs.testing.mischief import Answered
from guidefs.values.answer import Absent, Exists, Marker, Unavailable

Connect = Callable[..., Any]


@pytest.fixture
def connection(connect: Connect, bucket: Any, engine: str) -> Any:
    """A connection for each store and engine."""
    return connect(bucket, engine=engine)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        pytest.param([".git"], Exists(), id="a file"),
        pytest.param([".git/HEAD"], Exists(), id="a directory"),
        pytest.param([".git/a/b/c"], Exists(), id="a deep directory"),
        pytest.param([".git", ".git/HEAD"], Exists(), id="both"),
        pytest.param([".gitignore"], Absent(), id="a longer name"),
        pytest.param([".github/a", ".git-x/a", ".git.bak"], Absent(), id="neighbours before and behind"),
        pytest.param([".gi", ".gi/t", "git/.git"], Absent(), id="shorter names and other places"),
        pytest.param([*(f".git-{n:03}" for n in range(40)), ".git/HEAD"], Exists(), id="a directory behind a page"),
        pytest.param([f".git-{n:03}" for n in range(40)], Absent(), id="only a page of neighbours"),
        pytest.param([*(f".git-{n:03}/x" for n in range(40)), ".git0"], Absent(), id="a page of directories"),
        pytest.param([], Absent(), id="nothing"),
    ],
)
def test_markers_are_files_or_prefixes(connection: Any, bucket: Any, keys: list[str], expected: Any) -> None:
    """A marker is an object of exactly that name, or a prefix that ends there; never a name that only begins so."""
    for key in keys:
        bucket.put(f"p/{key}", "1")
    assert connection.fetch(Marker(bucket.path("p/.git"))) == [expected]


def test_a_marker_costs_one_request(connect: Connect, bucket: Any) -> None:
    """One LIST tells of both, the file and the directory; only a crowd of neighbours costs a second."""
    with LatencyProxy(bucket.store.url) as proxy:
        connection = connect(bucket, url=proxy.url)
        for name in (".git/HEAD", ".gitignore", ".github/x", "o/.hg"):
            bucket.put(name, "1")
        for name, cost in ((".git", 1), ("o/.hg", 1), ("o/.git", 1)):
            proxy.reset()
            connection.fetch(Marker(bucket.path(name)))
            assert len(proxy.requests) == cost
        for n in range(40):
            bucket.put(f"q/.git-{n}", "1")
        proxy.reset()
        assert connection.fetch(Marker(bucket.path("q/.git"))) == [Absent()]
        assert len(proxy.requests) == 2


def test_a_deleted_marker_directory_is_absent(connection: Any, bucket: Any) -> None:
    """A prefix whose last key was deleted is no directory any more."""
    bucket.put("p/.git/HEAD", "1")
    assert connection.fetch(Marker(bucket.path("p/.git"))) == [Exists()]
    bucket.delete("p/.git/HEAD")
    assert connection.fetch(Marker(bucket.path("p/.git"))) == [Absent()]


def test_a_bucket_is_a_marker_of_itself(connection: Any, bucket: Any) -> None:
    """A bucket exists if it can be listed; a missing one is unavailable."""
    there, missing = connection.fetch(Marker(bucket.name), Marker(f"{bucket.name}-none"))
    assert (there, type(missing)) == (Exists(), Unavailable)


def test_stats_tell_kind_size_and_version(connection: Any, bucket: Any) -> None:
    """A stat tells files with size and version from directories and from nothing."""
    etag, empty = bucket.put("d/a", "four"), bucket.put("d/e", "")
    assert connection.stat(bucket.path("d/a")) == Stat("file", 4, etag)
    assert connection.stat(bucket.path("d/e")) == Stat("file", 0, empty)
    assert connection.stat(bucket.path("d")) == Stat("directory", None, None)
    assert connection.stat(bucket.name) == Stat("directory", None, None)
    for name in ("d/none", "d/a/b", "dd", "\udcff"):
        assert connection.stat(bucket.path(name)) == Absent()
    assert isinstance(connection.stat(f"{bucket.name}-none/a"), Unavailable)


def test_a_stat_sees_a_neighbourhood_of_any_size(connection: Any, bucket: Any) -> None:
    """Names that begin alike neither hide a directory nor pass for one."""
    for n in range(40):
        bucket.put(f"d/x-{n}", "1")
    assert connection.stat(bucket.path("d/x")) == Absent()
    bucket.put("d/x/y", "1")
    assert connection.stat(bucket.path("d/x")) == Stat("directory", None, None)


def test_reads_bring_pieces_with_version_and_size(connection: Any, bucket: Any) -> None:
    """A read brings the bytes asked for, fewer only at the end, with the version and size of the whole file."""
    etag = bucket.put("d/a", b"0123456789")
    for offset, count, data in ((0, 4, b"0123"), (4, 3, b"456"), (8, 50, b"89"), (0, 10, b"0123456789"), (9, 1, b"9")):
        assert connection.read(bucket.path("d/a"), offset=offset, max_bytes=count) == Chunk(data, etag, 10)


def test_reads_past_the_end_are_empty(connection: Any, bucket: Any) -> None:
    """Past the end, in an empty file, and where nothing is asked for, the data is empty and the version known."""
    etag, empty = bucket.put("d/a", b"0123456789"), bucket.put("d/e", b"")
    assert connection.read(bucket.path("d/a"), offset=10, max_bytes=5) == Chunk(b"", etag, 10)
    assert connection.read(bucket.path("d/a"), offset=99, max_bytes=5) == Chunk(b"", etag, 10)
    assert connection.read(bucket.path("d/a"), offset=0, max_bytes=0) == Chunk(b"", etag, 10)
    assert connection.read(bucket.path("d/e"), offset=0, max_bytes=5) == Chunk(b"", empty, 0)


def test_a_large_file_is_read_in_pieces(connection: Any, bucket: Any) -> None:
    """Pieces of a file larger than any buffer put together are the file."""
    data = bytes(range(256)) * 4_000
    bucket.put("d/a", data)
    pieces = [
        connection.read(bucket.path("d/a"), offset=n, max_bytes=300_000).data for n in range(0, 1_200_000, 300_000)
    ]
    assert b"".join(pieces) == data


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("d/none", NotFoundError),
        ("d/a/b", NotFoundError),
        ("\udcff", NotFoundError),
        ("d", NotRegularFileError),
        ("x/../a", FileInputOutputError),
    ],
)
def test_reads_of_what_is_no_file_are_typed_errors(
    connection: Any, bucket: Any, name: str, error: type[Exception]
) -> None:
    """A read of a missing key, a prefix or an impossible name raises the typed error that names the path."""
    bucket.put("d/a", "text")
    for count in (0, 10):
        with pytest.raises(error) as caught:
            connection.read(bucket.path(name), max_bytes=count)
        assert getattr(caught.value, "path", None) == bucket.path(name)


def test_a_bucket_is_no_file(connection: Any, bucket: Any) -> None:
    """A bucket cannot be read."""
    with pytest.raises(NotRegularFileError):
        connection.read(bucket.name)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Answered(403, b"<Error><Code>AccessDenied</Code></Error>"), AccessDeniedError),
        (Answered(500, b"<Error><Code>InternalError</Code></Error>"), FileInputOutputError),
        (Answered(404, b"<Error><Code>NoSuchBucket</Code></Error>"), NotFoundError),
        (Answered(200, b"<html></html>"), FileInputOutputError),
    ],
)
def test_failed_reads_are_typed_errors(
    connect: Connect, moto_bucket: Any, reply: Answered, error: type[Exception]
) -> None:
    """A read that fails raises a typed error with the backend's own chained."""
    with LatencyProxy(moto_bucket.store.url) as proxy:
        proxy.mischief = lambda _: reply
        with pytest.raises(error) as caught:
            connect(moto_bucket, url=proxy.url).read(moto_bucket.path("d/a"))
    assert caught.value.__cause__ is not None


def test_a_store_that_ignores_ranges_is_not_misread(connect: Connect, moto_bucket: Any) -> None:
    """A whole object in reply to a later part is an error, not a part."""
    with LatencyProxy(moto_bucket.store.url) as proxy:
        connection = connect(moto_bucket, url=proxy.url)
        proxy.mischief = lambda _: Answered(200, b"0123456789", etag='"abc"')
        assert connection.read(moto_bucket.path("d/a"), offset=0, max_bytes=4).data == b"0123"
        with pytest.raises(FileInputOutputError, match="ignored the range"):
            connection.read(moto_bucket.path("d/a"), offset=4, max_bytes=4)
