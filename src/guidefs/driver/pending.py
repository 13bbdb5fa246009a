"""What was rendered but has not been seen in the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from guidefs.values.change import Change
from guidefs.values.scope import Scope

__all__ = ["Owner", "Pending", "PendingMessage"]

Owner: TypeAlias = object
"""The identity of one call, as opposed to its id, which hosts may use twice."""


@dataclass(slots=True, eq=False)
class PendingMessage:
    """One rendered message on its way into the log; its text is not kept.

    Args:
        frame: the fingerprint of the rendered text.
        changes: what it says, as far as that is still pending.
        owners: the calls that it passed through, innermost first; empty where no call owns it.
        call_ids: the ids of those calls, as far as they have one.
        step: the step that it belongs to; `None` outside any step.
        staged: whether an outer call is still open, which decides about it.
        taken: whether the host was handed it; one that no call owns waits to be taken.
        shown: whether it is no message of ours but a tool's result that shows the file whole.
    """

    frame: str
    changes: tuple[Change, ...]
    owners: tuple[Owner, ...]
    call_ids: tuple[object, ...]
    step: object | None = None
    staged: bool = False
    taken: bool = True
    shown: bool = False

    @property
    def handed_out(self) -> bool:
        """Whether the host has the message, so that it can be expected in what the model is sent."""
        return self.taken and not self.staged

    def belongs_to(self, call_id: object) -> bool:
        """Whether a call with this id carries the message."""
        return call_id in self.call_ids


class Pending:
    """The pending messages of one session, oldest first."""

    def __init__(self) -> None:
        self._messages: list[PendingMessage] = []

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[PendingMessage]:
        return iter(tuple(self._messages))

    def changes(self) -> Iterator[Change]:
        """Every pending change, oldest first."""
        for message in self._messages:
            yield from message.changes

    def add(self, message: PendingMessage) -> None:
        """Add the newest message."""
        self._messages.append(message)

    def drop(self, unwanted: Callable[[PendingMessage], bool]) -> set[Scope]:
        """Forget messages.

        Returns:
            The scopes of which they spoke.
        """
        dropped = [message for message in self._messages if unwanted(message)]
        self._messages = [message for message in self._messages if message not in dropped]
        return {change.scope for message in dropped for change in message.changes}

    def confirm(self, change: Change) -> bool:
        """End the oldest pending change that equals one seen in the log, and older ones of its scope.

        Returns:
            Whether there was one.
        """
        holder = next((message for message in self._messages if change in message.changes), None)
        if holder is None:
            return False
        self._end(change.scope, self._messages[: self._messages.index(holder) + 1])
        return True

    def supersede(self, scope: Scope) -> None:
        """End every pending change of a scope, since something newer was said."""
        self._end(scope, self._messages)

    def _end(self, scope: Scope, messages: list[PendingMessage]) -> None:
        for message in messages:
            message.changes = tuple(change for change in message.changes if change.scope != scope)
        self._messages = [message for message in self._messages if message.changes]
