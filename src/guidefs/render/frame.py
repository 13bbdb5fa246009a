"""The frame that marks a message as guidance, which nothing inside can close."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from guidefs.render.wording import CLOSE, OPEN

__all__ = ["SEPARATOR", "escaped", "framed", "frames", "strip", "unframed"]

SEPARATOR: Final = "\n\n"
_ESCAPED_CLOSE: Final = "<\\/system-reminder>"
_FRAME: Final = re.compile(
    f"{re.escape(OPEN)}\n.*?\n{re.escape(CLOSE)}",
    re.DOTALL,
)


def escaped(body: str) -> str:
    """The body with each literal closing delimiter made harmless, wherever it came from."""
    return body.replace(CLOSE, _ESCAPED_CLOSE)


def framed(blocks: Iterable[str]) -> tuple[str, str]:
    """Join blocks by one empty line each.

    Returns:
        The framed message, and the escaped body without the frame.
    """
    body = escaped(SEPARATOR.join(blocks))
    return f"{OPEN}\n{body}\n{CLOSE}", body


def unframed(message: str) -> str:
    """The body of a framed message."""
    return message.removeprefix(f"{OPEN}\n").removesuffix(f"\n{CLOSE}")


def frames(text: str) -> list[str]:
    """Everything in a text that is framed, ours or another's, in order."""
    return _FRAME.findall(text)


def strip(text: str) -> str:
    """The text without anything framed, for a user interface; blank lines left at a border are closed up."""
    return re.sub(rf"\n*{_FRAME.pattern}", "", text, flags=re.DOTALL)
