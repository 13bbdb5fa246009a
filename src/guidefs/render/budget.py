"""The largest message that fits a byte budget, most specific file first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from guidefs.render.frame import SEPARATOR, escaped, framed
from guidefs.render.wording import BASELINE_INTRO, COMPACT_INTRO, budget_notice
from guidefs.values.path import displayed

__all__ = ["Block", "DoesNotFit", "Fitted", "Rendering", "fit", "fit_baseline"]


# The frame around an empty body; the first block has no separator before it.
_FRAME_BYTES: Final = len(framed(())[0]) - len(SEPARATOR)


@dataclass(frozen=True, slots=True)
class Block:
    """What one message says about one file.

    Args:
        path: the path as notices name it.
        heading: everything above the text.
        text: the text of the file, which may be cut; `None` for a removal, which may not.
    """

    path: str
    heading: str
    text: str | None

    def cut(self, text: str) -> str:
        """The block with another text in place of its own."""
        return f"{self.heading}\n\n{text}"

    def whole(self) -> str:
        """The block as it stands when everything fits."""
        return self.heading if self.text is None else self.cut(self.text)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A message within the budget.

    Args:
        text: the framed message.
        body: the same without the frame.
        rendered: for each block, whether its content survived: a removal that is shown, a text of which at least one
            byte is shown, or an empty text that is shown.
        cut_bytes: how many bytes of the last block's text are shown, where it was cut; `None` where it was not.
    """

    text: str
    body: str
    rendered: tuple[bool, ...]
    cut_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class DoesNotFit:
    """Nothing of it fits the budget, so there is no message."""


Rendering: TypeAlias = Fitted | DoesNotFit


def fit(blocks: Sequence[Block], max_bytes: float, *, intro: Sequence[str] = ()) -> Rendering:
    """Render blocks within a budget.

    Whole files are dropped from the front until the rest fits; if not even the last one alone fits, its text is cut.

    Args:
        blocks: the files, broadest first; at least one.
        max_bytes: the budget of the framed message, in UTF-8 bytes.
        intro: blocks that stand before the files and are never dropped.
    """
    return _fit_whole(blocks, max_bytes, intro) or _fit_cut(blocks, max_bytes, intro) or DoesNotFit()


def fit_baseline(blocks: Sequence[Block], max_bytes: float, *, preface: Sequence[str] = ()) -> Rendering:
    """Render a baseline within a budget.

    Where the introduction leaves no room for any text a shorter one takes its place, and where even that leaves none
    the notice stands alone.

    Args:
        blocks: the files, broadest first; at least one.
        max_bytes: the budget of the framed message, in UTF-8 bytes.
        preface: blocks that stand before the introduction.
    """
    intro, short = (*preface, BASELINE_INTRO), (*preface, COMPACT_INTRO)
    return (
        _fit_whole(blocks, max_bytes, intro)
        or _fit_cut(blocks, max_bytes, intro)
        or _fit_cut(blocks, max_bytes, short)
        or _notice_alone(blocks, max_bytes)
        or DoesNotFit()
    )


def _fit_whole(blocks: Sequence[Block], max_bytes: float, intro: Sequence[str]) -> Fitted | None:
    # The delimiter holds no line break, so escapes stay within a block and the sizes of blocks add up. A long chain is
    # thus rendered once, not once for each file that is dropped.
    joined = sum(map(_joined_bytes, blocks_text := [block.whole() for block in blocks]))
    fixed = _FRAME_BYTES + sum(map(_joined_bytes, intro))
    for first in range(len(blocks)):
        notice = [] if first == 0 else [budget_notice(max_bytes, [b.path for b in blocks[:first]], None)]
        if fixed + joined + sum(map(_joined_bytes, notice)) <= max_bytes:
            text, body = framed((*notice, *intro, *blocks_text[first:]))
            return Fitted(text, body, tuple(position >= first for position in range(len(blocks))))
        joined -= _joined_bytes(blocks_text[first])
    return None


def _fit_cut(blocks: Sequence[Block], max_bytes: float, intro: Sequence[str]) -> Fitted | None:
    """Cut the last text to the longest length that fits, by the search that makes lengths reproducible.

    What fits is not monotonic in the length, since the notice's digits and the escapes vary with it, so the order of
    the tries is part of the format.
    """
    last = blocks[-1]
    if last.text is None:
        return None
    data = last.text.encode("utf-8", "surrogatepass")
    best = _cut_message(blocks, data, 0, max_bytes, intro)
    found = best if _fits(best.text, max_bytes) else None
    low, high = 0, len(data)
    while low <= high:
        middle = (low + high) // 2
        tried = _cut_message(blocks, data, middle, max_bytes, intro)
        if _fits(tried.text, max_bytes):
            found, low = tried, middle + 1
        else:
            high = middle - 1
    return found


def _cut_message(blocks: Sequence[Block], data: bytes, length: int, max_bytes: float, intro: Sequence[str]) -> Fitted:
    omitted, last = [block.path for block in blocks[:-1]], blocks[-1]
    kept = _code_point_prefix(data, length)
    truncated = None
    if len(kept) < len(data):
        truncated = f"truncated {displayed(last.path)} from {len(data)} to {len(kept)} bytes"
    notice = [budget_notice(max_bytes, omitted, truncated)] if omitted or truncated else []
    text, body = framed((*notice, *intro, last.cut(kept.decode("utf-8", "surrogatepass"))))
    survived = len(kept) > 0 or not data
    return Fitted(text, body, (*([False] * len(omitted)), survived), len(kept) if truncated else None)


def _notice_alone(blocks: Sequence[Block], max_bytes: float) -> Fitted | None:
    last = blocks[-1]
    size = len((last.text or "").encode("utf-8", "surrogatepass"))
    omitted = [block.path for block in (blocks[:-1] if size else blocks)]
    truncated = f"truncated {displayed(last.path)} from {size} to 0 bytes" if size else None
    text, body = framed([budget_notice(max_bytes, omitted, truncated)])
    if not _fits(text, max_bytes):
        return None
    return Fitted(text, body, (False,) * len(blocks), 0 if size else None)


def _joined_bytes(block: str) -> int:
    """The bytes that a block adds to a message, the separator before it included."""
    return len(escaped(block).encode("utf-8", "surrogatepass")) + len(SEPARATOR)


def _fits(text: str, max_bytes: float) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) <= max_bytes


def _code_point_prefix(data: bytes, length: int) -> bytes:
    """The longest prefix of at most `length` bytes that ends between two code points (RFC 3629, section 3)."""
    while 0 < length < len(data) and data[length] & 0xC0 == 0x80:
        length -= 1
    return data[:length]
