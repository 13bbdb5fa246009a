"""As much of HTTP/1.1 as a proxy on loopback needs to tell one message from the next."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Head", "read_body", "read_head"]


@dataclass(frozen=True, slots=True)
class Head:
    """The first line of a message and its header fields, names in lower case."""

    line: str
    fields: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str:
        """The value of a field, empty if there is none; the last one counts."""
        return next((value for own, value in reversed(self.fields) if own == name), "")

    def without(self, names: Iterable[str]) -> Head:
        """The same head with some fields left out."""
        dropped = frozenset(names)
        return Head(self.line, tuple(field for field in self.fields if field[0] not in dropped))

    def encoded(self) -> bytes:
        """The bytes of the head, empty line included."""
        lines = [self.line, *(f"{name}: {value}" for name, value in self.fields)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """Read a message up to the end of its head; `None` if the other side closed before the first byte of one.

    Raises:
        IncompleteReadError: the other side closed in the middle of the head.
    """
    try:
        data = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    first, *rest = data.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    pairs = (line.partition(":") for line in rest)
    return Head(first, tuple((name.strip().lower(), value.strip()) for name, _, value in pairs))


async def read_body(reader: asyncio.StreamReader, head: Head) -> bytes:
    """Read the body of a request as it stands, chunk headers included (RFC 9112, section 6)."""
    if "chunked" not in head.get("transfer-encoding"):
        return await reader.readexactly(int(head.get("content-length") or 0))
    body = bytearray()
    while True:
        line = await reader.readline()
        body += line
        size = int(line.partition(b";")[0], 16)
        if size == 0:
            break
        body += await reader.readexactly(size + 2)
    while (line := await reader.readline()) != b"\r\n":
        body += line
    return bytes(body + line)
