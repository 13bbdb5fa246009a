"""One successful access of one path, the thing that makes instruction files relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Operation", "Touch"]

Operation: TypeAlias = Literal["read", "write", "edit"]
"""What an access did: obtained content, stored a whole content, or changed what was there (removal included)."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One successful read, write or edit of one path.

    Args:
        path: the absolute path, in the form that the inner filesystem uses for its own paths.
        operation: what the access did.
    """

    path: str
    operation: Operation
