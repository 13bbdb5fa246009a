"""Where a session works."""

from __future__ import annotations

from dataclasses import dataclass

from guidefs.reconcile.territory import HomeFile

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a session works.

    Args:
        cwd: the working directory, absolute.
        walk: the working directory and the directories above it in which a root marker counts, nearest first.
        home: where the user-global file lies; `None` where there is none.
    """

    cwd: str
    walk: tuple[str, ...]
    home: HomeFile | None
