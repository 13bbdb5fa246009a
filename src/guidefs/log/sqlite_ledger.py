"""A ledger in a SQLite database."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from guidefs.errors import LogError

if TYPE_CHECKING:
    import sqlite3

__all__ = ["SqliteLedger"]

_CREATE = "CREATE TABLE IF NOT EXISTS guidefs_ledger (frame TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID"
_PUT = "INSERT INTO guidefs_ledger VALUES (?, ?) ON CONFLICT (frame) DO UPDATE SET record = excluded.record"
_GET = "SELECT record FROM guidefs_ledger WHERE frame = ?"


class SqliteLedger:
    """A ledger in the table `guidefs_ledger` of a database, which may hold other tables and be shared by processes.

    Args:
        path: the database file; it is made where it does not exist, its directory is not.
        timeout_seconds: how long to wait for another process that is writing.

    Raises:
        LogError: the database cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str], *, timeout_seconds: float = 5.0) -> None:
        self.path = os.path.realpath(path)
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._opened: tuple[int, sqlite3.Connection] | None = None
        self._carried_over: list[object] = []
        with self._connection() as connection:
            connection.execute(_CREATE)

    def get(self, frame: str) -> Mapping[str, Any] | None:
        """The record of a fingerprint; `None` where there is none.

        Raises:
            LogError: the database cannot be read.
        """
        with self._connection() as connection:
            row = connection.execute(_GET, (frame,)).fetchone()
        found: Mapping[str, Any] | None = None if row is None else json.loads(row[0])
        return found

    def put(self, frame: str, record: Mapping[str, Any]) -> None:
        """Keep the record of a fingerprint; once this returns it is committed.

        Raises:
            LogError: the database cannot be written.
            TypeError: the record is no JSON.
        """
        saved = json.dumps(dict(record))
        with self._connection() as connection:
            connection.execute(_PUT, (frame, saved))

    def close(self) -> None:
        """Close the database; it is opened again where it is needed."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None and opened[0] == os.getpid():
            opened[1].close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        with self._lock:
            try:
                if self._opened is None or self._opened[0] != os.getpid():
                    # A connection must be neither used nor closed after a fork (sqlite.org/howtocorrupt.html, 2.6).
                    self._carried_over.append(self._opened)
                    # Without a transaction of its own each statement commits itself.
                    connection = sqlite3.connect(
                        self.path, timeout=self._timeout_seconds, isolation_level=None, check_same_thread=False
                    )
                    self._opened = (os.getpid(), connection)
                yield self._opened[1]
            except sqlite3.Error as error:
                raise LogError(f"the ledger {self.path!r} cannot be used ({error})") from error
