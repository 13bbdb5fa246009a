"""What a host's message holds of ours: the texts that the model sees, with the records that travel beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from guidefs.log.message import Message
from guidefs.render.frame import frames
from guidefs.render.wording import CLOSE
from guidefs.values.context import METADATA_KEY
from guidefs.values.digest import frame_fingerprint
from guidefs.values.record import Record, decode

__all__ = ["Seen", "Sighting", "carries_frame", "sightings"]

_TEXT_FIELDS = ("content", "text", "output", "parts", "summary")


@dataclass(frozen=True, slots=True)
class Seen:
    """One message as the model is about to be sent it, for hosts whose messages are of a form of their own.

    Args:
        text: the whole text of the message.
        meta: the mapping that the host stored beside it, as `call.meta` gave it; `None` where it has no place for one.
    """

    text: str = ""
    meta: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Sighting:
    """A frame that stands in a message.

    Args:
        frame: its fingerprint.
        record: the record that travels beside it; `None` where the message has none for it.
        text: the frame itself.
    """

    frame: str
    record: Record | None
    text: str


def carries_frame(message: object) -> bool:
    """Whether any text of a message may hold a frame, ours or another's; quick, since most hold none."""
    if type(message) is dict:
        content = message.get("content")
        if type(content) is str and CLOSE in content:
            return True
    return any(CLOSE in text for text in _texts(message))


def sightings(message: object) -> list[Sighting]:
    """The frames in a message, in the order in which they stand.

    A message is a `Seen`, a `Message`, a string, or a mapping in the form of OpenAI's chat messages or responses items,
    or of Anthropic's messages: texts stand in `content`, `text` or `output`, in nested blocks too; the record stands
    under `guidefs`, beside them or in `metadata`.
    """
    records = {record.frame: record for record in _records(message)}
    found = []
    for text in _texts(message):
        for frame in frames(text):
            fingerprint = frame_fingerprint(frame)
            found.append(Sighting(fingerprint, records.get(fingerprint), frame))
    return found


def _texts(message: object) -> Iterator[str]:
    if isinstance(message, str):
        yield message
    elif isinstance(message, Seen | Message):
        yield message.text
    elif isinstance(message, Mapping):
        for field in _TEXT_FIELDS:
            yield from _texts(message.get(field))
    elif isinstance(message, list | tuple):
        for block in message:
            yield from _texts(block)


def _records(message: object) -> Iterable[Record]:
    if isinstance(message, Seen):
        return decode(message.meta or {})
    if isinstance(message, Message):
        return (Record(message.frame, message.source, message.meta),) if message.is_guidance else ()
    if isinstance(message, Mapping):
        return _records_beside(message)
    if isinstance(message, list | tuple):
        return [record for block in message for record in _records(block)]
    return ()


def _records_beside(message: Mapping[Any, Any]) -> list[Record]:
    found = list(decode(message)) if METADATA_KEY in message else []
    beside = message.get("metadata")
    if isinstance(beside, Mapping) and METADATA_KEY in beside:
        found.extend(decode(beside))
    for field in _TEXT_FIELDS:
        if isinstance(message.get(field), list | tuple):
            found.extend(_records(message[field]))
    return found
