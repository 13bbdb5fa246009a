"""Which symbolic links the provider follows when it loads instructions."""

from __future__ import annotations

import errno
import os
from typing import Literal, TypeAlias, get_args

from guidefs.errors import ConfigurationError

__all__ = ["LinkPolicy", "Symlinks", "path_of"]

Symlinks: TypeAlias = Literal["follow", "contained", "refuse"]

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


class LinkPolicy:
    """Decides whether the file that a path leads to may be read.

    Args:
        symlinks: `follow` takes every link. `contained` takes those whose real path stays under `root`. `refuse`
            takes none below `root`; for a path outside it, or without a `root`, none in the last component.
        root: the directory that contains the candidates, itself resolved anew at each look.

    Raises:
        ConfigurationError: another value of `symlinks`, or `contained` without a `root`.
    """

    def __init__(self, symlinks: Symlinks, root: str | None) -> None:
        if symlinks not in get_args(Symlinks):
            known = ", ".join(map(repr, get_args(Symlinks)))
            raise ConfigurationError(f"symlinks is {symlinks!r}; use one of {known}")
        if symlinks == "contained" and root is None:
            raise ConfigurationError("symlinks is 'contained' without a root; add root=<directory>")
        self._symlinks = symlinks
        self._root = None if root is None else os.path.abspath(os.path.expanduser(root))
        self.follows = symlinks == "follow"
        self.open_flags = _NO_FOLLOW if symlinks == "refuse" else 0

    def objection(self, path: str, real: str) -> str | None:
        """Why the file may not be read, `None` if it may.

        Args:
            path: the path as it was asked for.
            real: the path of the same file with every link resolved.
        """
        if self.follows:
            return None
        root = None if self._root is None else os.path.realpath(self._root)
        if self._symlinks == "contained" and root is not None:
            return None if _is_within(real, root) else f"{path!r} leads out of {root!r}, and symlinks is 'contained'"
        return None if real == self._unlinked(path, root) else f"{path!r} is a link, and symlinks is 'refuse'"

    def refuses(self, error: OSError | ValueError) -> bool:
        """Whether opening failed because a link took the file's place, and none may be followed."""
        return self.open_flags != 0 and isinstance(error, OSError) and error.errno == errno.ELOOP

    def _unlinked(self, path: str, root: str | None) -> str:
        absolute = os.path.abspath(path)
        if root is not None and self._root is not None and _is_within(absolute, self._root):
            return os.path.normpath(os.path.join(root, os.path.relpath(absolute, self._root)))
        return os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))


def path_of(descriptor: int, path: str) -> str:
    """The real path of an open file.

    The kernel's own record (proc(5), `/proc/pid/fd`) cannot be raced by somebody who swaps directories; where there
    is none, the path is resolved again.
    """
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return os.path.realpath(path)


def _is_within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)
