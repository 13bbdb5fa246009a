"""The window of numbered lines that one reading shows of a text."""

from __future__ import annotations

from typing import Literal

from guidefs.tools.page import MAX_LINE_CHARACTERS, MAX_PAGE_BYTES, Page, PastEnd

__all__ = ["LineWindow"]


class LineWindow:
    """Collects the wanted lines of a text that arrives in pieces; holds nothing else of it.

    A line ends at LF or CR LF (a lone CR is an ordinary character, as it is for `grep -n`), the last one also at the
    end of the text.

    Args:
        offset: the number of the first wanted line, at least 1.
        limit: how many lines are wanted, at least 1.
    """

    def __init__(self, *, offset: int, limit: int) -> None:
        self._offset = offset
        self._limit = limit
        self._rows: list[str] = []
        self._rows_bytes = 0
        self._closed_by: Literal["limit", "bytes"] | None = None
        self._any_cut = False
        self._ended_lines = 0
        self._head = ""
        self._length = 0
        self._last_character = ""

    def feed(self, text: str) -> None:
        """Take the next piece of the text."""
        position = self._skip(text)
        while self._collecting:
            end = text.find("\n", position)
            if end < 0:
                break
            self._extend(text, position, end)
            self._end_line(newline=True)
            position = end + 1
        if self._collecting:
            self._extend(text, position, len(text))
        else:
            self._pass_over(text, position)

    def enough(self) -> bool:
        """Whether the window is complete and known to be followed by another line."""
        return self._closed_by is not None and self._known_lines > self._last

    def finish(self, *, at_end: bool) -> Page | PastEnd:
        """Close the window.

        Args:
            at_end: whether the text has ended; if not, `enough` has to hold.
        """
        final_newline = self._length == 0
        if at_end and self._length and self._collecting:
            self._end_line(newline=False)
        total = self._known_lines
        if self._offset > max(total, 1):
            return PastEnd(total)
        return Page(
            rows=tuple(self._rows),
            first=self._offset,
            total=total if at_end else None,
            closed_by=self._closed_by if total > self._last else None,
            final_newline=final_newline,
            any_cut=self._any_cut,
        )

    @property
    def _known_lines(self) -> int:
        return self._ended_lines + (1 if self._length else 0)

    @property
    def _last(self) -> int:
        """The number of the last line that the window shows."""
        return self._offset + len(self._rows) - 1

    @property
    def _collecting(self) -> bool:
        """Whether the line that has not ended yet is wanted."""
        return self._closed_by is None and self._ended_lines + 1 >= self._offset

    def _skip(self, text: str) -> int:
        """Pass over the lines before the window; return where in the piece the window begins or goes on."""
        missing = self._offset - 1 - self._ended_lines
        if self._closed_by is not None or missing <= 0:
            return 0
        if text.count("\n") < missing:
            self._pass_over(text, 0)
            return len(text)
        self._ended_lines += missing
        self._head, self._length = "", 0
        return _after_newlines(text, missing)

    def _pass_over(self, text: str, position: int) -> None:
        """Count the lines from a position of the piece on without looking at them."""
        newlines = text.count("\n", position)
        if newlines:
            self._ended_lines += newlines
            self._length = 0
            position = text.rindex("\n") + 1
        self._length += len(text) - position

    def _extend(self, text: str, start: int, end: int) -> None:
        """Add a part of the piece to the line that has not ended; no more is kept of it than can be shown."""
        room = MAX_LINE_CHARACTERS - len(self._head)
        self._head += text[start : min(end, start + room)]
        self._length += end - start
        if end > start:
            self._last_character = text[end - 1]

    def _end_line(self, *, newline: bool) -> None:
        """Add the line that has just ended to the window, or close the window if the line does not fit."""
        length = self._length
        if newline and length and self._last_character == "\r":
            length -= 1
        self._ended_lines += 1
        row = self._row(length)
        self._head, self._length = "", 0
        row_bytes = len(row.encode()) + 1
        if self._rows_bytes + row_bytes > MAX_PAGE_BYTES:
            self._closed_by = "bytes"
            return
        self._rows.append(row)
        self._rows_bytes += row_bytes
        if len(self._rows) == self._limit:
            self._closed_by = "limit"

    def _row(self, length: int) -> str:
        """The line that has just ended as it is shown, with its number."""
        shown = self._head[: min(length, MAX_LINE_CHARACTERS)]
        self._any_cut = self._any_cut or length > len(shown)
        cut = f" [cut: {len(shown)} of {length} characters]" if length > len(shown) else ""
        return f"{self._ended_lines:>6}\t{shown}{cut}"


def _after_newlines(text: str, count: int) -> int:
    """The position after the `count`-th LF of a text that has so many, found by halving."""
    low, high = 0, len(text)
    while high - low > 1:
        middle = (low + high) // 2
        before = text.count("\n", low, middle)
        if before >= count:
            high = middle
        else:
            low = middle
            count -= before
    return high
