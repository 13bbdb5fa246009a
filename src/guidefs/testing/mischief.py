"""What may happen to a request on its way to a service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from guidefs.testing.wire import Head

__all__ = ["Answered", "Cut", "Dropped", "Hung", "Mischief", "Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request that arrived.

    Args:
        method: such as `GET`.
        target: the path with its query, as sent.
        head: its first line and header fields.
        wave: the number of the wave it belongs to, from 1.
    """

    method: str
    target: str
    head: Head
    wave: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The service is not asked; this is the reply.

    Args:
        status: the status code.
        body: the whole body.
        content_type: what the body is said to be.
        etag: the entity tag with its quotes; left out if empty.
    """

    status: int
    body: bytes = b""
    content_type: str = "application/xml"
    etag: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks after so many bytes of the reply's body."""

    after_bytes: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """The connection breaks without any reply."""


@dataclass(frozen=True, slots=True)
class Hung:
    """No reply ever comes."""


Mischief: TypeAlias = Answered | Cut | Dropped | Hung
"""What may happen to a request instead of a healthy reply."""
