"""A ledger in a file of JSON lines."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any

from guidefs.log.journal import Journal
from guidefs.values.diagnostic import LogRepaired

__all__ = ["JsonlLedger"]

_log = logging.getLogger("guidefs")


class JsonlLedger:
    """A ledger in a file that several sessions, threads and processes may share; it outlives them.

    Args:
        path: the file; it is made where it does not exist, its directory is not.
        sync: whether each record waits for the disk (fdatasync), so that it outlives a loss of power, too.
        on_event: called with a `LogRepaired` for each line that cannot be read or was torn; it is logged, too.

    Raises:
        LogError: the file cannot be opened, or is no ledger.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        sync: bool = False,
        on_event: Callable[[LogRepaired], None] | None = None,
    ) -> None:
        self.path = os.path.realpath(path)
        self._on_event = on_event
        self._lock = threading.Lock()
        self._records: dict[str, Mapping[str, Any]] = {}
        self._journal = Journal(self.path, "ledger", sync=sync, read_only=False, on_damage=self._damaged)
        self._catch_up()

    def get(self, frame: str) -> Mapping[str, Any] | None:
        """The record of a fingerprint, also one that another process put; `None` where there is none.

        Raises:
            LogError: the file was taken away.
        """
        with self._lock:
            if frame not in self._records and self._journal.has_news():
                self._catch_up()
            return self._records.get(frame)

    def put(self, frame: str, record: Mapping[str, Any]) -> None:
        """Keep the record of a fingerprint; once this returns it is in the file. One that is there is not added again.

        Raises:
            LogError: it cannot be written; the ledger is as it was.
            TypeError: the record is no JSON.
        """
        with self._lock, self._journal.exclusive():
            self._catch_up()
            if self._records.get(frame) != record:
                self._journal.append({"frame": frame, "record": dict(record)})
                self._records[frame] = record

    def close(self) -> None:
        """Close the file. Nothing has to be closed for the file's sake; it only frees the descriptor."""
        with self._lock:
            self._journal.close()

    def _catch_up(self) -> None:
        for entry in self._journal.news():
            frame, record = entry.value.get("frame"), entry.value.get("record")
            if isinstance(frame, str) and isinstance(record, dict):
                self._records[frame] = record
            else:
                self._damaged(entry.number, "it is no record of a ledger")

    def _damaged(self, line: int, reason: str) -> None:
        _log.warning("the ledger %r, line %d: %s", self.path, line, reason)
        if self._on_event is not None:
            self._on_event(LogRepaired(self.path, line, reason))
