"""How a stat of a local file becomes its version."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import TypeAlias, cast

from guidefs.values.answer import Version

__all__ = ["GRANULARITY_NANOSECONDS", "HAS_VERSIONS", "Identity", "identity_of", "parsed", "trusted_version"]

GRANULARITY_NANOSECONDS = 10_000_000  # 10 ms
"""How long a timestamp may stand still while a file is written again.

Linux stamps inodes from a clock that ticks with the scheduler, at 100 to 1000 Hz (time(7), "The software clock,
HZ, and jiffies"), unless the filesystem has the multigrain timestamps of Linux 6.13. Two writes inside one tick of at
most 10 ms can look alike, so a timestamp that young proves nothing.
"""

HAS_VERSIONS = os.name != "nt"
"""Whether a stat tells a change at all: on Windows `st_ctime_ns` is the time of creation (Python's `os` module)."""

Identity: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, size, modification and status change in nanoseconds."""

identity_of = cast(
    Callable[[os.stat_result], Identity],
    attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns"),
)
"""The identity in a stat, taken in one step because every question of a batch pays for it."""


def trusted_version(found: os.stat_result, trusted_before: int) -> Version | None:
    """The version of a file, unless it is too fresh to be told from the next one.

    Args:
        found: the stat of a regular file.
        trusted_before: `GRANULARITY_NANOSECONDS` before a clock reading that was made before the stat, in
            nanoseconds since the epoch. Later writes then carry a timestamp after every one that is trusted.
    """
    if not HAS_VERSIONS or max(found.st_mtime_ns, found.st_ctime_ns) >= trusted_before:
        return None
    return Version("-".join(map(str, identity_of(found))))


@lru_cache(maxsize=8_192)
def parsed(version: Version) -> Identity | None:
    """The identity that a version was made from, `None` if it is another provider's.

    Remembered, because comparing numbers is cheaper than formatting each stat of a batch.
    """
    try:
        device, inode, size, modified, changed = map(int, version.split("-"))
    except ValueError:
        return None
    return device, inode, size, modified, changed
