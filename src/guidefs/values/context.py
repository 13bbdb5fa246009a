"""A rendered message together with the metadata that state is rebuilt from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from guidefs.values.change import Change
from guidefs.values.digest import frame_fingerprint

__all__ = ["KIND", "METADATA_KEY", "SOURCE", "Context", "changes_in", "encode", "is_ours", "is_record", "metadata"]

METADATA_KEY: Final = "guidefs"
SOURCE: Final[Mapping[str, str]] = {"kind": "plugin", "plugin": "workspace-context"}
KIND: Final = "workspace-instructions"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Context:
    """One message for the model.

    Args:
        text: the framed message, to be sent as it stands.
        body: the same without the frame, for hosts that frame by themselves.
        meta: the JSON metadata record.
        changes: the transitions that the record holds.
        source: who wrote the message, as JSON.
    """

    text: str
    body: str
    meta: Mapping[str, Any]
    changes: tuple[Change, ...]
    source: Mapping[str, Any] = field(default_factory=lambda: dict(SOURCE))


def metadata(changes: Iterable[Change], *, identity: str | None = None, shown: bool = False) -> dict[str, Any]:
    """The metadata record of a message.

    Args:
        changes: the transitions, in the order in which the message shows them.
        identity: what a baseline was composed from; given, it marks the message as a baseline.
        shown: whether the message is no frame of ours but a tool's result that shows the file whole.
    """
    record: dict[str, Any] = {
        "kind": KIND,
        "version": _VERSION,
        "changes": [change.to_json() for change in changes],
    }
    if shown:
        return {**record, "shown": True}
    return record if identity is None else {**record, "baseline": True, "identity": identity}


def is_ours(source: object) -> bool:
    """Whether a message's source says that guidefs wrote it."""
    return (
        isinstance(source, Mapping)
        and source.get("kind") == SOURCE["kind"]
        and source.get("plugin") == SOURCE["plugin"]
    )


def is_record(source: object, meta: object) -> bool:
    """Whether a message carries a metadata record of ours, of the version that is understood here."""
    if not is_ours(source) or not isinstance(meta, Mapping):
        return False
    version = meta.get("version")
    return meta.get("kind") == KIND and not isinstance(version, bool) and version == _VERSION


def changes_in(source: object, meta: object) -> tuple[Change, ...]:
    """The well-formed changes of a message, none where the source or the record is another's or another version's."""
    if not is_record(source, meta):
        return ()
    entries = cast(Mapping[str, object], meta).get("changes")
    if not isinstance(entries, list | tuple):
        return ()
    return tuple(change for entry in entries if (change := Change.from_json(entry)) is not None)


def encode(contexts: Iterable[Context], *, items: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """What a host stores on its message: one JSON mapping under one key, empty where there is no context.

    Args:
        contexts: the messages that were rendered.
        items: further records, of what was not rendered because a tool's result shows it.
    """
    items = [
        *(
            {"frame": frame_fingerprint(context.text), "source": dict(context.source), "meta": dict(context.meta)}
            for context in contexts
        ),
        *items,
    ]
    return {METADATA_KEY: {"v": _VERSION, "items": items}} if items else {}
