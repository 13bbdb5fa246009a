"""Which call of a session is open here, wherever context variables are carried."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guidefs.driver.call import Call

__all__ = ["Opening", "innermost"]


class Opening:
    """A call while it is open, and nothing afterwards.

    Tasks that outlive a call carry the context variables that they started with, and must not keep the call's texts.

    Args:
        key: the identity of the session, by which its open calls are told from others'.
        call: the call.
    """

    __slots__ = ("_key", "call")

    def __init__(self, key: object, call: Call) -> None:
        self._key = key
        self.call: Call | None = call

    def begin(self) -> None:
        """Make the call the innermost one here."""
        _here.set({**_here.get({}), self._key: self})

    def end(self, outer: Opening | None) -> None:
        """Close the call, and make the outer one the innermost here where this one was.

        Args:
            outer: the call around it that is still open; `None` where there is none.
        """
        self.call = None
        if _here.get({}).get(self._key) is not self:
            return
        others = {key: opening for key, opening in _here.get({}).items() if key is not self._key}
        _here.set(others if outer is None else {**others, self._key: outer})


_here: ContextVar[Mapping[object, Opening]] = ContextVar("guidefs_open_calls")


def innermost(key: object) -> Call | None:
    """The innermost call that is open here for a session; `None` outside any, and for a late task of an ended call."""
    opening = _here.get({}).get(key)
    return None if opening is None else opening.call
