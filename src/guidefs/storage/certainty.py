"""What an exception of an unknown filesystem proves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["is_absence", "is_empty_range"]

_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
_NOT_FOUND = frozenset({404, 410})  # RFC 9110, sections 15.5.5 and 15.5.11
_RANGE_NOT_SATISFIABLE = 416  # RFC 9110, section 15.5.17


def is_absence(error: Exception) -> bool:
    """Whether an exception proves that there is no regular file of the name.

    Some filesystems turn every failure, a time-out too, into `FileNotFoundError`. They chain the original; the
    absence is certain only if that original says so as well, by its type or by an HTTP status.
    """
    if not isinstance(error, _ABSENT):
        return False
    cause = error.__cause__
    return cause is None or isinstance(cause, (*_ABSENT, KeyError)) or _status(cause) in _NOT_FOUND


def is_empty_range(error: Exception) -> bool:
    """Whether an exception says that a range begins at or after the end of the file, as any range of an empty one does.

    It comes as the HTTP status 416 or, where that was translated away, by its reason phrase.
    """
    chain: list[BaseException] = [error] if error.__cause__ is None else [error, error.__cause__]
    return any(_status(link) == _RANGE_NOT_SATISFIABLE or "not satisfiable" in str(link).lower() for link in chain)


def _status(error: BaseException) -> object:
    """The HTTP status in an exception of aiohttp (`status`), Azure (`status_code`), Google (`code`) or botocore."""
    for name in ("status", "status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int):
            return value
    response: Any = getattr(error, "response", None)
    if isinstance(response, Mapping):
        return response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return None
