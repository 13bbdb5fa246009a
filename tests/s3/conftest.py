"""Object stores that the tests of the S3 provider run against."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from aiobotocore.session import AioSession
from fsspec.asyn import sync
from s3fs import S3FileSystem

from guidefs.errors import MissingExtraError
from guidefs.storage import Chunk, Guard, Limits, Presence, Written
from guidefs.testing.objectstores import ObjectStore, moto, rclone, seaweedfs
from guidefs.values.answer import Answer, Marker, Question
from guidefs_s3 import S3Provider

BUCKET = "files"  # one for all tests: SeaweedFS sets space aside for each bucket, and has little


class Bucket:
    """A part of a bucket for one test, with an outside client that shares nothing with the tested filesystem."""

    def __init__(self, store: ObjectStore, client: Any) -> None:
        self.store = store
        self.client = client
        self.name = BUCKET
        self.prefix = f"{secrets.token_hex(8)}/"

    def path(self, name: str) -> str:
        """The filesystem's path of a name in this part."""
        return f"{self.name}/{self.prefix}{name}"

    def put(self, name: str, data: bytes | str, **arguments: Any) -> str:
        """Write an object from outside and return its bare ETag."""
        body = data.encode() if isinstance(data, str) else data
        return str(self._call("put_object", name, Body=body, **arguments)["ETag"]).strip('"')

    def delete(self, name: str) -> None:
        """Delete an object from outside."""
        self._call("delete_object", name)

    def head(self, name: str) -> Any:
        """What the service says about an object."""
        return self._call("head_object", name)

    def get(self, name: str) -> bytes:
        """The content of an object."""
        return bytes(sync(self.client.loop, self._call("get_object", name)["Body"].read))

    def names(self) -> list[str]:
        """The names of all objects in this part."""
        page = self.client.call_s3("list_objects_v2", Bucket=self.name, Prefix=self.prefix)
        return [item["Key"].removeprefix(self.prefix) for item in page.get("Contents", ())]

    def _call(self, method: str, name: str, **arguments: Any) -> Any:
        return self.client.call_s3(method, Bucket=self.name, Key=self.prefix + name, **arguments)


class Connection:
    """A filesystem and its provider, called from an ordinary thread."""

    def __init__(self, fs: Any, settings: dict[str, Any]) -> None:
        self.fs = fs
        self.provider = S3Provider(fs, **settings)

    def fetch(self, *questions: Question | Marker, **limits: int) -> list[Answer]:
        """Ask one batch."""
        return list(sync(self.fs.loop, self.provider.afetch, questions, Limits(**limits)))

    def stat(self, path: str) -> Presence:
        """Stat one path."""
        outcome: Presence = sync(self.fs.loop, self.provider.astat, path)
        return outcome

    def read(self, path: str, *, offset: int = 0, max_bytes: int = 1 << 20) -> Chunk:
        """Read a piece."""
        chunk: Chunk = sync(self.fs.loop, self._read, path, offset, max_bytes)
        return chunk

    async def _read(self, path: str, offset: int, max_bytes: int) -> Chunk:
        return await self.provider.aread(path, offset=offset, max_bytes=max_bytes)

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Write under a guard."""
        written: Written = sync(self.fs.loop, self.provider.awrite, path, data, guard)
        return written


def _started(run: Callable[[], AbstractContextManager[ObjectStore]]) -> Iterator[ObjectStore]:
    try:
        with run() as store:
            yield store
    except MissingExtraError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def moto_store() -> Iterator[ObjectStore]:
    """A moto server."""
    yield from _started(moto)


@pytest.fixture(scope="session")
def seaweed_store() -> Iterator[ObjectStore]:
    """A SeaweedFS server."""
    yield from _started(seaweedfs)


@pytest.fixture(scope="session")
def heedless_store() -> Iterator[ObjectStore]:
    """A store that answers conditional writes with success whatever their condition."""
    yield from _started(rclone)


@pytest.fixture(scope="session", params=["moto", "seaweed"])
def store(request: pytest.FixtureRequest) -> ObjectStore:
    """Each of the stores that honour conditions."""
    chosen: ObjectStore = request.getfixturevalue(f"{request.param}_store")
    return chosen


@pytest.fixture(scope="session")
def clients() -> dict[str, Any]:
    """The outside clients by the address of their store."""
    return {}


@pytest.fixture
def bucket_of(clients: dict[str, Any]) -> Callable[[ObjectStore], Bucket]:
    """Makes a bucket on a store."""

    def make(store: ObjectStore) -> Bucket:
        if store.url not in clients:
            clients[store.url] = S3FileSystem(**store.options())
            clients[store.url].call_s3("create_bucket", Bucket=BUCKET)
        return Bucket(store, clients[store.url])

    return make


@pytest.fixture
def bucket(store: ObjectStore, bucket_of: Callable[[ObjectStore], Bucket]) -> Bucket:
    """A bucket on each of the stores that honour conditions."""
    return bucket_of(store)


@pytest.fixture
def moto_bucket(moto_store: ObjectStore, bucket_of: Callable[[ObjectStore], Bucket]) -> Bucket:
    """A bucket on moto, for what does not depend on the store."""
    return bucket_of(moto_store)


@pytest.fixture(params=["s3fs", "obstore"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each of the two engines."""
    if request.param == "obstore" and not os.environ.get("CI"):
        pytest.importorskip("obstore")
    return str(request.param)


@pytest.fixture(scope="session")
def sdk() -> Any:
    """One session of the SDK, which reads its description of S3 only once."""
    return AioSession()


@pytest.fixture
def connect(sdk: Any) -> Callable[..., Connection]:
    """Connects a filesystem of its own to a bucket's store, through a proxy if `url` is given.

    Keyword arguments in `options` go to the filesystem, all others to the provider.
    """

    def make(
        bucket: Bucket, *, url: str | None = None, options: dict[str, Any] | None = None, **settings: Any
    ) -> Connection:
        fs = S3FileSystem(**{**bucket.store.options(url=url), "session": sdk, **(options or {})})
        fs.retries = 1
        return Connection(fs, settings)

    return make
