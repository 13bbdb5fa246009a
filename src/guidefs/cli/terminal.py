"""Text that cannot do anything to a terminal."""

from __future__ import annotations

import sys
from typing import TextIO

from guidefs.values.path import displayed

__all__ = ["accept_everything", "shown", "shown_lines", "write_lines"]

# C1 controls, of which some terminals take U+009B for the start of an escape sequence (ECMA-48, section 5.3), and the
# characters that reorder a line (Unicode Standard Annex #9, section 2): a name must not look like another one.
_BEYOND_DISPLAYED = (*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: f"\\u{code:04x}" for code in _BEYOND_DISPLAYED}


def shown(text: str) -> str:
    """One line of text with each character that could act on a terminal as `\\uxxxx`; tabs stay."""
    return "\t".join(displayed(part) for part in text.split("\t")).translate(_ESCAPES)


def shown_lines(text: str) -> str:
    """The same for text whose line feeds are meant."""
    return "\n".join(shown(line) for line in text.split("\n"))


def accept_everything(stream: TextIO) -> None:
    """Make a stream write a stand-in for a character that its encoding lacks, instead of raising an error."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def write_lines(lines: list[str], stream: TextIO | None = None) -> None:
    """Write lines that may hold anything, to standard error unless another stream is named."""
    out = sys.stderr if stream is None else stream
    out.write("".join(f"{shown(line)}\n" for line in lines))
