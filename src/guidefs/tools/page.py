"""A page of numbered lines with a footer that says how to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["MAX_FOOTER_BYTES", "MAX_LINES", "MAX_LINE_CHARACTERS", "MAX_PAGE_BYTES", "Page", "PastEnd"]

MAX_LINES = 2_000
MAX_LINE_CHARACTERS = 2_000
MAX_PAGE_BYTES = 51_200  # 50 KiB, numbers and line ends included, footer not
MAX_FOOTER_BYTES = 256


@dataclass(frozen=True, slots=True)
class PastEnd:
    """The window begins after the last line.

    Args:
        total: how many lines the text has.
    """

    total: int


@dataclass(frozen=True, slots=True)
class Page:
    """The lines that a window shows.

    Args:
        rows: the lines as they are shown, numbers included.
        first: the number of the first one.
        total: how many lines the text has, `None` where it was not read to its end.
        closed_by: why the page ends before the text does, `None` where it does not.
        final_newline: whether the text ends with a line end; without meaning where `total` is `None`.
        any_cut: whether a line was too long to be shown whole.
    """

    rows: tuple[str, ...]
    first: int
    total: int | None
    closed_by: Literal["limit", "bytes"] | None
    final_newline: bool
    any_cut: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the page shows every character of the text."""
        return self.first == 1 and self.total is not None and self.closed_by is None and not self.any_cut

    @property
    def next_offset(self) -> int | None:
        """The number of the first line that a next page has to show, `None` at the end of the text."""
        return None if self.closed_by is None else self.first + len(self.rows)

    def text(self) -> str:
        """The page as a model gets it: at most 51,200 bytes of lines, then a footer of at most 256 bytes."""
        return "\n".join([*self.rows, self._footer()])

    def _footer(self) -> str:
        if self.next_offset is not None:
            total = "" if self.total is None else f" of {self.total}"
            why = f", as many as {MAX_PAGE_BYTES} bytes hold" if self.closed_by == "bytes" else ""
            return f"[lines {self.first} to {self.next_offset - 1}{total}{why}; go on with offset={self.next_offset}]"
        if not self.rows:
            return "[the file is empty]"
        lines = "1 line" if self.total == 1 else f"{self.total} lines"
        return f"[end of the file: {lines}{'' if self.final_newline else ', no line end after the last'}]"
