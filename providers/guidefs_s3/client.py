"""The engine that asks through the s3fs filesystem's own client."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from guidefs.values.answer import Version
from guidefs_s3.address import Address, Directory
from guidefs_s3.body import opened, read_body, size_of
from guidefs_s3.engine import NEIGHBOURS, PAGE_NAMES, Admit
from guidefs_s3.fault import get_fault, is_unsatisfiable, is_wordless, list_fault
from guidefs_s3.reply import Body, Entry, Failed, GetReply, Listed, ListReply, Missing, NotModified, Withheld
from guidefs_s3.sdk import FAILURES
from guidefs_s3.version import etag_of, same_content, stated_version, version_of

__all__ = ["ClientEngine"]


DEFAULT_POOL: Final = 10
"""The SDK's own pool size, for a client that could not be made."""

REQUESTS_PER_CONNECTION: Final = 4


class ClientEngine:
    """Asks through `_call_s3` of an s3fs filesystem, so that retries, credentials and additional arguments are its own.

    Neither its listing cache nor anything else of the filesystem is read or written.

    Args:
        fs: the filesystem.
    """

    list_above: Final = 48

    def __init__(self, fs: Any) -> None:
        self._fs = fs

    @property
    def slots(self) -> int:
        """Some times the size of the client's connection pool, which by itself bounds what is on the way.

        Signing and parsing take this process more time than anything but the network, so requests are got ready while
        they wait for a connection.
        """
        client = self._fs._s3
        pool = DEFAULT_POOL if client is None else int(client.meta.config.max_pool_connections)
        return REQUESTS_PER_CONNECTION * pool

    async def get(self, address: Address, *, known: Version | None, max_bytes: int, admit: Admit) -> GetReply:
        """Read the beginning of an object as `Engine.get` does.

        An empty object has no byte to ask a range of: it is asked for once more without one, for its version. A 404
        that does not say what is missing is only believed if a listing agrees.
        """
        request = {"Bucket": address.bucket, "Key": address.key}
        if known is not None:
            request["IfNoneMatch"] = etag_of(known)
        reply = await self._get({**request, "Range": f"bytes=0-{max_bytes - 1}"}, known, max_bytes, admit)
        if isinstance(reply, Failed) and is_unsatisfiable(reply.error):
            reply = await self._get(request, known, max_bytes, admit)
        if isinstance(reply, Failed) and is_wordless(reply.error):
            return await self._missing_or(reply, address)
        return reply

    async def _missing_or(self, failure: Failed, address: Address) -> Missing | Failed:
        match await self.list(address.as_prefix, max_names=NEIGHBOURS):
            case Listed(objects, complete=True) if address.key not in objects:
                return Missing()
            case _:
                return failure

    async def _get(self, request: Mapping[str, str], known: Version | None, max_bytes: int, admit: Admit) -> GetReply:
        failure: Exception = OSError("the filesystem allows no attempt: its retries are 0")
        for attempt in range(self._fs.retries):
            try:
                response = await self._fs._call_s3("get_object", **request)
            except FAILURES as error:
                return get_fault(error)
            try:
                return await self._accept(response, known, max_bytes, admit)
            except FAILURES as error:
                failure = error
            # The waits of s3fs itself, which retries whole requests but leaves their bodies to the caller.
            await asyncio.sleep(min(1.7**attempt * 0.1, 15))
        return Failed(failure)

    async def _accept(
        self, response: Mapping[str, Any], known: Version | None, max_bytes: int, admit: Admit
    ) -> Body | Withheld | NotModified:
        with opened(response) as body:
            version = stated_version(response, version_aware=self._fs.version_aware)
            if same_content(version, known):
                return NotModified()
            size = size_of(response, first=0)
            if not admit(size):
                return Withheld(version, size)
            return Body(version, size, await read_body(body, max_bytes, size))

    async def list(
        self,
        directory: Directory,
        *,
        max_names: int = PAGE_NAMES,
        expected_names: int | None = None,
    ) -> ListReply:
        """List a directory as `Engine.list` does."""
        try:
            page = await self._fs._call_s3(
                "list_objects_v2",
                Bucket=directory.bucket,
                Prefix=directory.prefix,
                Delimiter="/",
                MaxKeys=max_names,
            )
            objects = {
                item["Key"]: Entry(version_of(item.get("ETag")), item.get("Size")) for item in page.get("Contents", ())
            }
            prefixes = frozenset(item["Prefix"] for item in page.get("CommonPrefixes", ()))
        except FAILURES as error:
            return list_fault(error)
        if "IsTruncated" not in page:  # every listing says so; a page of something else proves nothing absent
            return Failed(OSError("the reply is no listing, so it does not come from an object store"))
        return Listed(objects, prefixes, complete=not page["IsTruncated"])
