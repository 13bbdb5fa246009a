"""The engine that asks through obstore where it can, and through the filesystem's own client where not."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, Final

from guidefs.errors import MissingExtraError
from guidefs.values.answer import Version
from guidefs_s3.address import Address, Directory, is_plain
from guidefs_s3.body import CHUNK_BYTES
from guidefs_s3.carry import Carried
from guidefs_s3.client import ClientEngine
from guidefs_s3.engine import PAGE_NAMES, Admit
from guidefs_s3.reply import Body, Entry, Failed, GetReply, Listed, ListReply, Missing, NotModified, Withheld
from guidefs_s3.version import etag_of, same_content, version_of

try:
    import obstore
    from obstore.exceptions import BaseError, NotModifiedError
    from obstore.store import S3Store
except ImportError as error:
    raise MissingExtraError("obstore is not installed: pip install 'guidefs[s3-fast]'") from error

__all__ = ["FastEngine"]

FAILURES: Final = (BaseError, OSError, ValueError)
TRIES_BEFORE_GIVING_UP: Final = 3
LARGEST_LISTING: Final = PAGE_NAMES // 2


class FastEngine:
    """Sends the plain requests through obstore, which spends a quarter of the processor time on each.

    Whatever does not end in a body, 'not modified' or `NoSuchKey` is asked once more through the client, so that
    errors and retries are the client's. A bucket for which only the client finds answers is left to it from then on.

    Args:
        client: the engine to fall back to.
        carried: how to reach the same buckets as the same user.
        version_aware: whether ids of versions are part of versions.
    """

    list_above: Final = 192
    slots: Final = 128

    def __init__(self, client: ClientEngine, carried: Carried, *, version_aware: bool) -> None:
        self._client = client
        self._carried = carried
        self._version_aware = version_aware
        self._stores: dict[str, Any] = {}
        self._vain_tries: Counter[str] = Counter()

    async def get(self, address: Address, *, known: Version | None, max_bytes: int, admit: Admit) -> GetReply:
        """Read the beginning of an object as `Engine.get` does."""
        store = self._store(address.bucket) if is_plain(address.key) else None
        if store is None:
            return await self._client.get(address, known=known, max_bytes=max_bytes, admit=admit)
        try:
            reply = await self._get(store, address.key, known, max_bytes, admit)
        except NotModifiedError:
            reply = NotModified()
        except FAILURES as error:
            if isinstance(error, FileNotFoundError) and "<Code>NoSuchKey</Code>" in str(error):
                reply = Missing()
            else:
                return await self._get_anyhow(address, known=known, max_bytes=max_bytes, admit=admit)
        self._vain_tries.pop(address.bucket, None)
        return reply

    async def _get(self, store: Any, key: str, known: Version | None, max_bytes: int, admit: Admit) -> GetReply:
        options: Any = {"range": (0, max_bytes)}
        if known is not None:
            options["if_none_match"] = etag_of(known)
        result = await obstore.get_async(store, key, options=options)
        meta = result.meta
        if not meta["e_tag"]:
            raise ValueError("the reply has no ETag")
        version = version_of(meta["e_tag"], meta["version"] if self._version_aware else None)
        if same_content(version, known):
            return NotModified()
        if not admit(meta["size"]):
            return Withheld(version, meta["size"])
        stream = result.stream(min_chunk_size=CHUNK_BYTES)
        return Body(version, meta["size"], await _read(aiter(stream), max_bytes, meta["size"]))

    async def _get_anyhow(self, address: Address, *, known: Version | None, max_bytes: int, admit: Admit) -> GetReply:
        reply = await self._client.get(address, known=known, max_bytes=max_bytes, admit=admit)
        # An empty object answers to no range, which obstore takes for an error.
        if not isinstance(reply, Failed) and not (isinstance(reply, Body) and not reply.data):
            self._vain_tries[address.bucket] += 1
        return reply

    async def list(
        self, directory: Directory, *, max_names: int = PAGE_NAMES, expected_names: int | None = None
    ) -> ListReply:
        """List a directory as `Engine.list` does.

        obstore follows the pages of a listing to its end, so it is only given directories known to be small. A listing
        without any names is never taken from it, because any well-formed page of something else passes for one there.
        """
        small = expected_names is not None and 0 < expected_names <= LARGEST_LISTING and max_names == PAGE_NAMES
        store = self._store(directory.bucket) if small and is_plain(directory.prefix.rstrip("/")) else None
        listing = None if store is None else await self._list(store, directory.prefix.rstrip("/"))
        if listing is not None and listing.names:
            return listing
        reply = await self._client.list(directory, max_names=max_names, expected_names=expected_names)
        if store is not None and listing is None and isinstance(reply, Listed):
            self._vain_tries[directory.bucket] += 1
        return reply

    async def _list(self, store: Any, prefix: str) -> Listed | None:
        try:
            page = await obstore.list_with_delimiter_async(store, prefix or None)
            objects = {item["path"]: Entry(version_of(item["e_tag"]), item["size"]) for item in page["objects"]}
            return Listed(objects, frozenset(f"{name}/" for name in page["common_prefixes"]), complete=True)
        except FAILURES:
            return None

    def _store(self, bucket: str) -> Any:
        if self._vain_tries[bucket] >= TRIES_BEFORE_GIVING_UP:
            return None
        if bucket not in self._stores:
            self._stores[bucket] = self._open(bucket)
        return self._stores[bucket]

    def _open(self, bucket: str) -> Any:
        carried = self._carried
        credentials: Any = carried.credentials
        endpoint = carried.endpoint_of(bucket)
        if endpoint is None:
            return None
        return S3Store(
            bucket,
            config={
                "aws_endpoint_url_s3": endpoint,
                "endpoint": endpoint,
                "region": carried.region,
                "skip_signature": carried.credentials is None,
                "virtual_hosted_style_request": carried.virtual_hosts,
            },
            client_options={
                "allow_http": endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=carried.connect_timeout_seconds),
                "read_timeout": timedelta(seconds=carried.read_timeout_seconds),
            },
            retry_config={"max_retries": 0},
            credential_provider=credentials,
        )


async def _read(stream: AsyncIterator[Any], max_bytes: int, size: int) -> bytes:
    data = bytearray()
    async for piece in stream:
        data += bytes(piece)[: max_bytes - len(data)]
        if len(data) >= max_bytes:
            break
    if len(data) < min(size, max_bytes):
        raise OSError(f"the body ended after {len(data)} of {size} bytes")
    return bytes(data)
