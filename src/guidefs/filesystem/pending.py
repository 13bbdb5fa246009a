"""The one touch of a file that is being written."""

from __future__ import annotations

from guidefs.filesystem.recorder import TouchSink
from guidefs.values.touch import Operation

__all__ = ["PendingTouch"]


class PendingTouch:
    """Reported at most once, when the file is known to be written, or dropped for good.

    Args:
        sink: the receiver in whose call the file was opened.
        path: the file, in the form that the inner filesystem uses.
        operation: what the mode of the file does.
    """

    __slots__ = ("_left", "_operation", "_path")

    def __init__(self, sink: TouchSink, path: str, operation: Operation) -> None:
        self._left = [sink]
        self._path = path
        self._operation = operation

    def report(self) -> None:
        """Report the touch, unless it was reported or dropped before."""
        try:
            sink = self._left.pop()  # atomic, so two threads that close one file report it once
        except IndexError:
            return
        sink.touch(self._path, self._operation)

    def drop(self) -> None:
        """Never report the touch: the file was not written."""
        self._left.clear()
