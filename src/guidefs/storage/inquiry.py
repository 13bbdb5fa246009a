"""How one question is answered with plain fsspec calls."""

from __future__ import annotations

from typing import Any

from guidefs.errors import UsageError
from guidefs.storage.certainty import is_absence, is_empty_range
from guidefs.storage.details import Details, InfoSource, details_of
from guidefs.storage.failures import describe
from guidefs.storage.procedure import Call, Procedure
from guidefs.storage.provider import Limits
from guidefs.storage.text import decode, read_bound
from guidefs.values.answer import (
    Absent,
    Answer,
    Exists,
    Marker,
    Question,
    TooLarge,
    Unavailable,
    Unchanged,
    Version,
)

__all__ = ["Inquiry", "ranged_read"]

_ABSENT = Absent()


class Inquiry:
    """Answers the questions of one filesystem.

    A file is looked at before it is read, so that its bytes are never older than its version. The look is left out
    where it cannot help: when it could come from a listing cache, and once a file of this filesystem was seen without
    any version.

    Args:
        filesystem: the filesystem that the calls are for.
    """

    def __init__(self, filesystem: Any) -> None:
        self.source = InfoSource(filesystem)
        self._has_versions = True

    def answer(
        self, question: Question | Marker, limits: Limits, refusal: Unavailable | None = None
    ) -> Procedure[Answer]:
        """Answer one question; whatever fails is `Unavailable`.

        Args:
            question: what to answer.
            limits: the bounds of the batch.
            refusal: the answer for a file that would have to be read, when the batch has no room left.

        Raises:
            UsageError: the filesystem was called in a way that can never work.
        """
        try:
            if isinstance(question, Marker):
                yield from self.look(question.path)
                return Exists()
            return (yield from self._file(question, limits, refusal))
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - a backend may raise anything, for this one path
            return _ABSENT if is_absence(error) else Unavailable(describe(error))

    def look(self, path: str) -> Procedure[Details]:
        """What the filesystem says of a path right now; its exceptions pass."""
        self.source.forget_listing(path)
        return details_of((yield Call("info", path, self.source.options)))

    def _file(self, question: Question, limits: Limits, refusal: Unavailable | None) -> Procedure[Answer]:
        found = yield from self._glance(question.path)
        version: Version | None = None
        if found is not None:
            if found.kind == "directory":
                return _ABSENT
            version = found.version
            if version is not None and version == question.known:
                return Unchanged()
            if found.size is not None and found.size > limits.max_source_bytes:
                return TooLarge(version, found.size)
        if refusal is not None:
            return refusal
        data = yield from ranged_read(question.path, 0, read_bound(limits))
        return decode(data, version, limits, size=None if found is None else found.size)

    def _glance(self, path: str) -> Procedure[Details | None]:
        # An absence that is not certain is left to the read to decide.
        if not (self._has_versions and self.source.is_fresh):
            return None
        try:
            found = yield from self.look(path)
        except FileNotFoundError as error:
            if is_absence(error):
                raise
            return None
        if found.kind == "file" and found.version is None:
            self._has_versions = False
        return found


def ranged_read(path: str, offset: int, max_bytes: int) -> Procedure[bytes]:
    """At most `max_bytes` bytes from `offset` on; the backend's exceptions pass.

    The range is passed by keyword, for some backends have another argument in second place. A backend that ignores
    it is found out by too many bytes.
    """
    if max_bytes <= 0:
        return b""
    try:
        data = yield Call("cat_file", path, {"start": offset, "end": offset + max_bytes})
    except Exception as error:
        if is_empty_range(error):
            return b""
        raise
    return bytes(data[offset : offset + max_bytes] if len(data) > max_bytes else data)
