"""What answers where no filesystem was given: there is nothing, and nothing fails for it."""

from __future__ import annotations

from collections.abc import Sequence

from guidefs.errors import NotFoundError
from guidefs.storage.provider import Chunk, Guard, Limits, Presence, Written
from guidefs.values.answer import Absent, Answer, Marker, Question

__all__ = ["Nowhere"]


class Nowhere:
    """A provider without a backend."""

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer that nothing is there."""
        return [Absent() for _ in questions]

    def stat(self, path: str) -> Presence:
        """Answer that nothing is there."""
        return Absent()

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Refuse.

        Raises:
            NotFoundError: always.
        """
        raise NotFoundError(f"{path!r} cannot be read: the workspace was made without a filesystem", path=path)

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Refuse.

        Raises:
            NotFoundError: always.
        """
        raise NotFoundError(f"{path!r} cannot be written: the workspace was made without a filesystem", path=path)
