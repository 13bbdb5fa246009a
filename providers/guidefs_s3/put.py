"""One conditional PUT, told apart by what it proves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from guidefs_s3.address import Address
from guidefs_s3.fault import code_of, status_of
from guidefs_s3.sdk import FAILURES
from guidefs_s3.version import stated_version

__all__ = ["Conflict", "NotDone", "Put", "PutReply", "Unclear", "put"]


@dataclass(frozen=True, slots=True)
class Put:
    """The object was written; `response` is the service's reply."""

    response: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The condition did not hold at the last try."""

    error: Exception


@dataclass(frozen=True, slots=True)
class NotDone:
    """The service refused the request, so nothing was written."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Unclear:
    """The request may have been carried out or not."""

    error: Exception


PutReply: TypeAlias = Put | Conflict | NotDone | Unclear
"""Everything that a conditional PUT may come back with."""


async def put(fs: Any, address: Address, data: bytes, condition: Mapping[str, str], **arguments: Any) -> PutReply:
    """Write an object under a condition, always by one request that holds all of it.

    A try whose reply was lost may have been carried out. Whoever repeats it - s3fs, the SDK, or aiohttp, which tries
    once more by itself when a connection breaks - then finds the condition broken by the first try. So a conflict
    says for certain only that the object is another one than the condition asked for.

    Args:
        fs: the filesystem.
        address: the object.
        data: its whole content.
        condition: `IfMatch` or `IfNoneMatch`.
        arguments: further arguments of the request.
    """
    try:
        response = await fs._call_s3(
            "put_object", Bucket=address.bucket, Key=address.key, Body=data, **arguments, **condition
        )
        stated_version(response, version_aware=False)
    except FAILURES as error:
        return _fault(error)
    return Put(response)


def _fault(error: Exception) -> Conflict | NotDone | Unclear:
    """Sort an error.

    412 is a condition that does not hold; 409 another conditional write of the same key under way; 404 a key that
    `If-Match` finds gone (Amazon S3 user guide, "How to prevent object overwrites with conditional writes").
    """
    status = status_of(error)
    if status is None or (status >= 500 and status != 501):
        return Unclear(error)
    if status in {409, 412} or (status == 404 and code_of(error) == "NoSuchKey"):
        return Conflict(error)
    return NotDone(error)
