"""A session log in a file, which outlives the process."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from guidefs.log.journal import Entry, Journal
from guidefs.log.message import Message
from guidefs.log.session_log import Keep, LoggedState, SessionLog
from guidefs.values.diagnostic import LogRepaired
from guidefs.values.scope import Scope

__all__ = ["JsonlSessionLog"]

_KINDS = {"message", "hide", "keep"}
_log = logging.getLogger("guidefs")


class JsonlSessionLog(SessionLog):
    """The messages of one session in a file of JSON lines; `docs/log-format.md` describes them.

    A message whose append returned is in the file, whatever happens to the process; of a line that was being written
    when it died nothing stays. Several processes and threads may append to one file, and each sees what the others
    appended. Texts are in the file alone; what is kept in memory are the records.

    Calls wait for other processes that are writing, for about the time of one write.

    Args:
        path: the file; it is made where it does not exist, its directory is not.
        sync: whether each append waits for the disk (fdatasync), so that it outlives a loss of power, too.
        read_only: whether the file is only followed: it has to exist, nothing is repaired, and writing is refused.
        on_event: called with a `LogRepaired` for each line that cannot be read or was torn; it is logged, too.

    Raises:
        LogError: the file cannot be opened, or is no session log.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        sync: bool = False,
        read_only: bool = False,
        on_event: Callable[[LogRepaired], None] | None = None,
    ) -> None:
        super().__init__()
        self._on_event = on_event
        self._numbers: list[int] = []
        self._positions: dict[int, int] = {}
        self._places: dict[int, tuple[int, int]] = {}
        self._last = -1
        self._lost = False
        self.path = os.path.realpath(path)
        self._journal = Journal(self.path, "session log", sync=sync, read_only=read_only, on_damage=self._damaged)
        self._generation = self._journal.generation
        self._catch_up()

    @classmethod
    def snapshot(
        cls, path: str | os.PathLike[str], *, on_event: Callable[[LogRepaired], None] | None = None
    ) -> SessionLog:
        """Read a saved log into memory, texts and all, and leave the file alone.

        Args:
            path: the file.
            on_event: called with a `LogRepaired` for each line that cannot be read; it is logged, too.

        Raises:
            LogError: the file does not exist, cannot be read, or is no session log.
        """
        with cls(path, read_only=True, on_event=on_event) as saved:
            copy = SessionLog(saved._whole(position) for position in range(len(saved)))
            copy._hide([position for position in range(len(saved)) if position not in saved._visible])
        return copy

    def __enter__(self) -> JsonlSessionLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Nothing has to be closed for the file's sake; it only frees the descriptor."""
        with self._lock:
            self._journal.close()

    def append(self, message: Message) -> None:
        """Add a message at the end; once this returns it is in the file.

        Raises:
            LogError: it cannot be written; the log is as it was.
            TypeError: its source or its record is no JSON.
        """
        with self._writing():
            self._admit(self._journal.append(_entry(self._last + 1, message)))

    def compact(self, *, keep: Keep = ()) -> None:
        """Take every visible message out of sight, but for those to keep; see `SessionLog.compact`.

        Raises:
            LogError: it cannot be written; the log is as it was.
        """
        with self._writing():
            self._write_hidden(self._to_hide(keep))

    def hide(self, gone: Callable[[Message], bool]) -> None:
        """Take those of our visible messages out of sight whose record answers to a test.

        Raises:
            LogError: it cannot be written; the log is as it was.
        """
        with self._writing():
            self._write_hidden([p for p in self._visible_guidance if gone(self._messages[p])])

    def vacuum(self) -> None:
        """Rewrite the file without what no longer counts, in one step: the texts of messages that are out of sight.

        Of those that are ours the records stay, so that ordinals and what was once told stay known. Other processes
        that have the file open go on with the new one.

        Raises:
            LogError: it cannot be written; the file is as it was.
        """
        with self._writing():
            self._journal.rewrite(list(self._compacted()))
            self._catch_up()

    def visible(self) -> tuple[Message, ...]:
        """The messages that the model still sees, in log order, with their texts."""
        with self._reading():
            return super().visible()

    def guidance(self, *, texts: bool = False) -> tuple[Message, ...]:
        """Those of the visible messages that are ours; without `texts` only baselines and others' records of them."""
        with self._reading():
            return super().guidance(texts=texts)

    def visible_ordinals(self) -> tuple[int, ...]:
        """The ordinals of our messages that the model still sees, counted over all of ours in log order."""
        with self._reading():
            return super().visible_ordinals()

    def guidance_count(self) -> int:
        """How many messages of ours were ever appended, well-formed or not."""
        with self._reading():
            return super().guidance_count()

    def __len__(self) -> int:
        with self._reading():
            return super().__len__()

    @property
    def revision(self) -> int:
        """A number that grows whenever what our messages say, or which of them are visible, may have changed."""
        with self._reading():
            return self._revision

    def since(self, position: int) -> tuple[int, list[Message]]:
        """What was appended from a position on, as records without their texts."""
        with self._reading():
            return super().since(position)

    def surface(self) -> Mapping[Scope, LoggedState]:
        """The newest visible state of each scope, in the order in which scopes first became visible."""
        with self._reading():
            return super().surface()

    def baselines(self) -> list[Message]:
        """The visible baseline messages, oldest first, with their texts."""
        with self._reading():
            return super().baselines()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Take in what other processes appended. Where that fails, what is known stands, and writing will say so."""
        with self._lock:
            try:
                if self._journal.has_news():
                    self._catch_up()
            except OSError as error:
                if not self._lost:
                    self._lost = True
                    _log.warning("the log %r cannot be followed any more: %s", self.path, error)
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock, self._journal.exclusive():
            self._catch_up()
            yield

    def _whole(self, position: int) -> Message:
        place = self._places.get(self._numbers[position])
        message = self._messages[position]
        return message if place is None else replace(message, text=self._journal.read(*place)["message"]["text"])

    def _catch_up(self) -> None:
        for entry in self._journal.news():
            if self._generation != self._journal.generation:
                # The file was rewritten: what is known stays, but lies elsewhere.
                self._generation = self._journal.generation
                self._places.clear()
            self._admit(entry)

    def _admit(self, entry: Entry) -> None:
        number = entry.value.get("n")
        if not isinstance(number, int) or isinstance(number, bool) or not entry.value.keys() & _KINDS:
            self._damaged(entry.number, "it is no entry that is known")
            return
        known = number <= self._last
        self._last = max(self._last, number)
        saved = entry.value.get("message")
        if isinstance(saved, dict):
            self._admit_message(number, saved, entry, known=known)
        elif not known:
            self._hide(self._hidden(entry.value))

    def _admit_message(self, number: int, saved: Mapping[str, Any], entry: Entry, *, known: bool) -> None:
        if saved.get("text"):
            self._places[number] = (entry.offset, entry.size)
        if not known:
            self._positions[number] = len(self._messages)
            self._numbers.append(number)
            self._take(_record(saved))

    def _hidden(self, value: Mapping[str, Any]) -> list[int]:
        """The positions that an entry takes out of sight."""
        gone, kept = value.get("hide"), value.get("keep")
        if isinstance(gone, list):
            return [self._positions[number] for number in gone if number in self._positions]
        stays = {self._positions.get(number) for number in kept} if isinstance(kept, list) else set(self._visible)
        return [position for position in self._visible if position not in stays]

    def _write_hidden(self, positions: Collection[int]) -> None:
        if positions:
            self._admit(self._journal.append(self._hiding(self._last + 1, positions)))

    def _hiding(self, number: int, positions: Collection[int]) -> dict[str, Any]:
        """The shorter way to say what leaves: by what goes, or by what stays."""
        gone = set(positions)
        if len(gone) * 2 <= len(self._visible):
            return {"n": number, "hide": [self._numbers[position] for position in sorted(gone)]}
        return {"n": number, "keep": [self._numbers[position] for position in self._visible if position not in gone]}

    def _compacted(self) -> Iterator[dict[str, Any]]:
        """What the file has to hold: what is in sight, and of ours that is not, the records."""
        for position, number in enumerate(self._numbers):
            if position in self._visible:
                yield _entry(number, self._whole(position))
            elif self._messages[position].is_guidance:
                yield _entry(number, self._messages[position])
        yield {"n": self._last + 1, "keep": [self._numbers[position] for position in self._visible]}

    def _damaged(self, line: int, reason: str) -> None:
        _log.warning("the log %r, line %d: %s", self.path, line, reason)
        if self._on_event is not None:
            self._on_event(LogRepaired(self.path, line, reason))


def _entry(number: int, message: Message) -> dict[str, Any]:
    saved = {"text": message.text, "source": message.source, "meta": message.meta, "frame": message.frame}
    return {"n": number, "message": saved}


def _record(saved: Mapping[str, Any]) -> Message:
    """A message as it is kept in memory, without its text."""
    frame = saved.get("frame")
    return Message("", saved.get("source"), saved.get("meta"), frame if isinstance(frame, str) else "")
