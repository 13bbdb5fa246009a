"""The bounded read of one reply's body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

__all__ = ["CHUNK_BYTES", "opened", "read_body", "size_of"]

CHUNK_BYTES: Final = 64 << 10  # 64 KiB
_CONTENT_RANGE: Final = re.compile(r"bytes (?P<first>\d+)-\d+/(?:(?P<size>\d+)|\*)")


@contextmanager
def opened(response: Mapping[str, Any]) -> Iterator[Any]:
    """The body of a GET's reply; closed at the end, which drops the connection if something is left unread."""
    body = response["Body"]
    try:
        yield body
    finally:
        body.close()


def size_of(response: Mapping[str, Any], *, first: int) -> int | None:
    """The stated size of the whole object in bytes, whether or not the range was honoured.

    Args:
        response: the reply to a GET.
        first: the offset, in bytes, that was asked for.

    Raises:
        OSError: the reply holds another part than the one asked for.
    """
    stated = response.get("ContentRange")
    if stated is None:
        if first:
            raise OSError(f"the store ignored the range: bytes from {first} on were asked for")
        length = response.get("ContentLength")
        return length if isinstance(length, int) else None
    match = _CONTENT_RANGE.fullmatch(stated)
    if match is None or int(match["first"]) != first:
        raise OSError(f"the store answered with {stated!r} where bytes from {first} on were asked for")
    return None if match["size"] is None else int(match["size"])


async def read_body(body: Any, max_bytes: int, expected_bytes: int | None) -> bytes:
    """Read a body up to a bound.

    Args:
        body: the body.
        max_bytes: the most bytes to hold.
        expected_bytes: how many bytes the body has to have by the reply's own account, `None` if it does not say.

    Raises:
        OSError: the body ended early.
    """
    data = bytearray()
    while len(data) < max_bytes:
        piece = await body.read(min(CHUNK_BYTES, max_bytes - len(data)))
        if not piece:
            break
        data += piece
    if expected_bytes is not None and len(data) < min(expected_bytes, max_bytes):
        raise OSError(f"the body ended after {len(data)} of {expected_bytes} bytes")
    return bytes(data)
