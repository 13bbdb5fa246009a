"""The unit of state: one instruction file name in one directory."""

from __future__ import annotations

from typing import Final, NamedTuple

from guidefs.values.path import normalise

__all__ = ["PROJECT_ROOT", "USER_GLOBAL", "Scope", "directory_key", "directory_path"]

USER_GLOBAL: Final = "user-global"
"""The directory part of the one file that does not lie in the project."""

PROJECT_ROOT: Final = "."
"""The directory part of the project root."""

_ESCAPED_USER_GLOBAL: Final = "./user-global"


class Scope(NamedTuple):
    """One (directory, candidate) pair.

    A named tuple, since hundreds are hashed on each touch.

    Args:
        directory: `user-global`, `.` for the project root, or the `/`-separated path below it; a project directory
            that is itself named `user-global` is `./user-global`.
        candidate: the file name looked for.
    """

    directory: str
    candidate: str

    def serialised(self) -> str:
        """The form that metadata holds: both parts with one U+0000 between."""
        return f"{self.directory}\0{self.candidate}"

    @classmethod
    def parse(cls, serialised: str) -> Scope | None:
        """Read the serialised form; `None` unless it holds exactly one U+0000."""
        directory, separator, candidate = serialised.partition("\0")
        return cls(directory, candidate) if separator and "\0" not in candidate else None


def directory_key(relative: str) -> str:
    """The directory part of a scope for a directory given relative to the project root."""
    return _ESCAPED_USER_GLOBAL if relative == USER_GLOBAL else relative


def directory_path(key: str) -> str | None:
    """The directory that a scope's directory part names, relative to the project root.

    `None` for `user-global`, and for what does not name a directory below the root: an absolute path, or one that
    climbs out. Metadata from a log may hold anything, so this is where such names end.
    """
    if key == USER_GLOBAL or key.startswith("/"):
        return None
    depth = 0
    for part in key.split("/"):
        depth += -1 if part == ".." else 0 if part in {"", "."} else 1
        if depth < 0:
            return None
    return normalise(key) or PROJECT_ROOT
