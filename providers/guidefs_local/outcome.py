"""What a failed look at a local path says about it."""

from __future__ import annotations

import errno
import os

from guidefs.storage.failures import describe
from guidefs.values.answer import Absent, Unavailable

__all__ = ["ABSENT", "outcome_of"]

ABSENT = Absent()

PATH_MAX_BYTES = 4_096  # Linux, limits.h; counts the terminating NUL

_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


def outcome_of(error: OSError | ValueError, path: str) -> Absent | Unavailable:
    """Absent where the operating system is certain, unavailable for every other failure.

    A `ValueError` comes from a name with a NUL or with characters that the filesystem encoding lacks: no file can
    have it. `ENAMETOOLONG` has two meanings. A component longer than the filesystem stores cannot exist; a whole path
    over `PATH_MAX` can, reached from a directory further down, so it is unavailable.
    """
    if isinstance(error, ValueError) or error.errno in _NOTHING_THERE:
        return ABSENT
    if error.errno == errno.ENAMETOOLONG and len(os.fsencode(path)) < PATH_MAX_BYTES:
        return ABSENT
    return Unavailable(describe(error))
