"""What the provider needs of whoever sends its reading requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from guidefs.values.answer import Version
from guidefs_s3.address import Address, Directory
from guidefs_s3.reply import GetReply, ListReply

__all__ = ["NEIGHBOURS", "PAGE_NAMES", "Admit", "Engine"]

PAGE_NAMES = 1_000
"""The most names that one LIST brings back (Amazon S3 API reference, ListObjectsV2, `MaxKeys`)."""

NEIGHBOURS = 32
"""A page large enough for the names that begin like one name: `.git` has `.gitignore` and `.github/` beside it."""

Admit: TypeAlias = Callable[[int | None], bool]
"""Told the stated size of an object in bytes before its body is read; whether to read it."""


class Engine(Protocol):
    """A client that reads objects and listings, for one filesystem and on its event loop.

    Failures of the network, the service or its reply are returned, never raised; cancellation passes through.
    """

    @property
    def slots(self) -> int:
        """How many requests are worth having begun at once."""
        ...

    @property
    def list_above(self) -> int:
        """The number of candidates above which listing directories was measured to be cheaper."""
        ...

    async def get(self, address: Address, *, known: Version | None, max_bytes: int, admit: Admit) -> GetReply:
        """Read the beginning of an object unless it still has a known version.

        Args:
            address: the object.
            known: the version for which no body is needed; `None` for none.
            max_bytes: how many bytes to ask for; never more are held, whatever the reply claims.
            admit: asked once, after the reply's head and before its body.
        """
        ...

    async def list(
        self, directory: Directory, *, max_names: int = PAGE_NAMES, expected_names: int | None = None
    ) -> ListReply:
        """List what lies directly in a directory, afresh and one page at most.

        Args:
            directory: the directory; a prefix that does not end with `/` lists the names that begin with it.
            max_names: the size of the page, 1 to 1,000.
            expected_names: how many names an earlier listing had, `None` if there was none that was complete.
        """
        ...
