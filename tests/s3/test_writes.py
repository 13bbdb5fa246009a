"""Guarded writes: what they keep, what they refuse, and that no update is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from fsspec.asyn import sync

from guidefs.errors import (
    AccessDeniedError,
    AlreadyExistsError,
    FileInputOutputError,
    FileTooLargeError,
    GuardUnsupportedError,
    NotFoundError,
    NotRegularFileError,
    StaleVersionError,
)
from guidefs.storage import CreateOnly, Guard, IfContent, IfVersion, Limits, Text, fingerprint
from guidefs.testing.latency import LatencyProxy
from guidefs.testing.mischief import Answered, Dropped, Request
from guidefs.values.answer import Question, Version

Connect = Callable[..., Any]


@pytest.fixture
def connection(connect: Connect, bucket: Any) -> Any:
    """A connection for each store."""
    return connect(bucket)


@pytest.mark.parametrize("data", [b"text", b""], ids=["with text", "empty"])
def test_a_file_is_made_only_where_none_is(connection: Any, bucket: Any, data: bytes) -> None:
    """`CreateOnly` makes a file once, an empty one too, and leaves any other alone."""
    written = connection.write(bucket.path("d/a"), data, CreateOnly())
    assert (bucket.get("d/a"), written.guarantee) == (data, "atomic")
    assert connection.stat(bucket.path("d/a")).version == written.version
    with pytest.raises(AlreadyExistsError, match="d/a"):
        connection.write(bucket.path("d/a"), b"other", CreateOnly())
    assert bucket.get("d/a") == data


@pytest.mark.parametrize(("old", "data"), [(b"old", b"new"), (b"old", b""), (b"", b"new")])
def test_a_file_is_replaced_only_at_its_version(connection: Any, bucket: Any, old: bytes, data: bytes) -> None:
    """`IfVersion` replaces the version that was seen, by an empty file too, and no later one."""
    etag = bucket.put("d/a", old)
    written = connection.write(bucket.path("d/a"), data, IfVersion(Version(etag)))
    assert (bucket.get("d/a"), written.guarantee) == (data, "atomic")
    bucket.put("d/a", b"outside")
    with pytest.raises(StaleVersionError, match="d/a"):
        connection.write(bucket.path("d/a"), b"mine", IfVersion(written.version))
    assert bucket.get("d/a") == b"outside"


def test_a_file_is_replaced_only_with_its_content(connection: Any, bucket: Any) -> None:
    """`IfContent` replaces the content that was seen and no other."""
    bucket.put("d/a", b"old")
    connection.write(bucket.path("d/a"), b"new", IfContent(fingerprint(b"old")))
    assert bucket.get("d/a") == b"new"
    with pytest.raises(StaleVersionError):
        connection.write(bucket.path("d/a"), b"mine", IfContent(fingerprint(b"old")))
    assert bucket.get("d/a") == b"new"


@pytest.mark.parametrize(
    "guard", [IfVersion(Version("0" * 32)), IfContent(fingerprint(b""))], ids=["version", "content"]
)
def test_a_missing_base_is_stale(connection: Any, bucket: Any, guard: Guard) -> None:
    """A file that is gone is not made again by a write that was based on it."""
    with pytest.raises(StaleVersionError):
        connection.write(bucket.path("d/a"), b"mine", guard)
    assert bucket.names() == []


def test_versions_of_all_sources_agree(connection: Any, bucket: Any) -> None:
    """The version of a batch, of a stat, of a read and of a write can each be the base of the next write."""
    path = bucket.path("d/a")
    written = connection.write(path, b"0", CreateOnly()).version
    sources: list[Callable[[], Any]] = [
        lambda: connection.fetch(Question(path))[0].version,
        lambda: connection.stat(path).version,
        lambda: connection.read(path).version,
    ]
    for number, source in enumerate(sources, start=1):
        assert source() == written
        written = connection.write(path, str(number).encode(), IfVersion(source())).version


def test_the_probe_leaves_nothing_behind(connection: Any, bucket: Any) -> None:
    """After the first guarded writes of a bucket there are only the files that were asked for."""
    connection.write(bucket.path("d/a"), b"1", CreateOnly())
    connection.write(bucket.path("d/a"), b"2", IfContent(fingerprint(b"1")))
    assert bucket.names() == ["d/a"]


def test_each_bucket_is_probed_once(connect: Connect, bucket: Any) -> None:
    """The second guarded write of a kind costs a look and one PUT; making a file costs one PUT alone."""
    with LatencyProxy(bucket.store.url) as proxy:
        connection = connect(bucket, url=proxy.url)
        version = connection.write(bucket.path("d/a"), b"1", CreateOnly()).version
        version = connection.write(bucket.path("d/a"), b"2", IfVersion(version)).version
        proxy.reset()
        connection.write(bucket.path("d/a"), b"3", IfVersion(version))
        assert [request.method for request in proxy.requests] == ["HEAD", "PUT"]
        proxy.reset()
        connection.write(bucket.path("d/b"), b"1", CreateOnly())
        assert [request.method for request in proxy.requests] == ["PUT"]


def test_trust_skips_the_probe(connect: Connect, bucket: Any) -> None:
    """With `preconditions="trust"` not even the first write is preceded by a test."""
    with LatencyProxy(bucket.store.url) as proxy:
        connect(bucket, url=proxy.url, preconditions="trust").write(bucket.path("d/a"), b"1", CreateOnly())
        assert [(r.method, r.head.get("if-none-match")) for r in proxy.requests] == [("PUT", "*")]


@pytest.mark.parametrize("guard", [CreateOnly(), IfVersion(Version("0" * 32)), IfContent(fingerprint(b"old"))])
def test_a_heedless_store_is_refused(connect: Connect, heedless_store: Any, bucket_of: Any, guard: Guard) -> None:
    """A store that ignores conditions is found out and refused, each time, and the file stays as it was."""
    bucket = bucket_of(heedless_store)
    bucket.put("d/a", b"old")
    connection = connect(bucket)
    for _ in range(2):
        for name in ("d/a", "d/b"):
            with pytest.raises(GuardUnsupportedError, match="conditional writes"):
                connection.write(bucket.path(name), b"mine", guard)
    assert (bucket.names(), bucket.get("d/a")) == (["d/a"], b"old")


def test_eight_writers_lose_no_increment(connect: Connect, bucket: Any) -> None:
    """Eight writers that each add one ten times, reading again whenever they are refused, end at eighty."""
    path = bucket.path("d/counter")
    bucket.put("d/counter", b"0")
    connections = [connect(bucket) for _ in range(8)]
    for connection in connections:
        connection.provider._writer._trusting = True

    async def increment(connection: Any) -> int:
        refusals = 0
        for _ in range(10):
            while True:
                (answer,) = await connection.provider.afetch([Question(path)], Limits())
                assert isinstance(answer, Text)
                assert answer.version is not None
                try:
                    await connection.provider.awrite(
                        path, str(int(answer.text) + 1).encode(), IfVersion(answer.version)
                    )
                except StaleVersionError:
                    refusals += 1
                else:
                    break
        return refusals

    async def race() -> list[int]:
        return await asyncio.gather(*(increment(connection) for connection in connections))

    refusals = sync(connections[0].fs.loop, race)
    assert (bucket.get("d/counter"), sum(refusals) > 0) == (b"80", True)


def test_one_of_many_creators_wins(connect: Connect, bucket: Any) -> None:
    """Of eight writers that make the same file at once, exactly one is told that it did, and its content stands."""
    connections = [connect(bucket) for _ in range(8)]

    async def race() -> list[Any]:
        writes = (
            c.provider.awrite(bucket.path("d/a"), str(n).encode(), CreateOnly()) for n, c in enumerate(connections)
        )
        return await asyncio.gather(*writes, return_exceptions=True)

    outcomes = sync(connections[0].fs.loop, race)
    (winner,) = [n for n, outcome in enumerate(outcomes) if not isinstance(outcome, BaseException)]
    assert bucket.get("d/a") == str(winner).encode()
    assert sum(isinstance(outcome, AlreadyExistsError) for outcome in outcomes) == 7


def test_what_describes_a_file_survives(connect: Connect, moto_bucket: Any) -> None:
    """Content type, metadata and the like of a replaced object stay as they were, unless the filesystem says other."""
    described = {"ContentType": "text/markdown", "CacheControl": "no-store", "Metadata": {"owner": "docs"}}
    etag = moto_bucket.put("d/a", b"1", **described)
    connection = connect(moto_bucket)
    version = connection.write(moto_bucket.path("d/a"), b"2", IfVersion(Version(etag))).version
    connection.write(moto_bucket.path("d/a"), b"3", IfContent(fingerprint(b"2")))
    head = moto_bucket.head("d/a")
    assert {name: head[name] for name in described} == described
    own = connect(moto_bucket, options={"s3_additional_kwargs": {"ContentType": "text/plain"}})
    version = own.stat(moto_bucket.path("d/a")).version
    own.write(moto_bucket.path("d/a"), b"4", IfVersion(version))
    assert moto_bucket.head("d/a")["ContentType"] == "text/plain"


def test_versioned_buckets_tell_rewrites_of_one_content_apart(
    connect: Connect, moto_store: Any, bucket_of: Any
) -> None:
    """A version-aware filesystem adds the id of the version: equal content is unchanged, but an older base is stale."""
    bucket = bucket_of(moto_store)
    bucket.name = "versioned"
    bucket.client.call_s3("create_bucket", Bucket=bucket.name)
    bucket.client.call_s3("put_bucket_versioning", Bucket=bucket.name, VersioningConfiguration={"Status": "Enabled"})
    connection = connect(bucket, options={"version_aware": True})
    bucket.put("d/a", b"1")
    (first,) = connection.fetch(Question(bucket.path("d/a")))
    etag, _, version_id = first.version.partition(" ")
    assert version_id
    assert connection.stat(bucket.path("d/a")).version == first.version
    bucket.put("d/a", b"2")
    bucket.put("d/a", b"1")
    assert [type(a).__name__ for a in connection.fetch(Question(bucket.path("d/a"), first.version))] == ["Unchanged"]
    with pytest.raises(StaleVersionError):
        connection.write(bucket.path("d/a"), b"3", IfVersion(first.version))
    connection.write(bucket.path("d/a"), b"3", IfVersion(Version(etag)))
    assert bucket.get("d/a") == b"3"


def putting(*replies: Any) -> Callable[[Request], Any]:
    """The PUTs meet these replies one after another, `None` lets one pass; everything else passes."""
    left = list(replies)
    return lambda request: left.pop(0) if request.method == "PUT" and left else None


CONFLICT = b"<Error><Code>ConditionalRequestConflict</Code><Message>again</Message></Error>"


@pytest.mark.parametrize(
    ("replies", "error"),
    [
        ([Answered(409, CONFLICT)], StaleVersionError),
        ([Answered(412, b"<Error><Code>PreconditionFailed</Code></Error>")], StaleVersionError),
        ([Answered(404, b"<Error><Code>NoSuchKey</Code></Error>")], StaleVersionError),
        ([Answered(404, b"<Error><Code>NoSuchBucket</Code></Error>")], NotFoundError),
        ([Answered(403, b"<Error><Code>AccessDenied</Code></Error>")], AccessDeniedError),
        ([Answered(501, b"<Error><Code>NotImplemented</Code></Error>")], FileInputOutputError),
    ],
)
def test_refusals_are_typed_and_nothing_was_written(
    connect: Connect, moto_bucket: Any, replies: list[Any], error: type[Exception]
) -> None:
    """Each way in which a store refuses a conditional PUT has one typed error, and the file stays."""
    etag = moto_bucket.put("d/a", b"old")
    with LatencyProxy(moto_bucket.store.url) as proxy:
        connection = connect(moto_bucket, url=proxy.url, preconditions="trust")
        proxy.mischief = putting(*replies)
        with pytest.raises(error):
            connection.write(moto_bucket.path("d/a"), b"new", IfVersion(Version(etag)))
    assert moto_bucket.get("d/a") == b"old"


@pytest.mark.parametrize("replies", [[Answered(500)], [Dropped(), Dropped()], [Answered(200, b"<html></html>")]])
def test_an_unclear_outcome_is_said_to_be_unclear(connect: Connect, moto_bucket: Any, replies: list[Any]) -> None:
    """When the store's reply is lost or senseless, the error says that nobody knows and to read again."""
    with LatencyProxy(moto_bucket.store.url) as proxy:
        connection = connect(moto_bucket, url=proxy.url, preconditions="trust")
        proxy.mischief = putting(*replies)
        with pytest.raises(FileInputOutputError, match=r"not known whether .* was written, read it again"):
            connection.write(moto_bucket.path("d/a"), b"new", CreateOnly())


def test_a_repeated_write_never_writes_twice(connect: Connect, moto_bucket: Any) -> None:
    """A try whose reply was lost makes the next one fail its condition, so a repetition overwrites nobody."""
    lost: list[bytes] = []

    def losing(request: Request) -> Any:
        if request.method == "PUT" and not lost:
            lost.append(b"")
            moto_bucket.put("d/a", b"new")  # the store did as it was told, and then its reply was lost
            moto_bucket.put("d/a", b"somebody's next edit")
            return Answered(503, b"<Error><Code>SlowDown</Code></Error>")
        return None

    with LatencyProxy(moto_bucket.store.url) as proxy:
        connection = connect(moto_bucket, url=proxy.url, preconditions="trust")
        connection.fs.retries = 3
        proxy.mischief = losing
        with pytest.raises(AlreadyExistsError):
            connection.write(moto_bucket.path("d/a"), b"new", CreateOnly())
    assert moto_bucket.get("d/a") == b"somebody's next edit"


def test_a_failing_probe_is_not_remembered(connect: Connect, moto_bucket: Any) -> None:
    """A probe that fails refuses that write, and the next write probes again."""
    with LatencyProxy(moto_bucket.store.url) as proxy:
        connection = connect(moto_bucket, url=proxy.url)
        proxy.mischief = putting(Answered(503, b"<Error><Code>SlowDown</Code></Error>"))
        with pytest.raises(FileInputOutputError):
            connection.write(moto_bucket.path("d/a"), b"1", CreateOnly())
        connection.write(moto_bucket.path("d/a"), b"1", CreateOnly())
    assert moto_bucket.names() == ["d/a"]


def test_a_store_that_does_not_know_conditions_is_refused(connect: Connect, moto_bucket: Any) -> None:
    """A store that rejects conditional writes as not implemented cannot guard anything."""
    etag = moto_bucket.put("d/a", b"old")
    with LatencyProxy(moto_bucket.store.url) as proxy:
        connection = connect(moto_bucket, url=proxy.url)
        proxy.mischief = lambda r: (
            Answered(501, b"<Error><Code>NotImplemented</Code></Error>") if r.method == "PUT" else None
        )
        for guard in (CreateOnly(), IfVersion(Version(etag))):
            with pytest.raises(GuardUnsupportedError):
                connection.write(moto_bucket.path("d/a"), b"new", guard)


def test_impossible_targets_are_refused(connect: Connect, moto_bucket: Any) -> None:
    """Buckets, names with a trailing slash and names that no key can have are no files to write."""
    connection = connect(moto_bucket)
    for path, error in (
        (moto_bucket.name, NotRegularFileError),
        (f"{moto_bucket.name}/d/", NotRegularFileError),
        (moto_bucket.path("\udcff"), FileInputOutputError),
        (moto_bucket.path("a/../b"), FileInputOutputError),
    ):
        with pytest.raises(error):
            connection.write(path, b"1", CreateOnly())


def test_what_one_put_cannot_hold_is_refused(connect: Connect, moto_bucket: Any) -> None:
    """More than 5 GiB would take an upload in parts, whose condition not every store enforces."""

    class Huge(bytes):
        def __len__(self) -> int:
            return (5 << 30) + 1

    with pytest.raises(FileTooLargeError, match="5 GiB"):
        connect(moto_bucket).write(moto_bucket.path("d/a"), Huge(), CreateOnly())
