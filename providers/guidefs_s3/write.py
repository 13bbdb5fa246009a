"""Guarded writes of whole objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import xxhash

from guidefs.errors import (
    AlreadyExistsError,
    FileInputOutputError,
    FileTooLargeError,
    GuardUnsupportedError,
    NotRegularFileError,
    StaleVersionError,
)
from guidefs.storage.failures import describe, file_error
from guidefs.storage.provider import CreateOnly, Guard, IfContent, IfVersion, Written
from guidefs.values.answer import Absent, Unavailable, Version
from guidefs_s3.address import Address, locate
from guidefs_s3.body import CHUNK_BYTES, opened
from guidefs_s3.fault import get_fault, status_of
from guidefs_s3.probe import Condition, Honoured, Ignored, Probe, Undecided
from guidefs_s3.put import Conflict, NotDone, Put, Unclear, put
from guidefs_s3.reply import Missing
from guidefs_s3.sdk import FAILURES
from guidefs_s3.version import etag_of, same_object, stated_version

__all__ = ["Writer"]

LARGEST_PUT_BYTES: Final = 5 << 30  # 5 GiB, the bound of one PUT (Amazon S3 API reference, PutObject)

SURVIVING: Final = (
    "BucketKeyEnabled",
    "CacheControl",
    "ContentDisposition",
    "ContentEncoding",
    "ContentLanguage",
    "ContentType",
    "Metadata",
    "SSEKMSKeyId",
    "ServerSideEncryption",
    "StorageClass",
    "WebsiteRedirectLocation",
)
"""What a new content does not change about an object; a PUT that leaves them out would reset them."""


class Writer:
    """Writes objects of one filesystem under a guard.

    Args:
        fs: the filesystem.
        trusting: take it for granted that the store honours preconditions.
    """

    def __init__(self, fs: Any, *, trusting: bool) -> None:
        self._fs = fs
        self._trusting = trusting
        self._probe = Probe(fs)

    async def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Replace the whole content by one PUT that the store itself makes conditional.

        Metadata, content type, storage class and encryption of a replaced object survive; its tags and access list do
        not, as with any PUT.

        Args:
            path: the file.
            data: its new content.
            guard: what has to hold.

        Raises:
            FileTooLargeError: one PUT cannot hold the data, and conditions are not enforced on uploads in parts by
                every store.
        """
        if len(data) > LARGEST_PUT_BYTES:
            raise FileTooLargeError(f"{path!r} would be {len(data)} bytes; one guarded write holds 5 GiB", path=path)
        address = _target(self._fs, path)
        match guard:
            case CreateOnly():
                await self._require(address, "IfNoneMatch", path)
                return await self._put(address, data, {"IfNoneMatch": "*"}, {}, path)
            case IfVersion(version):
                await self._require(address, "IfMatch", path)
                # The PUT checks again; this look is for what has to survive it.
                kept = await self._unchanged(address, version, path)
            case IfContent(fingerprint):
                await self._require(address, "IfMatch", path)
                version, kept = await self._same(address, fingerprint, path)
        return await self._put(address, data, {"IfMatch": etag_of(version)}, kept, path)

    async def _put(
        self, address: Address, data: bytes, condition: Mapping[str, str], kept: Mapping[str, Any], path: str
    ) -> Written:
        match await put(self._fs, address, data, condition, **kept):
            case Put(response):
                self._fs.invalidate_cache(f"{address.bucket}/{address.key}")
                return Written(self._version(response), "atomic")
            case Conflict(error) if "IfNoneMatch" in condition:
                raise AlreadyExistsError(f"{path!r} exists by now; read it before changing it", path=path) from error
            case Conflict(error):
                raise _stale(path) from error
            case NotDone(error):
                raise file_error(error, path) from error
            case Unclear(error):
                raise FileInputOutputError(
                    f"it is not known whether {path!r} was written, read it again: {describe(error)}", path=path
                ) from error

    async def _require(self, address: Address, condition: Condition, path: str) -> None:
        client = await self._fs.get_s3(address.bucket)
        if condition not in client.meta.service_model.operation_model("PutObject").input_shape.members:
            # s3fs leaves out what the SDK does not know, without a word.
            raise GuardUnsupportedError(f"{path!r} was not written: update aiobotocore to 2.16 or newer", path=path)
        if self._trusting:
            return
        match await self._probe.test(address, condition):
            case Honoured():
                return
            case Ignored(reason):
                raise GuardUnsupportedError(
                    f"{path!r} was not written: the store of bucket {address.bucket!r} does not support conditional "
                    f"writes ({reason}), so another writer's changes could be lost",
                    path=path,
                )
            case Undecided(error):
                raise file_error(error, path) from error

    async def _unchanged(self, address: Address, version: Version, path: str) -> Mapping[str, Any]:
        try:
            head = await self._fs._call_s3("head_object", Bucket=address.bucket, Key=address.key)
        except FAILURES as error:
            if status_of(error) == 404:
                raise _stale(path) from error
            raise
        if not same_object(self._version(head), version):
            raise _stale(path)
        return self._kept(head)

    async def _same(self, address: Address, fingerprint: str, path: str) -> tuple[Version, Mapping[str, Any]]:
        try:
            response = await self._fs._call_s3("get_object", Bucket=address.bucket, Key=address.key)
        except FAILURES as error:
            if isinstance(get_fault(error), Missing):
                raise _stale(path) from error
            raise
        digest = xxhash.xxh3_128()
        with opened(response) as body:
            while piece := await body.read(CHUNK_BYTES):
                digest.update(piece)
        if f"xxh3:{digest.hexdigest()}" != fingerprint:
            raise _stale(path)
        version = self._version(response)
        if version is None:
            raise GuardUnsupportedError(f"{path!r} has no strong ETag to guard a write with", path=path)
        return version, self._kept(response)

    def _version(self, response: Mapping[str, Any]) -> Version | None:
        return stated_version(response, version_aware=self._fs.version_aware)

    def _kept(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        chosen = self._fs.s3_additional_kwargs
        return {name: response[name] for name in SURVIVING if response.get(name) and name not in chosen}


def _target(fs: Any, path: str) -> Address:
    match locate(fs, path):
        case Address(key=key) as address if key and not key.endswith("/"):
            return address
        case Address():
            raise NotRegularFileError(f"{path!r} is a directory; name a file", path=path)
        case Absent():
            raise FileInputOutputError(f"{path!r} is not UTF-8, as all names on S3 are", path=path)
        case Unavailable(error):
            raise FileInputOutputError(error, path=path)


def _stale(path: str) -> StaleVersionError:
    return StaleVersionError(f"{path!r} changed or is gone since it was read; read it again", path=path)
