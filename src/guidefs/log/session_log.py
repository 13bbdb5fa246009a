"""An append-only log of the messages of one session, with the part of it that the model still sees."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from guidefs.log.message import Message
from guidefs.reconcile.effective import State, state_after
from guidefs.values.scope import Scope

__all__ = ["LoggedState", "SessionLog"]


@dataclass(frozen=True, slots=True)
class LoggedState:
    """The newest visible state of one scope.

    Args:
        state: the state.
        baseline: whether a baseline message says it, rather than a later one.
    """

    state: State
    baseline: bool


class SessionLog:
    """The messages of one session, in memory.

    Nothing is ever taken out: compaction only takes messages out of sight. What is visible is kept folded, so that
    the cost of a touch does not grow with the log. May be used from several threads; several sessions may read one
    log, one of them at a time writes the conversation.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._lock = threading.RLock()
        self._messages: list[Message] = []
        self._guidance: list[int] = []
        self._visible: list[int] = []
        self._surface: dict[Scope, LoggedState] = {}
        self._revision = 0
        for message in messages:
            self.append(message)

    def append(self, message: Message) -> None:
        """Add a message at the end; it is visible from now on."""
        with self._lock:
            position = len(self._messages)
            self._messages.append(message)
            self._visible.append(position)
            if message.is_guidance:
                self._guidance.append(position)
                self._revision += 1
                self._fold(message)

    def compact(self, *, keep: Iterable[int] | Callable[[Message], bool] = ()) -> None:
        """Take every visible message out of sight, but for those to keep.

        Args:
            keep: which of our messages stay in sight: their ordinals, 0-based, counted over all messages of ours in
                the log in log order (ordinals that do not exist are passed over), or a test of the message.
        """
        with self._lock:
            if callable(keep):
                self._visible = [p for p in self._visible if keep(self._messages[p])]
            else:
                kept = {self._guidance[o] for o in set(keep) if 0 <= o < len(self._guidance)}
                self._visible = [p for p in self._visible if p in kept]
            self._refold()

    def visible(self) -> tuple[Message, ...]:
        """The messages that the model still sees, in log order."""
        with self._lock:
            return tuple(self._messages[position] for position in self._visible)

    def visible_ordinals(self) -> tuple[int, ...]:
        """The ordinals of our messages that the model still sees, counted over all of ours in log order."""
        with self._lock:
            seen = set(self._visible)
            return tuple(o for o, position in enumerate(self._guidance) if position in seen)

    def guidance_count(self) -> int:
        """How many messages of ours were ever appended, well-formed or not."""
        with self._lock:
            return len(self._guidance)

    def __len__(self) -> int:
        with self._lock:
            return len(self._messages)

    @property
    def revision(self) -> int:
        """A number that grows whenever what our messages say, or which of them are visible, may have changed."""
        return self._revision

    def since(self, position: int) -> tuple[int, list[Message]]:
        """What was appended from a position on.

        Args:
            position: how many messages were seen before.

        Returns:
            The position to ask from next time, and the messages.
        """
        with self._lock:
            return len(self._messages), self._messages[position:]

    def surface(self) -> Mapping[Scope, LoggedState]:
        """The newest visible state of each scope, in the order in which scopes first became visible."""
        with self._lock:
            return dict(self._surface)

    def baselines(self) -> list[Message]:
        """The visible baseline messages, oldest first."""
        with self._lock:
            return [message for message in self._visible_messages() if message.identity is not None]

    def _visible_messages(self) -> Iterator[Message]:
        return (self._messages[position] for position in self._visible)

    def _refold(self) -> None:
        self._surface = {}
        self._revision += 1
        for message in self._visible_messages():
            self._fold(message)

    def _fold(self, message: Message) -> None:
        baseline = message.identity is not None
        if baseline:
            # A baseline says everything that an earlier one said, so what only the earlier one said is over.
            self._surface = {scope: logged for scope, logged in self._surface.items() if not logged.baseline}
        for change in message.changes:
            self._surface[change.scope] = LoggedState(state_after(change), baseline)
