"""The records of rendered messages, found by fingerprint, for hosts without a place for metadata."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Protocol

__all__ = ["Ledger", "MemoryLedger"]


class Ledger(Protocol):
    """A map from the fingerprint of a rendered text to its record."""

    def get(self, frame: str) -> Mapping[str, Any] | None:
        """The record of a fingerprint as JSON, `{"frame", "source", "meta"}`; `None` where there is none."""
        ...

    def put(self, frame: str, record: Mapping[str, Any]) -> None:
        """Keep the record of a fingerprint."""
        ...


class MemoryLedger:
    """A ledger that lasts as long as the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: dict[str, Mapping[str, Any]] = {}

    def get(self, frame: str) -> Mapping[str, Any] | None:
        """The record of a fingerprint; `None` where there is none."""
        return self._records.get(frame)

    def put(self, frame: str, record: Mapping[str, Any]) -> None:
        """Keep the record of a fingerprint."""
        with self._lock:
            self._records[frame] = record
