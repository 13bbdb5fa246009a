"""The messages that the model is about to be sent, examined at a cost that grows with what is new."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from operator import is_

from guidefs.log.surface import Sighting, carries, sightings

__all__ = ["Window"]


class Window:
    """Remembers which messages of the last look held no frame, so that they are not searched again.

    The host's message objects themselves are held, since the identity of an object says nothing once it is gone.
    Messages that held a frame are searched afresh each time, because hosts change them in place.
    """

    def __init__(self) -> None:
        self._messages: list[object] = []
        self._carriers: list[int] = []

    def look(self, messages: Iterable[object], shown: Collection[str] = ()) -> list[Sighting]:
        """The frames in the messages, in order.

        Args:
            messages: all messages that are about to be sent, oldest first.
            shown: the fingerprints of tool results that count as frames.
        """
        current = list(messages)
        same = self._unchanged_count(current)
        carriers = [position for position in self._carriers if position < same]
        plain = {id(message) for position, message in enumerate(self._messages) if position >= same}
        plain.difference_update(id(self._messages[position]) for position in self._carriers)
        carriers.extend(
            position
            for position in range(same, len(current))
            if id(current[position]) not in plain and carries(current[position], shown)
        )
        self._messages, self._carriers = current, carriers
        return [sighting for position in carriers for sighting in sightings(current[position], shown)]

    def look_again(self, shown: Collection[str] = ()) -> list[Sighting]:
        """The frames in the same messages, none of them taken for unchanged."""
        messages, self._messages, self._carriers = self._messages, [], []
        return self.look(messages, shown)

    def _unchanged_count(self, current: list[object]) -> int:
        """How many messages at the front are the very objects of the last look."""
        same = list(map(is_, current, self._messages))
        return len(same) if all(same) else same.index(False)
