"""An append-only log of the messages of one session, with the part of it that the model still sees."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from guidefs.log.message import Message
from guidefs.reconcile.effective import State, state_after
from guidefs.values.scope import Scope

__all__ = ["Keep", "LoggedState", "SessionLog"]

Keep: TypeAlias = Iterable[int] | Callable[[Message], bool]
"""What stays in sight: ordinals of messages of ours, or a test of any message."""


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
    """The messages of one session, in memory; see `JsonlSessionLog` for one that outlives the process.

    Nothing is ever taken out: compaction only takes messages out of sight. What is visible is kept folded, so that
    the cost of a touch does not grow with the log. May be used from several threads; several sessions may read one
    log, one of them at a time writes the conversation.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._lock = threading.RLock()
        self._messages: list[Message] = []
        self._guidance: list[int] = []
        # Dictionaries for their order and their cheap removal: what is in sight of all messages, and of ours.
        self._visible: dict[int, None] = {}
        self._visible_guidance: dict[int, None] = {}
        self._surface: dict[Scope, LoggedState] = {}
        self._revision = 0
        for message in messages:
            self.append(message)

    def append(self, message: Message) -> None:
        """Add a message at the end; it is visible from now on."""
        with self._lock:
            self._take(message)

    def compact(self, *, keep: Keep = ()) -> None:
        """Take every visible message out of sight, but for those to keep.

        Args:
            keep: which messages stay in sight: the ordinals of those of ours, 0-based, counted over all messages of
                ours in the log in log order (ordinals that do not exist are passed over), or a test of each message.
        """
        with self._lock:
            self._hide(self._to_hide(keep))

    def hide(self, gone: Callable[[Message], bool]) -> None:
        """Take those of our visible messages out of sight that answer to a test; all others stay.

        Args:
            gone: the test. It is given records: whether they have their text depends on the kind of log.
        """
        with self._lock:
            self._hide([position for position in self._visible_guidance if gone(self._messages[position])])

    def visible(self) -> tuple[Message, ...]:
        """The messages that the model still sees, in log order."""
        with self._lock:
            return tuple(map(self._whole, self._visible))

    def guidance(self, *, texts: bool = False) -> tuple[Message, ...]:
        """Those of the visible messages that are ours, well-formed or not, in log order.

        Args:
            texts: whether their texts are wanted, too, which a saved log has to read.
        """
        with self._lock:
            return tuple(map(self._whole if texts else self._messages.__getitem__, self._visible_guidance))

    def visible_ordinals(self) -> tuple[int, ...]:
        """The ordinals of our messages that the model still sees, counted over all of ours in log order."""
        with self._lock:
            return tuple(o for o, position in enumerate(self._guidance) if position in self._visible)

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
        """What was appended from a position on, as records: whether they have their text depends on the kind of log.

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
        """The visible baseline messages, oldest first, with their texts."""
        with self._lock:
            found = [p for p in self._visible_guidance if self._messages[p].identity is not None]
            return list(map(self._whole, found))

    def _whole(self, position: int) -> Message:
        """A message with its text."""
        return self._messages[position]

    def _take(self, message: Message) -> None:
        position = len(self._messages)
        self._messages.append(message)
        self._visible[position] = None
        if message.is_guidance:
            self._guidance.append(position)
            self._visible_guidance[position] = None
            self._revision += 1
            self._fold(message)

    def _to_hide(self, keep: Keep) -> list[int]:
        """The visible positions that do not stay."""
        if callable(keep):
            return [position for position in self._visible if not keep(self._whole(position))]
        kept = {self._guidance[o] for o in set(keep) if 0 <= o < len(self._guidance)}
        return [position for position in self._visible if position not in kept]

    def _hide(self, positions: Collection[int]) -> None:
        for position in positions:
            self._visible.pop(position, None)
            self._visible_guidance.pop(position, None)
        self._surface = {}
        self._revision += 1
        for position in self._visible_guidance:
            self._fold(self._messages[position])

    def _fold(self, message: Message) -> None:
        baseline = message.identity is not None
        if baseline:
            # A baseline says everything that an earlier one said, so what only the earlier one said is over.
            self._surface = {scope: logged for scope, logged in self._surface.items() if not logged.baseline}
        for change in message.changes:
            self._surface[change.scope] = LoggedState(state_after(change), baseline)
