"""The way of one file through memory, piece by piece, with its identity as the outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import xxhash

from guidefs.errors import NotTextError, StaleVersionError
from guidefs.tools import sentence
from guidefs.tools.asking import ask_read
from guidefs.tools.observation import Identity

if TYPE_CHECKING:
    from guidefs.storage.provider import Chunk
    from guidefs.tools.request import Steps
    from guidefs.tools.target import Target
    from guidefs.values.answer import Version

__all__ = ["CHUNK_BYTES", "WHOLE_FILE_BYTES", "Discard", "Sink", "Transfer", "transfer"]

CHUNK_BYTES = 1 << 20  # 1 MiB
WHOLE_FILE_BYTES = 10 << 20  # 10 MiB; a file that is larger, or of unknown size, is never held as a whole


class Sink(Protocol):
    """Where the bytes of a file go."""

    def feed(self, data: bytes, *, final: bool) -> None:
        """Take the next bytes; `final` says that the file ends with them."""
        ...

    def enough(self) -> bool:
        """Whether the rest of the file is not needed."""
        ...


class Discard:
    """A sink for a file of which only the identity is asked."""

    def feed(self, data: bytes, *, final: bool) -> None:
        """Drop the bytes."""

    def enough(self) -> bool:
        """Never: an identity by content takes the whole file."""
        return False


@dataclass(frozen=True, slots=True)
class Transfer:
    """What is known of a file after it passed.

    Args:
        identity: the state of the file that was read.
        torn: whether the file changed on the way, so that the pieces may not belong together. The identity is then
            that of the first piece, which no later state equals.
    """

    identity: Identity
    torn: bool


def transfer(target: Target, size: int | None, sink: Sink) -> Steps[Transfer]:
    """Read a file into a sink: at one go up to 10 MiB, else in pieces of 1 MiB of which one is held at a time.

    A large file is left where the sink has enough, provided that the backend gave a version; without one, only the
    whole content identifies it.

    Args:
        target: the file.
        size: its stated size in bytes, `None` if unknown. It only decides how to read, never how much.
        sink: where the bytes go.

    Raises:
        NotTextError: the sink refused the bytes as no text.
        StaleVersionError: the file changed on the way and what arrived is no text any more.
    """
    streamed = size is None or size > WHOLE_FILE_BYTES
    # One byte more than the size, so that the end of the file shows in the same answer.
    max_bytes = CHUNK_BYTES if size is None or streamed else max(CHUNK_BYTES, size + 1)
    passage = _Passage()
    while True:
        chunk = yield from ask_read(target, offset=passage.offset, max_bytes=max_bytes)
        final = len(chunk.data) < max_bytes
        passage.note(chunk)
        try:
            sink.feed(chunk.data, final=final)
        except NotTextError as error:
            if passage.torn:
                raise StaleVersionError(sentence.torn(target), path=target.path) from error
            raise
        if final:
            return passage.outcome(complete=True)
        streamed = streamed or passage.offset > WHOLE_FILE_BYTES
        if streamed and passage.version is not None and sink.enough():
            return passage.outcome(complete=False)
        max_bytes = CHUNK_BYTES


class _Passage:
    """The pieces of one file as they go by."""

    def __init__(self) -> None:
        self.offset = 0
        self.version: Version | None = None
        self.torn = False
        self._hash = xxhash.xxh3_128()

    def note(self, chunk: Chunk) -> None:
        """Take account of the next piece."""
        if self.offset == 0:
            self.version = chunk.version
        elif self.version is not None and chunk.version != self.version:
            self.torn = True
        self._hash.update(chunk.data)
        self.offset += len(chunk.data)

    def outcome(self, *, complete: bool) -> Transfer:
        """What is known in the end; the fingerprint is the one of `guidefs.storage.text.fingerprint`."""
        whole = complete and not self.torn
        return Transfer(Identity(self.version, f"xxh3:{self._hash.hexdigest()}" if whole else None), self.torn)
