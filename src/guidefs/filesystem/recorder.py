"""What the wrapping filesystem needs of a session."""

from __future__ import annotations

from typing import Protocol

from guidefs.values.touch import Operation

__all__ = ["Recorder", "TouchSink"]


class TouchSink(Protocol):
    """The receiver of the touches of one call."""

    def touch(self, path: str, operation: Operation) -> None:
        """Take note of one successful access.

        It does no I/O, never blocks for long, does not raise and may be called from any thread, so that the same
        receiver serves synchronous and asynchronous filesystems. A file that is closed late, by another thread or by
        the garbage collector, reports to the call in which it was opened, even if that call has ended; what to do
        then is the receiver's to decide.

        Args:
            path: the absolute path, in the form that the inner filesystem uses for its own paths.
            operation: what the access did.
        """
        ...


class Recorder(Protocol):
    """Knows which call, if any, the running code belongs to."""

    def current(self) -> TouchSink | None:
        """The receiver for an operation that starts now in this thread or task.

        It is asked once an operation, before anything is done, and has to be quick.

        Returns:
            The receiver, or `None` for an operation outside every call, which then passes through unobserved.
        """
        ...
