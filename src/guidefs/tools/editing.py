"""The steps of the tool `edit`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from guidefs.errors import (
    AmbiguousEditError,
    EditNotFoundError,
    FileTooLargeError,
    NotObservedError,
    StaleVersionError,
)
from guidefs.storage.provider import Stat
from guidefs.storage.text import BYTE_ORDER_MARK, fingerprint
from guidefs.tools import sentence
from guidefs.tools.argument import check_edit
from guidefs.tools.asking import ask_stat, ask_write, size_before_reading
from guidefs.tools.decoding import StrictDecoder
from guidefs.tools.observation import Identity
from guidefs.tools.outcome import Outcome
from guidefs.tools.replacement import Ambiguous, NoMatch, Replaced, replacement
from guidefs.tools.transfer import WHOLE_FILE_BYTES, transfer

if TYPE_CHECKING:
    from guidefs.storage.provider import Guard
    from guidefs.tools.request import Steps
    from guidefs.tools.target import Target

__all__ = ["editing"]


def editing(target: Target, old: str, new: str, *, replace_all: bool, observed: Identity | None) -> Steps[Outcome]:
    """Replace a piece of a file that is still what the session observed.

    Args:
        target: the file.
        old: the text to replace; it has to occur exactly once unless `replace_all`.
        new: the text to put in its place.
        replace_all: whether every occurrence is replaced.
        observed: what the session knows of the file, `None` if it never read or wrote it.

    Raises:
        ArgumentError: `old` is empty or the same as `new`, or a text cannot be written as UTF-8.
        NotObservedError: the file was not read.
        StaleVersionError: it is not the file any more that was read.
        FileTooLargeError: it is larger than 10 MiB.
        EditNotFoundError: `old` does not occur in it.
        AmbiguousEditError: `old` occurs more than once, without `replace_all`.
        FileError: the backend failed or refused.
    """
    check_edit(old, new)
    whole, guard = yield from _unchanged(target, observed)
    done = _replaced(target, whole.text(), old, new, replace_all=replace_all)
    data = whole.mark() + done.text.encode()
    written = yield from ask_write(target, data, guard)
    times = "1 occurrence" if done.count == 1 else f"{done.count} occurrences"
    return Outcome(f"Replaced {times} in {target.shown}.", Identity(written.version, fingerprint(data)))


def _unchanged(target: Target, observed: Identity | None) -> Steps[tuple[_WholeSink, Guard]]:
    """The whole file, if it is what was observed, with the guard that keeps it so.

    Raises:
        NotObservedError: the file was not read.
        StaleVersionError: it is not the file any more that was read.
    """
    presence = yield from ask_stat(target)
    if observed is None and isinstance(presence, Stat):
        raise NotObservedError(sentence.not_observed(target), path=target.path)
    whole = _WholeSink(target, size_before_reading(presence))
    passed = yield from transfer(target, whole.size, whole)
    if observed is None:
        raise NotObservedError(sentence.not_observed(target), path=target.path)
    intact = not passed.torn and passed.identity.same(observed)
    guard = passed.identity.guard() if intact else None
    if guard is None:
        raise StaleVersionError(sentence.stale(target), path=target.path)
    return whole, guard


class _WholeSink:
    """A sink that holds a whole text of at most 10 MiB."""

    def __init__(self, target: Target, size: int | None) -> None:
        self.size = size
        self._target = target
        self._decoder = StrictDecoder(target.shown, target.path)
        self._parts: list[str] = []
        self._held_bytes = 0
        self._refuse_over(size or 0, size)

    def feed(self, data: bytes, *, final: bool) -> None:
        """Hold the next piece."""
        self._held_bytes += len(data)
        self._refuse_over(self._held_bytes, None)
        self._parts.append(self._decoder.feed(data, final=final))

    def enough(self) -> bool:
        """Never: an edit takes the whole file."""
        return False

    def text(self) -> str:
        """The text, without its byte-order mark."""
        return "".join(self._parts)

    def mark(self) -> bytes:
        """The byte-order mark if the file has one."""
        return BYTE_ORDER_MARK if self._decoder.byte_order_mark else b""

    def _refuse_over(self, size: int, stated: int | None) -> None:
        if size > WHOLE_FILE_BYTES:
            message = sentence.too_large(self._target, stated, WHOLE_FILE_BYTES)
            raise FileTooLargeError(message, path=self._target.path)


def _replaced(target: Target, text: str, old: str, new: str, *, replace_all: bool) -> Replaced:
    outcome = replacement(text, old, new, replace_all=replace_all)
    match outcome:
        case Replaced():
            return outcome
        case NoMatch():
            raise EditNotFoundError(
                f"The text to replace does not occur in {target.shown}, so nothing was written. {_advice(text, old)}",
                path=target.path,
            )
        case Ambiguous(lines, more):
            places = ", ".join(map(str, lines)) + (" and more" if more else "")
            raise AmbiguousEditError(
                f"The text to replace occurs more than once in {target.shown} (from lines {places}), so nothing was "
                "written. Give more of the text around it so that it occurs once, or set replace_all.",
                path=target.path,
            )
        case _:
            assert_never(outcome)


def _advice(text: str, old: str) -> str:
    """What to try next; the usual slips are named."""
    if re.match(r" *\d+\t", old):
        return "It begins with a line number: leave out the numbers, and the tab after them, that read shows."
    if old.strip() and old.strip() in text:
        return "It does occur with other white space around it: copy the white space exactly."
    return "Read the file again and copy the text exactly, white space included."
