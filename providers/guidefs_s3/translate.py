"""The typed errors of file operations for what the SDK raises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from guidefs.errors import GuideError
from guidefs.storage.failures import file_error
from guidefs_s3.sdk import FAILURES

__all__ = ["translated"]


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn the SDK's errors about one file into typed ones; cancellation and mistakes pass.

    Args:
        path: the file, as the caller named it.

    Raises:
        GuideError: what was typed already, or a `FileError` that chains what the SDK raised.
    """
    try:
        yield
    except GuideError:
        raise
    except FAILURES as error:
        typed = file_error(error, path)
        raise typed from error
