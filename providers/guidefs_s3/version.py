"""How an ETag and a version id make up one version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guidefs.values.answer import Version

__all__ = ["etag_of", "same_content", "same_object", "stated_version", "version_of"]


def version_of(etag: str | None, version_id: str | None = None) -> Version | None:
    """The version of an object.

    Args:
        etag: the entity tag with or without quotes; some stores leave them out in listings. A weak one promises no
            equal bytes (RFC 9110, section 8.8.1), so it makes no version.
        version_id: the id of the object's version, where the filesystem is aware of versions.
    """
    if not etag or etag.startswith("W/"):
        return None
    bare = etag.strip('"')
    if not bare:
        return None
    # No entity tag has a space in it (RFC 9110, section 8.8.3), so the two can be told apart again.
    return Version(f"{bare} {version_id}" if version_id and version_id != "null" else bare)


def stated_version(reply: Mapping[str, Any], *, version_aware: bool) -> Version | None:
    """The version that a reply about one object states.

    Args:
        reply: the parsed reply.
        version_aware: whether ids of versions are part of versions.

    Raises:
        OSError: the reply has no ETag, which every store sends, so that it comes from something else: a sign-in page
            of the network, say.
    """
    etag = reply.get("ETag")
    if not etag:
        raise OSError("the reply has no ETag, so it does not come from an object store")
    return version_of(etag, reply.get("VersionId") if version_aware else None)


def etag_of(version: Version) -> str:
    """The quoted entity tag of a version, for `If-Match` and `If-None-Match`."""
    return f'"{version.partition(" ")[0]}"'


def same_object(first: Version | None, second: Version | None) -> bool:
    """Whether two versions name one write of an object, as far as both of them say."""
    if first is None or second is None or not same_content(first, second):
        return False
    ids = first.partition(" ")[2], second.partition(" ")[2]
    return "" in ids or ids[0] == ids[1]


def same_content(first: Version | None, second: Version | None) -> bool:
    """Whether two versions have one entity tag, hence equal content; ids of versions need not agree."""
    return first is not None and second is not None and etag_of(first) == etag_of(second)
