"""Whether a local file is still the one that a guard speaks of."""

from __future__ import annotations

import os
import stat

from guidefs.errors import NotRegularFileError
from guidefs.storage.provider import IfContent, IfVersion
from guidefs.storage.text import stream_fingerprint
from guidefs_local.identity import identity_of, parsed
from guidefs_local.reading import opened, pieces

__all__ = ["Expectation"]


class Expectation:
    """The file that a guarded write is to replace.

    Args:
        guard: the version or the content that it has to have.
    """

    def __init__(self, guard: IfVersion | IfContent) -> None:
        self._guard = guard
        self._identity = parsed(guard.version) if isinstance(guard, IfVersion) else None

    def met_by(self, path: str) -> os.stat_result | None:
        """The stat of the file if it is the expected one, `None` if it is another or gone; `OSError` if unknown."""
        try:
            if isinstance(self._guard, IfContent):
                return self._content_met_by(path)
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError, NotRegularFileError):
            return None
        return found if stat.S_ISREG(found.st_mode) and identity_of(found) == self._identity else None

    def met_by_displaced(self, path: str) -> bool:
        """Whether the expected file now has this other name.

        Renaming sets the change time of a file on the usual filesystems, so of a version only the rest can be
        compared. That suffices for the moment between two looks: whatever was written then has a later modification
        time, because versions are given to settled files only. `OSError` if it cannot be examined.
        """
        if isinstance(self._guard, IfContent):
            return self.met_by(path) is not None
        found = os.lstat(path)
        expected = self._identity
        return expected is not None and stat.S_ISREG(found.st_mode) and identity_of(found)[:4] == expected[:4]

    def _content_met_by(self, path: str) -> os.stat_result | None:
        with opened(path, getattr(os, "O_NOFOLLOW", 0)) as (descriptor, found):
            same = stream_fingerprint(pieces(descriptor)) == getattr(self._guard, "fingerprint", None)
        return found if same else None
