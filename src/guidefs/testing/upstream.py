"""The service behind a proxy, reached over connections that are kept."""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from guidefs.testing.mischief import Request
from guidefs.testing.wire import Head, read_body, read_head

__all__ = ["HOP_BY_HOP", "Upstream"]

CHUNK_BYTES: Final = 64 << 10  # 64 KiB
HOP_BY_HOP: Final = ("connection", "keep-alive", "proxy-connection", "expect")
"""Fields that speak of one connection, not of the message."""

_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Upstream:
    """Passes requests on to one service.

    Args:
        host: where it listens.
        port: where it listens.
    """

    def __init__(self, host: str, port: int) -> None:
        self._address = host, port
        self._idle: list[_Connection] = []

    async def relay(
        self, request: Request, body: bytes, writer: asyncio.StreamWriter, limit_bytes: int | None = None
    ) -> bool:
        """Send a request on and its reply back.

        Args:
            request: the request.
            body: its body, as framed.
            writer: where the reply goes.
            limit_bytes: how much of the reply's body is passed; `None` for all.

        Returns:
            Whether the reply ended before its connection did, so that the client's connection can go on.
        """
        reader, upstream = await self._connection()
        is_reusable = False
        try:
            upstream.write(request.head.without(HOP_BY_HOP).encoded() + body)
            reply = await read_head(reader)
            while reply is not None and reply.line.split(" ")[1] == "100":
                reply = await read_head(reader)
            if reply is None:
                return False
            writer.write(reply.without(HOP_BY_HOP).encoded())
            is_framed = await _copy(request, reply, reader, writer, limit_bytes)
            is_reusable = is_framed and limit_bytes is None and "close" not in reply.get("connection").lower()
            return is_framed
        finally:
            if is_reusable:
                self._idle.append((reader, upstream))
            else:
                upstream.close()

    def close(self) -> None:
        """Close the connections that are kept."""
        for _, upstream in self._idle:
            upstream.close()

    async def _connection(self) -> _Connection:
        while self._idle:
            reader, upstream = self._idle.pop()
            if not reader.at_eof() and not upstream.is_closing():
                return reader, upstream
            upstream.close()
        return await asyncio.open_connection(*self._address)


async def _copy(
    request: Request,
    reply: Head,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    limit_bytes: int | None,
) -> bool:
    if "chunked" in reply.get("transfer-encoding"):
        writer.write((await read_body(reader, reply))[:limit_bytes])
        await writer.drain()
        return True
    size = _stated_size(request, reply)
    left = min(size, sys.maxsize if limit_bytes is None else limit_bytes)
    while left and (piece := await reader.read(min(CHUNK_BYTES, left))):
        writer.write(piece)
        await writer.drain()
        left -= len(piece)
    return left == 0 and size < sys.maxsize


def _stated_size(request: Request, reply: Head) -> int:
    if request.method == "HEAD" or reply.line.split(" ")[1] in {"204", "304"}:
        return 0
    # A reply without a length ends with its connection (RFC 9112, section 6.3).
    return int(reply.get("content-length") or sys.maxsize)
