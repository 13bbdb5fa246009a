"""The steps of the tool `read`."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from guidefs.errors import ArgumentError
from guidefs.tools.argument import check_window
from guidefs.tools.asking import ask_stat, size_before_reading
from guidefs.tools.decoding import StrictDecoder
from guidefs.tools.outcome import Outcome
from guidefs.tools.page import Page, PastEnd
from guidefs.tools.transfer import transfer
from guidefs.tools.window import LineWindow
from guidefs.values.digest import RunningDigest

if TYPE_CHECKING:
    from guidefs.tools.request import Steps
    from guidefs.tools.target import Target

__all__ = ["reading"]

_TORN_NOTE = "[the file was changed while it was being read: lines may not belong together; read it again]"


def reading(target: Target, *, offset: int, limit: int) -> Steps[Outcome]:
    """Read a window of lines and observe the whole file's identity.

    Args:
        target: the file.
        offset: the number of the first line to show, from 1.
        limit: how many lines to show at most, 1 to 2,000.

    Raises:
        ArgumentError: `offset` or `limit` is out of range, or `offset` is past the end.
        FileError: the file cannot be read, or is not text.
    """
    check_window(offset, limit)
    presence = yield from ask_stat(target)
    sink = _PageSink(target, LineWindow(offset=offset, limit=limit))
    passed = yield from transfer(target, size_before_reading(presence), sink)
    match sink.page():
        case PastEnd(total):
            raise ArgumentError(_past_end(target, offset, total))
        case Page() as page:
            text = f"{page.text()}\n{_TORN_NOTE}" if passed.torn else page.text()
            return Outcome(text, passed.identity, sink.digest() if page.is_whole and not passed.torn else None)
        case _ as never:
            assert_never(never)


class _PageSink:
    """A sink that decodes a file into a window of its lines."""

    def __init__(self, target: Target, window: LineWindow) -> None:
        self._decoder = StrictDecoder(target.shown, target.path)
        self._window = window
        self._digest = RunningDigest()
        self._at_end = False

    def feed(self, data: bytes, *, final: bool) -> None:
        """Decode the next piece into the window."""
        self._at_end = final
        text = self._decoder.feed(data, final=final)
        self._digest.feed(text)
        self._window.feed(text)

    def enough(self) -> bool:
        """Whether the window is complete and the file known to go on after it."""
        return self._window.enough()

    def digest(self) -> str:
        """The digest of the text so far."""
        return self._digest.value()

    def page(self) -> Page | PastEnd:
        """What the window shows in the end."""
        return self._window.finish(at_end=self._at_end)


def _past_end(target: Target, offset: int, total: int) -> str:
    if total == 0:
        return f"offset is {offset}, but {target.shown} is empty: use offset=1."
    lines = "1 line" if total == 1 else f"{total} lines"
    return f"offset is {offset}, but {target.shown} has only {lines}: use an offset from 1 to {total}."
