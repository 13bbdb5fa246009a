"""What this process may do with a file."""

from __future__ import annotations

import os

__all__ = ["is_accessible"]

_EFFECTIVE = os.access in os.supports_effective_ids


def is_accessible(path: str, mode: int) -> bool:
    """Whether the effective user may access a path, or the real one where `os.access` knows no other."""
    return os.access(path, mode, effective_ids=_EFFECTIVE)
