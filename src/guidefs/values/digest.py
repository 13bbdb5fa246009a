"""The identity of a text: as kept, as trimmed, as framed."""

from __future__ import annotations

import hashlib
from typing import Final

import xxhash

__all__ = ["ECMASCRIPT_WHITE_SPACE", "RunningDigest", "digest", "frame_fingerprint", "trimmed_digest"]

ECMASCRIPT_WHITE_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""WhiteSpace and LineTerminator of ECMA-262, sections 12.2 and 12.3, which `String.prototype.trim` removes."""


def digest(text: str) -> str:
    """The SHA-1 of a text as UTF-8, in hexadecimal: the identity that metadata persists, not a safeguard."""
    return hashlib.sha1(_encoded(text), usedforsecurity=False).hexdigest()


class RunningDigest:
    """The digest of a text that arrives in pieces."""

    def __init__(self) -> None:
        self._hash = hashlib.sha1(usedforsecurity=False)

    def feed(self, text: str) -> None:
        """Take the next piece."""
        self._hash.update(_encoded(text))

    def value(self) -> str:
        """The digest of all pieces so far, as `digest` gives it for the whole."""
        return self._hash.hexdigest()


def trimmed_digest(text: str) -> str:
    """The digest of a text without leading and trailing ECMAScript white space: the duplicate key of a directory."""
    return digest(text.strip(ECMASCRIPT_WHITE_SPACE))


def frame_fingerprint(rendered: str) -> str:
    """The `xxh3:` fingerprint by which a rendered message is found again: 32 hexadecimal digits of xxh3-128."""
    return f"xxh3:{xxhash.xxh3_128_hexdigest(_encoded(rendered))}"


def _encoded(text: str) -> bytes:
    # A host may hand over text with lone surrogates; it has to have an identity too.
    return text.encode("utf-8", "surrogatepass")
