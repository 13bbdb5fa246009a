"""What the error of a request says about the object that was asked for."""

from __future__ import annotations

from typing import Final

from guidefs_s3.reply import Failed, Missing, NotModified, Refused
from guidefs_s3.sdk import ClientError

__all__ = ["code_of", "get_fault", "is_unsatisfiable", "is_wordless", "list_fault", "status_of"]

_REFUSALS: Final = frozenset({"AccessDenied", "AllAccessDisabled", "MethodNotAllowed", "NotImplemented"})
"""Codes that refuse the kind of request; expired or wrong credentials have others, and fail whatever is asked."""


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error came from; `None` if there was no reply."""
    response = _response(error)
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status if isinstance(status, int) else None


def code_of(error: BaseException) -> str:
    """The code of the service's error, such as `NoSuchKey`; empty if there was no reply.

    The SDK puts the status in its place where the reply names none.
    """
    return str(_response(error).get("Error", {}).get("Code", ""))


def is_unsatisfiable(error: BaseException) -> bool:
    """Whether the range that was asked for begins behind the last byte; for byte 0, that the object is empty."""
    return status_of(error) == 416


def is_wordless(error: BaseException) -> bool:
    """Whether this is a 404 without the service's own word for what is missing, or with one that cannot be parsed."""
    return status_of(error) == 404 and not code_of(error).startswith("NoSuch")


def get_fault(error: Exception) -> NotModified | Missing | Failed:
    """What the error of a conditional GET means.

    Only `NoSuchKey` is an absence. A 404 without that code may come from something in between that is not the store
    at all; a missing bucket takes everything with it, which no edit of a file does; and a 403 is what AWS answers for
    missing keys too where listing is not allowed (Amazon S3 API reference, GetObject, "Permissions").
    """
    status = status_of(error)
    if status == 304:
        return NotModified()
    if status == 404 and code_of(error) == "NoSuchKey":
        return Missing()
    return Failed(error)


def list_fault(error: Exception) -> Refused | Failed:
    """What the error of a LIST means."""
    return Refused(error) if code_of(error) in _REFUSALS else Failed(error)


def _response(error: BaseException) -> dict[str, dict[str, object]]:
    source = error if isinstance(error, ClientError) else error.__cause__
    response = getattr(source, "response", None)
    return response if isinstance(response, dict) else {}
