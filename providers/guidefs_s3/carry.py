"""What of an s3fs filesystem's client can be carried over to obstore."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from guidefs_s3.sdk import UNSIGNED, S3FileSystem

__all__ = ["Carried", "NotCarried", "carry"]

CREDENTIALS_SECONDS: Final = 330
"""obstore asks again once fewer than five minutes are left, so every 30 seconds or so; the SDK renews them when due."""

CredentialCallback: TypeAlias = Callable[[], Coroutine[Any, Any, dict[str, Any]]]

_PLAIN_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_AUTHORITIES: Final = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True, slots=True)
class Carried:
    """How to reach the same buckets as the same user.

    Args:
        endpoint: the address of the service, without a bucket.
        region: the region that requests are signed for.
        virtual_hosts: whether a bucket is part of the host's name rather than of the path.
        credentials: asked for the credentials of each request; `None` sends requests unsigned.
        connect_timeout_seconds: how long to wait for a connection.
        read_timeout_seconds: how long to wait for a reply or its next piece.
    """

    endpoint: str
    region: str
    virtual_hosts: bool
    credentials: CredentialCallback | None
    connect_timeout_seconds: float
    read_timeout_seconds: float

    def endpoint_of(self, bucket: str) -> str | None:
        """The address that a bucket's keys are appended to, or are appended to with the bucket; `None` for neither.

        Access points, directory buckets and names that make no host name are left to the SDK's own rules.
        """
        if _PLAIN_BUCKET.fullmatch(bucket) is None or bucket.endswith("--x-s3"):
            return None
        if not self.virtual_hosts:
            return self.endpoint.rstrip("/")
        parts = urlsplit(self.endpoint)
        return f"{parts.scheme}://{bucket}.{parts.netloc}"


@dataclass(frozen=True, slots=True)
class NotCarried:
    """Something about the filesystem that obstore cannot do; `reason` says what, for people."""

    reason: str


def carry(fs: Any, client: Any) -> Carried | NotCarried:
    """Work out how obstore would do what the filesystem's client does.

    Args:
        fs: the filesystem.
        client: its client, connected.
    """
    reason = _obstacle(fs, client)
    if reason is not None:
        return NotCarried(reason)
    config = client.meta.config
    unsigned = config.signature_version is UNSIGNED
    return Carried(
        endpoint=client.meta.endpoint_url,
        region=client.meta.region_name,
        virtual_hosts=_is_amazon(client) and (config.s3 or {}).get("addressing_style") != "path",
        credentials=None if unsigned else _callback(client._request_signer._credentials),
        connect_timeout_seconds=config.connect_timeout,
        read_timeout_seconds=config.read_timeout,
    )


def _obstacle(fs: Any, client: Any) -> str | None:
    config = client.meta.config
    style = config.s3 or {}
    own_authority = any(name in os.environ for name in _AUTHORITIES) and client.meta.endpoint_url.startswith("https")
    obstacles = {
        "it is a subclass of s3fs's or has a replaced method": type(fs) is not S3FileSystem or "_call_s3" in vars(fs),
        "it has additional arguments for requests": bool(fs.s3_additional_kwargs or fs.req_kw),
        "it looks up a region for each bucket": bool(fs.cache_regions),
        "it has no region": not client.meta.region_name or client.meta.region_name == "aws-global",
        "it signs in another way": config.signature_version not in {"s3v4", UNSIGNED},
        "it has no credentials": config.signature_version is not UNSIGNED
        and client._request_signer._credentials is None,
        "it goes through a proxy": bool(config.proxies),
        "it has its own certificates": "verify" in fs.client_kwargs or bool(config.client_cert) or own_authority,
        "it has a special endpoint": bool(style.get("use_accelerate_endpoint") or style.get("use_dualstack_endpoint"))
        or bool(config.use_dualstack_endpoint or config.use_fips_endpoint),
        "it puts buckets into host names": style.get("addressing_style") == "virtual" and not _is_amazon(client),
    }
    return next((reason for reason, stands in obstacles.items() if stands), None)


def _is_amazon(client: Any) -> bool:
    host = urlsplit(client.meta.endpoint_url).hostname or ""
    return host.endswith((".amazonaws.com", ".amazonaws.com.cn"))


def _callback(credentials: Any) -> CredentialCallback:
    async def current() -> dict[str, Any]:
        frozen = await credentials.get_frozen_credentials()
        return {
            "access_key_id": frozen.access_key,
            "secret_access_key": frozen.secret_key,
            "token": frozen.token,
            "expires_at": datetime.now(UTC) + timedelta(seconds=CREDENTIALS_SECONDS),
        }

    return current
