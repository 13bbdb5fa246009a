"""The check that a workspace directory can be used, made before any tool runs in it."""

from __future__ import annotations

import os
import stat

from guidefs.errors import AccessDeniedError, NotADirectoryFileError, NotFoundError
from guidefs.storage.failures import translated
from guidefs_local.permission import is_accessible

__all__ = ["check_directory"]


def check_directory(path: str) -> None:
    """Check that a path is a directory that can be listed and entered.

    Any other failure to examine it is a `FileInputOutputError`.

    Raises:
        NotFoundError: it does not exist.
        NotADirectoryFileError: it is something else.
        AccessDeniedError: it cannot be listed or entered by this process.
    """
    workspace = f"the workspace directory {path!r}"
    denied = f"{workspace} cannot be read by this process; grant read and search permission on it"
    with translated(path):
        try:
            found = os.stat(path)
        except FileNotFoundError as error:
            raise NotFoundError(f"{workspace} does not exist; create it or correct the path", path=path) from error
        except NotADirectoryError as error:
            raise NotADirectoryFileError(f"{workspace} leads through a file; correct the path", path=path) from error
        except PermissionError as error:
            raise AccessDeniedError(denied, path=path) from error
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryFileError(f"{workspace} is a file; name the directory that holds it", path=path)
    if not is_accessible(path, os.R_OK | os.X_OK):
        raise AccessDeniedError(denied, path=path)
