"""How the bytes of an instruction file become text, the same for every backend."""

from __future__ import annotations

from collections.abc import Iterable

import xxhash

from guidefs.storage.provider import Limits
from guidefs.values.answer import NotText, Text, TooLarge, Version

__all__ = ["BYTE_ORDER_MARK", "NUL_WINDOW_BYTES", "decode", "fingerprint", "read_bound", "stream_fingerprint"]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NUL_WINDOW_BYTES = 8_192


def read_bound(limits: Limits) -> int:
    """How many bytes of a file have to be read to decide whether it is too large, byte-order mark included."""
    return limits.max_source_bytes + len(BYTE_ORDER_MARK) + 1


def decode(
    data: bytes, version: Version | None, limits: Limits, *, size: int | None = None
) -> Text | NotText | TooLarge:
    """Turn the first `read_bound(limits)` bytes of a file into an answer.

    One leading byte-order mark is dropped. A NUL in the first 8,192 bytes, or bytes that are not strict UTF-8, mean
    that the file is not text; a NUL further on is kept. A file is too large when more than `max_source_bytes` bytes
    are left.

    Args:
        data: the bytes, at least `read_bound(limits)` of them unless the file ends before.
        version: the version that the bytes belong to.
        limits: the bounds of the batch.
        size: the stated size of the file, repeated in a `TooLarge`.
    """
    body = data.removeprefix(BYTE_ORDER_MARK)
    if len(body) > limits.max_source_bytes:
        return TooLarge(version, size)
    if b"\0" in data[:NUL_WINDOW_BYTES]:
        return NotText(version)
    try:
        return Text(version, body.decode("utf-8"))
    except UnicodeDecodeError:
        return NotText(version)


def fingerprint(data: bytes) -> str:
    """The content identity of bytes where a backend has no version: `xxh3:` and 32 hexadecimal digits."""
    return f"xxh3:{xxhash.xxh3_128_hexdigest(data)}"


def stream_fingerprint(pieces: Iterable[bytes]) -> str:
    """The `fingerprint` of content that arrives in pieces, so that a large file need not be held."""
    state = xxhash.xxh3_128()
    for piece in pieces:
        state.update(piece)
    return f"xxh3:{state.hexdigest()}"
