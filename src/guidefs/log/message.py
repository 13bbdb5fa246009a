"""One message of a conversation, as far as guidance is concerned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from guidefs.values.change import Change
from guidefs.values.context import SOURCE, Context, changes_in, is_ours, is_record, metadata
from guidefs.values.digest import frame_fingerprint

__all__ = ["Message"]


@dataclass(frozen=True, slots=True)
class Message:
    """A message with who wrote it and the metadata record that it carries.

    Args:
        text: the text that the model sees; empty where the host keeps the texts and only the record is logged.
        source: who wrote the message, any JSON.
        meta: the metadata record, any JSON; what is not a well-formed record of ours is passed over.
        frame: the fingerprint of the text; taken from the text where it is left out.
    """

    text: str
    source: Any = field(default_factory=lambda: dict(SOURCE))
    meta: Any = None
    frame: str = ""

    def __post_init__(self) -> None:
        if not self.frame and self.text:
            object.__setattr__(self, "frame", frame_fingerprint(self.text))

    @classmethod
    def of(cls, context: Context) -> Message:
        """The message that shows a context, ready to be appended to a log."""
        return cls(context.text, context.source, context.meta)

    @classmethod
    def record_of(cls, context: Context) -> Message:
        """The record of a context, without its text."""
        return cls("", context.source, context.meta, frame_fingerprint(context.text))

    @classmethod
    def record(cls, frame: str, changes: tuple[Change, ...], *, shown: bool = False) -> Message:
        """The record of a message whose text the host keeps; see `metadata` for `shown`."""
        return cls("", dict(SOURCE), metadata(changes, shown=shown), frame)

    @property
    def is_guidance(self) -> bool:
        """Whether guidefs is its source, well-formed or not."""
        return is_ours(self.source)

    @property
    def is_shown(self) -> bool:
        """Whether this is the record of a tool's result that shows an instruction file whole."""
        return is_record(self.source, self.meta) and self.meta.get("shown") is True

    @property
    def changes(self) -> tuple[Change, ...]:
        """The well-formed changes that the message carries."""
        return changes_in(self.source, self.meta)

    @property
    def identity(self) -> str | None:
        """What the baseline in this message was composed from; `None` where it is no baseline."""
        if not is_record(self.source, self.meta):
            return None
        identity = self.meta.get("identity")
        return identity if self.meta.get("baseline") is True and isinstance(identity, str) else None
