"""The record of one rendered message, as hosts store it beside their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guidefs.values.change import Change
from guidefs.values.context import METADATA_KEY, Context, changes_in
from guidefs.values.digest import frame_fingerprint

__all__ = ["Record", "decode"]

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one rendered message without its text.

    Args:
        frame: the fingerprint of the rendered text.
        source: who wrote the message, as JSON.
        meta: the metadata record, as JSON.
    """

    frame: str
    source: Mapping[str, Any]
    meta: Mapping[str, Any]

    @classmethod
    def of(cls, context: Context) -> Record:
        """The record of a context."""
        return cls(frame_fingerprint(context.text), context.source, context.meta)

    @classmethod
    def from_json(cls, item: object) -> Record | None:
        """Read one item of an envelope; `None` unless its parts are of the right types."""
        if not isinstance(item, Mapping):
            return None
        frame, source, meta = item.get("frame"), item.get("source"), item.get("meta")
        if not isinstance(frame, str) or not isinstance(source, Mapping) or not isinstance(meta, Mapping):
            return None
        return cls(frame, source, meta)

    def to_json(self) -> dict[str, Any]:
        """The item of an envelope."""
        return {"frame": self.frame, "source": dict(self.source), "meta": dict(self.meta)}

    @property
    def changes(self) -> tuple[Change, ...]:
        """The well-formed changes of the record, none where it is another's or of another version."""
        return changes_in(self.source, self.meta)

    @property
    def is_shown(self) -> bool:
        """Whether the text is no frame of ours but a tool's result that shows an instruction file whole."""
        return self.meta.get("shown") is True

    @property
    def is_baseline(self) -> bool:
        """Whether the message is a baseline."""
        return self.meta.get("baseline") is True


def decode(envelope: Mapping[Any, Any]) -> tuple[Record, ...]:
    """The records in what a host stored, as `encode` made it; malformed items are skipped one by one.

    Args:
        envelope: a mapping that holds the envelope under `guidefs`, alone or among other keys.
    """
    stored = envelope.get(METADATA_KEY)
    if not isinstance(stored, Mapping):
        return ()
    version, items = stored.get("v"), stored.get("items")
    if isinstance(version, bool) or version != _VERSION or not isinstance(items, list | tuple):
        return ()
    return tuple(record for item in items if (record := Record.from_json(item)) is not None)
