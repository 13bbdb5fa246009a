"""Which engine serves a filesystem, and as whom it asks."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Any

import pytest
from aiobotocore.credentials import AioRefreshableCredentials
from aiobotocore.session import AioSession
from s3fs import S3FileSystem

from guidefs.errors import ConfigurationError
from guidefs.storage import Limits
from guidefs.testing.latency import LatencyProxy
from guidefs.values.answer import Question, Text, Unavailable
from guidefs_s3 import S3Provider
from guidefs_s3.carry import Carried, NotCarried, carry

Connect = Callable[..., Any]

OPTIONS: dict[str, Any] = {"key": "k", "secret": "s", "endpoint_url": "http://127.0.0.1:9", "skip_instance_cache": True}


def agents(proxy: LatencyProxy) -> set[str]:
    """Who sent the requests that arrived."""
    return {"s3fs" if "aiobotocore" in r.head.get("user-agent") else "obstore" for r in proxy.requests}


@pytest.mark.parametrize(("engine", "asked_by"), [("s3fs", "s3fs"), ("obstore", "obstore"), ("auto", "obstore")])
def test_the_chosen_engine_asks(connect: Connect, moto_bucket: Any, engine: str, asked_by: str) -> None:
    """Either engine can be chosen; left alone, obstore asks where it is installed and can."""
    etag = moto_bucket.put("d/a", "text")
    with LatencyProxy(moto_bucket.store.url) as proxy:
        connection = connect(moto_bucket, url=proxy.url, engine=engine)
        for question in (Question(moto_bucket.path("d/a")), Question(moto_bucket.path("d/a"), etag)):
            connection.fetch(question, Question(moto_bucket.path("d/none")))
        assert agents(proxy) == {asked_by}


@pytest.mark.parametrize(
    "options",
    [
        {"s3_additional_kwargs": {"ExpectedBucketOwner": "1"}},
        {"requester_pays": True},
        {"config_kwargs": {"proxies": {"https": "http://127.0.0.1:9"}}},
        {"config_kwargs": {"s3": {"addressing_style": "virtual"}}},
        {"config_kwargs": {"use_dualstack_endpoint": True}, "endpoint_url": None},
        {"client_kwargs": {"region_name": "us-east-1", "verify": False}},
    ],
)
def test_what_obstore_cannot_do_is_left_to_the_client(options: dict[str, Any]) -> None:
    """A filesystem with something special about it is not carried over, and the reason is told on demand."""
    fs = S3FileSystem(**{**OPTIONS, **options})
    assert isinstance(carry(fs, fs.connect()), NotCarried)


def test_an_engine_that_cannot_serve_is_an_error(connect: Connect, moto_bucket: Any) -> None:
    """Asked for by name, an engine that cannot serve the filesystem is an error that says why, and no failure."""
    connection = connect(moto_bucket, engine="obstore", options={"requester_pays": True})
    with pytest.raises(ConfigurationError, match="additional arguments"):
        connection.fetch(Question(moto_bucket.path("d/a")))


def test_own_certificates_are_left_to_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the environment names the certificates to trust, the SDK's client alone asks over TLS."""
    monkeypatch.setenv("AWS_CA_BUNDLE", ssl.get_default_verify_paths().openssl_cafile)
    fs = S3FileSystem(**{**OPTIONS, "endpoint_url": "https://127.0.0.1:9"})
    assert isinstance(carry(fs, fs.connect()), NotCarried)


def test_subclasses_and_replaced_methods_are_left_alone() -> None:
    """A filesystem whose requests somebody changed keeps sending them itself."""

    class Special(S3FileSystem):  # type: ignore[misc] # s3fs ships no types
        pass

    special, replaced, ordinary = Special(**OPTIONS), S3FileSystem(**OPTIONS), S3FileSystem(**OPTIONS)
    replaced._call_s3 = replaced._call_s3
    assert isinstance(carry(special, special.connect()), NotCarried)
    assert isinstance(carry(replaced, replaced.connect()), NotCarried)
    assert isinstance(carry(ordinary, ordinary.connect()), Carried)


@pytest.mark.parametrize(
    ("endpoint", "bucket", "address"),
    [
        (None, "my-bucket", "https://my-bucket.s3.eu-west-1.amazonaws.com"),
        (None, "my.bucket", None),
        (None, "arn:aws:s3:eu-west-1:123456789012:accesspoint/ap", None),
        (None, "fast--use1-az4--x-s3", None),
        ("http://store.example:9000/", "my-bucket", "http://store.example:9000"),
    ],
)
def test_buckets_are_addressed_as_the_client_would(
    endpoint: str | None, bucket: str, address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Amazon's buckets are host names and other stores' are paths; special buckets are left to the client."""
    for name in ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    fs = S3FileSystem(**{**OPTIONS, "endpoint_url": endpoint, "client_kwargs": {"region_name": "eu-west-1"}})
    carried = carry(fs, fs.connect())
    assert isinstance(carried, Carried)
    assert carried.endpoint_of(bucket) == address


def test_credentials_of_the_environment_are_carried_over(
    connect: Connect, seaweed_store: Any, bucket_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Credentials that the SDK finds by itself sign obstore's requests as well."""
    bucket = bucket_of(seaweed_store)
    bucket.put("d/a", "text")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", seaweed_store.key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", seaweed_store.secret)
    with LatencyProxy(seaweed_store.url) as proxy:
        options = {"key": None, "secret": None, "session": None}
        connection = connect(bucket, url=proxy.url, engine="obstore", options=options)
        assert isinstance(connection.fetch(Question(bucket.path("d/a")))[0], Text)
        assert agents(proxy) == {"obstore"}


def test_credentials_that_are_renewed_are_carried_over(connect: Connect, seaweed_store: Any, bucket_of: Any) -> None:
    """Credentials that run out are renewed by the SDK when obstore asks for them."""
    bucket = bucket_of(seaweed_store)
    bucket.put("d/a", "text")
    renewals: list[str] = []

    async def renew() -> dict[str, str]:
        renewals.append("")
        return {
            "access_key": seaweed_store.key,
            "secret_key": seaweed_store.secret,
            "token": "",
            "expiry_time": "2099-01-01T00:00:00Z",
        }

    stale = {"access_key": "old", "secret_key": "old", "token": "", "expiry_time": "2001-01-01T00:00:00Z"}
    session = AioSession()
    session._credentials = AioRefreshableCredentials.create_from_metadata(stale, refresh_using=renew, method="test")
    with LatencyProxy(seaweed_store.url) as proxy:
        options = {"key": None, "secret": None, "session": session}
        connection = connect(bucket, url=proxy.url, engine="obstore", options=options)
        assert isinstance(connection.fetch(Question(bucket.path("d/a")))[0], Text)
        assert (agents(proxy), renewals) == ({"obstore"}, [""])


def test_a_reconnected_filesystem_is_followed(
    connect: Connect, seaweed_store: Any, bucket_of: Any, engine: str
) -> None:
    """When the user gives the filesystem new credentials and connects again, the next batch uses them."""
    bucket = bucket_of(seaweed_store)
    bucket.put("d/a", "text")
    connection = connect(bucket, engine=engine, options={"secret": "wrong"})
    assert isinstance(connection.fetch(Question(bucket.path("d/a")))[0], Unavailable)
    connection.fs.secret = seaweed_store.secret
    connection.fs.connect(refresh=True)
    assert isinstance(connection.fetch(Question(bucket.path("d/a")))[0], Text)


def test_anonymous_filesystems_send_no_signature(connect: Connect, moto_bucket: Any, engine: str) -> None:
    """An anonymous filesystem stays anonymous."""
    moto_bucket.put("d/a", "text", ACL="public-read")
    with LatencyProxy(moto_bucket.store.url) as proxy:
        options = {"anon": True, "key": None, "secret": None}
        connection = connect(moto_bucket, url=proxy.url, engine=engine, options=options)
        assert isinstance(connection.fetch(Question(moto_bucket.path("d/a")))[0], Text)
        assert (agents(proxy), {r.head.get("authorization") for r in proxy.requests}) == ({engine}, {""})


def test_asynchronous_filesystems_are_asked_on_the_callers_loop(moto_bucket: Any, engine: str) -> None:
    """A filesystem made with `asynchronous=True` is served on the loop that it is used on."""
    moto_bucket.put("d/a", "text")

    async def ask() -> Any:
        fs = S3FileSystem(**moto_bucket.store.options(), asynchronous=True)
        try:
            return await S3Provider(fs, engine=engine).afetch([Question(moto_bucket.path("d/a"))], Limits())
        finally:
            await fs._s3.close()

    (answer,) = asyncio.run(ask())
    assert answer.text == "text"
