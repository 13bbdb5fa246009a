"""What a host's message holds of ours: the texts that the model sees, with the records that travel beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from guidefs.log.message import Message
from guidefs.render.frame import SEPARATOR, frames
from guidefs.render.wording import CLOSE, OPEN
from guidefs.values.context import METADATA_KEY
from guidefs.values.digest import frame_fingerprint
from guidefs.values.record import Record, decode

__all__ = ["Seen", "Sighting", "carries", "sightings"]

_OTHER_FIELDS = ("text", "output", "parts", "summary")
_TEXT_FIELDS = ("content", *_OTHER_FIELDS)


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


def carries(message: object, shown: Collection[str]) -> bool:
    """Whether a message may hold a frame, or a tool's result that counts as one; quick, since most hold neither.

    Args:
        message: the message.
        shown: the fingerprints of results that show an instruction file whole.
    """
    if shown and any(_result_fingerprint(text) in shown for text in _texts(message)):
        return True
    if type(message) is dict and type(content := message.get("content")) is str:
        # The form of most messages, looked at without a generator for each: there may be ten thousand of them.
        if CLOSE in content:
            return True
        if message.keys().isdisjoint(_OTHER_FIELDS):
            return False
        return any(CLOSE in text for field in _OTHER_FIELDS if field in message for text in _texts(message[field]))
    return any(CLOSE in text for text in _texts(message))


def sightings(message: object, shown: Collection[str] = ()) -> list[Sighting]:
    """The frames in a message, in the order in which they stand, with results that count as frames.

    A message is a `Seen`, a `Message`, a string, or a mapping in the form of OpenAI's chat messages or responses items,
    or of Anthropic's messages: texts stand in `content`, `text` or `output`, in nested blocks too; the record stands
    under `guidefs`, beside them or in `metadata`.

    Args:
        message: the message.
        shown: the fingerprints of results that show an instruction file whole, beyond those that its records name.
    """
    records = {record.frame: record for record in _records(message)}
    results = {*shown, *(frame for frame, record in records.items() if record.is_shown)}
    found = []
    for text in _texts(message):
        if results and (fingerprint := _result_fingerprint(text)) in results:
            found.append(Sighting(fingerprint, records.get(fingerprint), ""))
        for frame in frames(text):
            fingerprint = frame_fingerprint(frame)
            found.append(Sighting(fingerprint, records.get(fingerprint), frame))
    return found


def _result_fingerprint(text: str) -> str:
    """The fingerprint of what stands before our frames in the message of a tool's result."""
    return frame_fingerprint(text.partition(f"{SEPARATOR}{OPEN}\n")[0])


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
