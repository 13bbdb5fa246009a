"""How the text of a call follows the result of a tool."""

from __future__ import annotations

__all__ = ["attached"]


def attached(result: str, text: str) -> str:
    """A tool's result with a call's text after it, an empty line between them where both say something."""
    return "\n\n".join(filter(None, (result, text)))
