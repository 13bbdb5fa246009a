"""What a store or a network in trouble is answered with: never with an absence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fsspec.asyn import sync

from guidefs.storage import Limits
from guidefs.testing.latency import LatencyProxy
from guidefs.testing.mischief import Answered, Cut, Dropped, Hung, Mischief, Request
from guidefs.testing.objectstores import free_ports
from guidefs.values.answer import Absent, Exists, Marker, Question, Text, Unavailable, Unchanged, Version

Connect = Callable[..., Any]


def failure(status: int, code: str) -> Answered:
    """A reply that reports an error as S3 does."""
    return Answered(status, f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>".encode())


FAULTS: dict[str, Mischief] = {
    "internal error": failure(500, "InternalError"),
    "slow down": failure(503, "SlowDown"),
    "unavailable without a body": Answered(503),
    "expired credentials": failure(400, "ExpiredToken"),
    "revoked credentials": failure(403, "InvalidAccessKeyId"),
    "no permission": failure(403, "AccessDenied"),
    "skewed clock": failure(403, "RequestTimeTooSkewed"),
    "other region": failure(301, "PermanentRedirect"),
    "missing bucket": failure(404, "NoSuchBucket"),
    "404 page of something else": Answered(404, b"<html><body>Not Found</body></html>", "text/html"),
    "404 without a body": Answered(404),
    "success without sense": Answered(200, b"<html>Sign in</html>", "text/html"),
    "reply that is cut short": Cut(3),
    "reply without a body": Cut(0),
    "connection that breaks": Dropped(),
    "no reply": Hung(),
}


@pytest.fixture
def proxy(moto_bucket: Any) -> Iterator[LatencyProxy]:
    """A proxy in front of the store, healthy until told otherwise."""
    with LatencyProxy(moto_bucket.store.url) as running:
        yield running


@pytest.fixture(params=[None, 0], ids=["one by one", "by listing"])
def connection(connect: Connect, moto_bucket: Any, proxy: LatencyProxy, engine: str, request: Any) -> Any:
    """A connection through the proxy for each engine and plan, with short time-outs."""
    config = {"read_timeout": 0.3, "connect_timeout": 0.3, "max_pool_connections": 64, "retries": {"max_attempts": 0}}
    return connect(
        moto_bucket, url=proxy.url, options={"config_kwargs": config}, engine=engine, list_above=request.param
    )


def reading(fault: Mischief) -> Callable[[Request], Mischief | None]:
    """Every reading request meets a fault; writes pass."""
    return lambda request: fault if request.method in {"GET", "HEAD"} else None


@pytest.mark.parametrize("fault", [pytest.param(fault, id=name) for name, fault in FAULTS.items()])
def test_faults_are_unavailable_and_end(
    connection: Any, moto_bucket: Any, proxy: LatencyProxy, fault: Mischief
) -> None:
    """Whatever goes wrong, existing and missing files are unavailable; the next healthy batch catches up."""
    etag = Version(moto_bucket.put("d/AGENTS.md", "instructions"))
    known = Question(moto_bucket.path("d/AGENTS.md"), etag)
    questions = [known, Question(moto_bucket.path("d/new.md")), Question(moto_bucket.path("d/none.md"))]
    assert connection.fetch(*questions) == [Unchanged(), Absent(), Absent()]
    moto_bucket.put("d/new.md", "a new file")
    proxy.mischief = reading(fault)
    answers = connection.fetch(*questions, Marker(moto_bucket.path("d/.git")), Marker(moto_bucket.path("d")))
    without_a_body = {Unavailable, Unchanged} if isinstance(fault, Cut) else {Unavailable}  # 'not modified' has none
    assert {type(answer) for answer in answers} <= without_a_body
    assert isinstance(answers[1], Unavailable)
    proxy.mischief = lambda _: None
    later = connection.fetch(*questions)
    assert (later[0], later[1].text, later[2]) == (Unchanged(), "a new file", Absent())


def test_a_wordless_404_is_an_absence_if_the_listing_agrees(
    connect: Connect, moto_bucket: Any, proxy: LatencyProxy, engine: str
) -> None:
    """Where a 404 does not say that it is the key that is missing, a listing of just that name decides."""
    moto_bucket.put("d/a", "there")
    moto_bucket.put("d/b-longer", "there")
    proxy.mischief = lambda request: None if "list-type" in request.target else Answered(404)
    connection = connect(moto_bucket, url=proxy.url, engine=engine)
    answers = connection.fetch(Question(moto_bucket.path("d/a")), Question(moto_bucket.path("d/b")))
    assert [type(answer) for answer in answers] == [Unavailable, Absent]


def test_one_fault_stays_with_one_file(connection: Any, moto_bucket: Any, proxy: LatencyProxy) -> None:
    """A failure of one path is that path's alone."""
    for name in "abc":
        moto_bucket.put(f"d/{name}", name)
    proxy.mischief = lambda request: failure(403, "AccessDenied") if request.target.endswith("/d/b") else None
    answers = connection.fetch(*(Question(moto_bucket.path(f"d/{name}")) for name in "abc"))
    assert [type(answer) for answer in answers] == [Text, Unavailable, Text]


def test_a_refused_connection_is_unavailable(connect: Connect, moto_bucket: Any, engine: str) -> None:
    """Nobody listening is no absence."""
    connection = connect(moto_bucket, url=f"http://127.0.0.1:{free_ports(1)[0]}", engine=engine)
    (answer,) = connection.fetch(Question(moto_bucket.path("d/AGENTS.md"), Version("0")))
    assert isinstance(answer, Unavailable)
    assert isinstance(connection.stat(moto_bucket.path("d/AGENTS.md")), Unavailable)


def test_wrong_credentials_are_unavailable(connect: Connect, seaweed_store: Any, bucket_of: Any, engine: str) -> None:
    """A store that checks signatures refuses, and that is no absence."""
    bucket = bucket_of(seaweed_store)
    bucket.put("d/a", "text")
    connection = connect(bucket, engine=engine, options={"secret": "another one"})
    answers = connection.fetch(Question(bucket.path("d/a")), Question(bucket.path("d/b")), Marker(bucket.path("d")))
    assert [type(answer) for answer in answers] == [Unavailable] * 3


def test_missing_credentials_are_unavailable(
    connect: Connect, moto_bucket: Any, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A filesystem that finds no credentials at all cannot ask."""
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    options = {"key": None, "secret": None, "session": None}
    connection = connect(moto_bucket, engine="s3fs" if engine == "s3fs" else "auto", options=options)
    (answer,) = connection.fetch(Question(moto_bucket.path("d/a")))
    assert isinstance(answer, Unavailable)
    assert "credentials" in answer.error


def test_forbidden_listings_are_replaced_by_gets(
    connect: Connect, moto_bucket: Any, proxy: LatencyProxy, engine: str
) -> None:
    """Where listing is not allowed, a large batch is asked file by file, from then on without trying."""
    moto_bucket.put("d/a", "text")
    proxy.mischief = lambda request: failure(403, "AccessDenied") if "list-type" in request.target else None
    connection = connect(moto_bucket, url=proxy.url, engine=engine, list_above=0)
    questions = [Question(moto_bucket.path("d/a")), Question(moto_bucket.path("d/b"))]
    for expected in (["list", "get", "get"], ["get", "get"]):
        proxy.reset()
        answers = connection.fetch(*questions)
        assert (answers[0].text, answers[1]) == ("text", Absent())
        assert ["list" if "list-type" in request.target else "get" for request in proxy.requests] == expected


def test_a_marker_is_seen_again_after_a_fault(connection: Any, moto_bucket: Any, proxy: LatencyProxy) -> None:
    """A marker that could not be examined exists as soon as it can be."""
    moto_bucket.put("d/.git/HEAD", "ref")
    proxy.mischief = reading(failure(500, "InternalError"))
    assert isinstance(connection.fetch(Marker(moto_bucket.path("d/.git")))[0], Unavailable)
    proxy.mischief = lambda _: None
    assert connection.fetch(Marker(moto_bucket.path("d/.git"))) == [Exists()]


def test_a_body_that_is_cut_short_is_read_again(connect: Connect, moto_bucket: Any, proxy: LatencyProxy) -> None:
    """As many tries as the filesystem has retries are made for a body, since s3fs retries none."""
    moto_bucket.put("d/a", "a long text " * 100)
    faults: list[Mischief | None] = [Cut(50), Cut(0), None]
    connection = connect(moto_bucket, url=proxy.url, engine="s3fs")
    connection.fs.retries = 3
    proxy.mischief = lambda _: faults.pop(0)
    (answer,) = connection.fetch(Question(moto_bucket.path("d/a")))
    assert (answer.text, faults) == ("a long text " * 100, [])


def test_obstore_asks_the_client_what_went_wrong(connect: Connect, moto_bucket: Any, proxy: LatencyProxy) -> None:
    """A fault met by obstore is asked about once more through s3fs, whose retries then apply."""
    moto_bucket.put("d/a", "text")
    faults: list[Mischief | None] = [Dropped(), failure(503, "SlowDown"), None]
    connection = connect(moto_bucket, url=proxy.url, engine="obstore")
    connection.fs.retries = 2
    proxy.mischief = lambda _: faults.pop(0)
    (answer,) = connection.fetch(Question(moto_bucket.path("d/a")))
    assert (answer.text, faults) == ("text", [])


def test_a_bucket_that_only_the_client_can_read_is_left_to_it(
    connect: Connect, moto_bucket: Any, proxy: LatencyProxy
) -> None:
    """After three answers that only s3fs could get, obstore is no longer asked about that bucket."""
    moto_bucket.put("d/a", "text")
    proxy.mischief = lambda r: (
        failure(301, "PermanentRedirect") if "aiobotocore" not in r.head.get("user-agent") else None
    )
    connection = connect(moto_bucket, url=proxy.url, engine="obstore")
    for expected in (2, 2, 2, 1, 1):
        proxy.reset()
        (answer,) = connection.fetch(Question(moto_bucket.path("d/a")))
        assert (answer.text, len(proxy.requests)) == ("text", expected)


def test_unconditional_requests_cannot_be_unmodified(
    connect: Connect, moto_bucket: Any, proxy: LatencyProxy, engine: str
) -> None:
    """A store that answers 'not modified' where nothing was known is not believed."""
    proxy.mischief = lambda _: Answered(304)
    connection = connect(moto_bucket, url=proxy.url, engine=engine)
    assert isinstance(connection.fetch(Question(moto_bucket.path("d/a")))[0], Unavailable)


def test_cancellation_passes_and_leaves_nothing(
    connect: Connect, moto_bucket: Any, proxy: LatencyProxy, engine: str
) -> None:
    """A cancelled batch ends at once, and the provider works on."""
    moto_bucket.put("d/a", "text")
    connection = connect(moto_bucket, url=proxy.url, engine=engine)
    questions = [Question(moto_bucket.path("d/a"))]
    proxy.mischief = lambda _: Hung()

    async def cancelled() -> bool:
        task: asyncio.Task[Any] = asyncio.ensure_future(connection.provider.afetch(questions, Limits()))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert sync(connection.fs.loop, cancelled) is True
    proxy.mischief = lambda _: None
    assert connection.fetch(*questions)[0].text == "text"
