"""What s3fs brings along, or the error that names the extra which installs it."""

from __future__ import annotations

from http.client import HTTPException
from typing import Final

from guidefs.errors import MissingExtraError

try:
    from aiohttp import ClientError as TransportError
    from botocore import UNSIGNED
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError
    from s3fs import S3FileSystem
except ImportError as error:
    raise MissingExtraError("S3 needs s3fs, which is not installed: pip install 'guidefs[s3]'") from error

__all__ = ["FAILURES", "UNSIGNED", "ClientError", "S3FileSystem"]

FAILURES: Final[tuple[type[Exception], ...]] = (
    OSError,
    EOFError,
    # Replies that break the SDK's own code: numbers and dates that cannot be parsed, or a 304 with a checksum in its
    # head, as `rclone serve s3` sends it.
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    BotoCoreError,
    ClientError,
    ResponseParserError,
    TransportError,
    HTTPException,
)
"""What a request to S3 may end in because of the network, the service or its reply.

`RuntimeError` is left out on purpose: it is how asyncio and aiohttp report a client that is used on a wrong or closed
event loop, and such a mistake must reach the caller instead of passing for a backend that is down.
"""
