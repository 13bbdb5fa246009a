"""The strict decoding of a file that arrives in pieces."""

from __future__ import annotations

import codecs

from guidefs.errors import NotTextError
from guidefs.storage.text import NUL_WINDOW_BYTES

__all__ = ["StrictDecoder"]


class StrictDecoder:
    """Turns the bytes of one file into text, piece by piece, by the rules of `guidefs.storage.text.decode`.

    The codec `utf-8-sig` is no substitute: its incremental decoder drops a file that ends inside the byte-order
    mark without an error.

    Args:
        shown: the file's name for messages.
        path: the file as the caller named it.

    Attributes:
        byte_order_mark: whether the file begins with one; it is not part of the text.
    """

    def __init__(self, shown: str, path: str) -> None:
        self.byte_order_mark = False
        self._shown = shown
        self._path = path
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._seen_bytes = 0
        self._text_begun = False

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Decode the next piece.

        Args:
            data: the next bytes of the file.
            final: whether the file ends with them.

        Raises:
            NotTextError: a NUL among the first 8,192 bytes, or bytes that are not UTF-8.
        """
        self._refuse_nul(data)
        pending = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            place = self._seen_bytes - pending + error.start
            raise self._refusal(f"the byte at offset {place} is not UTF-8") from error
        self._seen_bytes += len(data)
        return self._without_mark(text)

    def _refuse_nul(self, data: bytes) -> None:
        found = data.find(b"\0", 0, max(0, NUL_WINDOW_BYTES - self._seen_bytes))
        if found >= 0:
            raise self._refusal(f"the byte at offset {self._seen_bytes + found} is a NUL")

    def _without_mark(self, text: str) -> str:
        if self._text_begun or not text:
            return text
        self._text_begun = True
        self.byte_order_mark = text.startswith("\ufeff")
        return text.removeprefix("\ufeff")

    def _refusal(self, reason: str) -> NotTextError:
        return NotTextError(
            f"{self._shown} is not text: {reason}. The file tools work on UTF-8 text only.", path=self._path
        )
