"""How the accesses of the wrapped filesystem reach the call that they belong to."""

from __future__ import annotations

from guidefs.driver.call import Call, innermost
from guidefs.values.touch import Operation, Touch

__all__ = ["CallRecorder", "SessionRecorder"]


class _Sink:
    """Hands accesses to one call."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def touch(self, path: str, operation: Operation) -> None:
        self._call.take(Touch(path, operation))


class SessionRecorder:
    """Finds the innermost call of a session that is open where an access begins.

    Args:
        key: the identity of the session.
        session: the session itself, which a wrapped filesystem then gives as its `guide_session`.
    """

    def __init__(self, key: object, session: object | None = None) -> None:
        self._key = key
        self.session = session

    def current(self) -> _Sink | None:
        """The receiver of an access that begins here; `None` outside any call."""
        call = innermost(self._key)
        return None if call is None else _Sink(call)


class CallRecorder:
    """Gives every access to one call, wherever it happens, until the call ends.

    Args:
        call: the call.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def current(self) -> _Sink | None:
        """The receiver of an access that begins here; `None` once the call has ended."""
        return _Sink(self._call) if self._call.is_open else None
