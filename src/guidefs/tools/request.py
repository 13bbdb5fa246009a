"""What a file tool asks of the backend, one request after another, without knowing who carries it out."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from guidefs.storage.provider import Chunk, Guard, Presence, Written

__all__ = [
    "ReadRequest",
    "Reply",
    "Request",
    "StatRequest",
    "Steps",
    "WriteRequest",
]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StatRequest:
    """Ask for the primitive `stat`."""

    address: str


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """Ask for the primitive `read`."""

    address: str
    offset: int
    max_bytes: int


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """Ask for the primitive `write`."""

    address: str
    data: bytes
    guard: Guard


Request: TypeAlias = StatRequest | ReadRequest | WriteRequest
"""Everything that a tool may ask for."""

Reply: TypeAlias = Presence | Chunk | Written
"""What the primitives give; each request is answered by the result of its own primitive, or its exception."""

Steps: TypeAlias = Generator[Request, Reply, Result]
"""A procedure that yields requests, receives replies, and returns its result."""
