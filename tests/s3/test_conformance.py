"""The contract of providers on both stores, with both engines and both plans."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from s3fs import S3FileSystem

from guidefs.testing import ProviderTests
from guidefs_s3 import S3Provider


class S3Contract(ProviderTests):
    """What all combinations have in common."""

    engine: ClassVar[str]
    list_above: ClassVar[int | None] = None

    @pytest.fixture(autouse=True)
    def place(self, sdk: Any, request: pytest.FixtureRequest) -> None:
        """A part of the store's bucket."""
        self.sdk = sdk
        self.bucket: Any = request.getfixturevalue("bucket_of")(request.getfixturevalue(self.store))
        self.root = self.bucket.path("root")

    @property
    def store(self) -> str:
        """The name of the fixture that runs the store."""
        raise NotImplementedError

    def make_filesystem(self) -> Any:
        """A filesystem that shares nothing with the outside client."""
        return S3FileSystem(**{**self.bucket.store.options(), "session": self.sdk})

    def make_provider(self, filesystem: Any) -> object:
        """The provider with the engine and the plan under test."""
        return S3Provider(filesystem, engine=self.engine, list_above=self.list_above)

    def put(self, path: str, data: bytes) -> None:
        """Write an object from outside."""
        self.bucket.put(self._name(path), data)

    def delete(self, path: str) -> None:
        """Delete an object from outside."""
        self.bucket.delete(self._name(path))

    def get(self, path: str) -> bytes:
        """Read an object from outside."""
        content: bytes = self.bucket.get(self._name(path))
        return content

    def _name(self, path: str) -> str:
        return path.removeprefix(self.bucket.path(""))


class OnMoto(S3Contract):
    """On moto, which has no key with a line feed."""

    supports_directories = False
    hostile_names = tuple(name for name in ProviderTests.hostile_names if "\n" not in name)
    store = "moto_store"


class OnSeaweedFS(S3Contract):
    """On SeaweedFS, which takes a backslash for a slash."""

    supports_directories = False
    hostile_names = tuple(name for name in ProviderTests.hostile_names if "\\" not in name)
    store = "seaweed_store"


class TestMotoClient(OnMoto):
    """moto through s3fs, one by one."""

    engine = "s3fs"


class TestMotoObstore(OnMoto):
    """moto through obstore, one by one."""

    engine = "obstore"


class TestSeaweedClient(OnSeaweedFS):
    """SeaweedFS through s3fs, one by one."""

    engine = "s3fs"


class TestSeaweedObstore(OnSeaweedFS):
    """SeaweedFS through obstore, one by one."""

    engine = "obstore"


class TestMotoListing(OnMoto):
    """moto through s3fs, by listing."""

    engine = "s3fs"
    list_above = 0


class TestSeaweedListing(OnSeaweedFS):
    """SeaweedFS through obstore, by listing."""

    engine = "obstore"
    list_above = 0
