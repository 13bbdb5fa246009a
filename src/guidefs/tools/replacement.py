"""The replacement of a piece of text that leaves every other character of it alone."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Ambiguous", "NoMatch", "Replaced", "Replacement", "on_lf", "replacement"]

NAMED_LINES = 5
"""How many places an ambiguous match names."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """The replacement took place.

    Args:
        text: the whole new text.
        count: how many matches were replaced, at least 1.
    """

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class NoMatch:
    """The text to replace does not occur."""


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The text to replace occurs more than once, where once was asked for.

    Args:
        lines: the numbers of the lines in which the first matches begin, at most five, in order.
        more: whether there are matches beyond those.
    """

    lines: tuple[int, ...]
    more: bool


Replacement: TypeAlias = Replaced | NoMatch | Ambiguous
"""The outcomes of an edit of a text."""


def replacement(text: str, old: str, new: str, *, replace_all: bool) -> Replacement:
    """Replace `old` by `new`.

    Line ends match whatever they are: CR LF counts as LF in all three texts (a lone CR is an ordinary character).
    What is put in gets the line end that most lines of `text` have, LF if as many have either; in a text without
    line ends it is put in as given. Every character outside the matches stays, odd line ends included.

    Args:
        text: the whole text.
        old: what to look for; not empty.
        new: what to put in its place.
        replace_all: whether every match is replaced, from left to right without overlap; otherwise there has to be
            exactly one, overlapping ones counted.
    """
    plain = on_lf(text)
    sought = on_lf(old)
    if not replace_all:
        found = _overlapping(plain, sought, NAMED_LINES + 1)
        if len(found) > 1:
            lines = tuple(plain.count("\n", 0, start) + 1 for start in found[:NAMED_LINES])
            return Ambiguous(lines, more=len(found) > NAMED_LINES)
    count = plain.count(sought)
    if count == 0:
        return NoMatch()
    return Replaced(_spliced(text, plain, sought, _with_line_end_of(text, new)), count)


def on_lf(text: str) -> str:
    """A text with every CR LF written as LF."""
    return text.replace("\r\n", "\n")


def _overlapping(plain: str, sought: str, bound: int) -> list[int]:
    """Where the first matches begin, overlapping ones counted, at most `bound` of them."""
    found: list[int] = []
    start = plain.find(sought)
    while start >= 0 and len(found) < bound:
        found.append(start)
        start = plain.find(sought, start + 1)
    return found


def _with_line_end_of(text: str, new: str) -> str:
    """What is to be put in, with the dominant line end of the text."""
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    if windows == unix == 0:
        return new
    return on_lf(new).replace("\n", "\r\n") if windows > unix else on_lf(new)


def _spliced(text: str, plain: str, sought: str, new: str) -> str:
    """The text with every match replaced; matches are found in `plain`, where each CR LF is one character."""
    pairs = array("Q", (pair.start() - index for index, pair in enumerate(re.finditer("\r\n", text))))
    parts: list[str] = []
    kept = 0
    for start in _disjoint(plain, sought):
        end = start + len(sought)
        parts += (text[kept : start + bisect_left(pairs, start)], new)
        kept = end + bisect_left(pairs, end)
    return "".join([*parts, text[kept:]])


def _disjoint(plain: str, sought: str) -> Iterator[int]:
    """Where the matches begin, from left to right without overlap."""
    start = plain.find(sought)
    while start >= 0:
        yield start
        start = plain.find(sought, start + len(sought))
