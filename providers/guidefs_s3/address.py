"""Where a path of an s3fs filesystem lies in S3."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from guidefs.values.answer import Absent, Unavailable

__all__ = ["Address", "Directory", "Located", "is_plain", "locate"]

_SCHEME = re.compile(r"^s3a?://")
_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\\]|//|^/|/$")


@dataclass(frozen=True, slots=True)
class Directory:
    """All keys of a bucket that begin with one prefix.

    Args:
        bucket: the bucket.
        prefix: empty for the whole bucket; that of a directory proper ends with `/`.
    """

    bucket: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Address:
    """One key of a bucket; the key is empty for the bucket itself."""

    bucket: str
    key: str

    @property
    def directory(self) -> Directory:
        """The directory that the key lies in."""
        return Directory(self.bucket, self.key[: self.key.rfind("/") + 1])

    @property
    def as_prefix(self) -> Directory:
        """Everything whose key begins with this one."""
        return Directory(self.bucket, self.key)

    @property
    def below(self) -> Directory:
        """The directory that would have this key as its name."""
        return Directory(self.bucket, f"{self.key}/" if self.key else "")


Located: TypeAlias = Address | Absent | Unavailable
"""An address, or what is certain about a path without asking."""


def locate(fs: Any, path: str) -> Located:
    """Find the address of a path.

    The parts after the bucket are taken as they are: S3 keys are not normalised, and a `?versionId=` at the end is an
    ordinary part of a file's name.

    Args:
        fs: the filesystem; it knows how the names of access points are told from keys.
        path: a path as the filesystem itself writes it; a scheme and leading slashes are dropped.
    """
    bucket, key = fs._find_bucket_key(_SCHEME.sub("", path).lstrip("/"))
    try:
        key.encode("utf-8")
    except UnicodeEncodeError:
        # Keys are sequences of Unicode characters in UTF-8 (Amazon S3 user guide, "Naming Amazon S3 objects").
        return Absent()
    if not {".", ".."}.isdisjoint(key.split("/")):
        return Unavailable(f"{path!r} has a '.' or '..' component, which clients and servers may rewrite")
    return Address(bucket, key)


def is_plain(key: str) -> bool:
    """Whether every store and client agrees on this key.

    Control characters, backslashes and empty components are rewritten, left out of listings or refused by some, so
    keys that have them are only ever asked for one by one through the filesystem's own client.
    """
    return _ODD.search(key) is None
