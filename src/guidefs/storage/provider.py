"""The contract between guidefs and a backend.

A provider is an object made from one fsspec filesystem. It answers batches (`fetch`, `afetch`, or both), and where it
can do better than plain fsspec calls it also offers the three primitives that file tools use (`stat`, `read`,
`write`, or their twins `astat`, `aread`, `awrite`). A missing half is bridged by `guidefs.storage.bridge`; missing
primitives are built by `guidefs.storage.generic`. Two synchronous methods are offered only where they cost no round
trip: `check_directory(path)`, which raises a `FileError` for a workspace directory that cannot be used, and
`names(path)`, which gives the names in a directory, for diagnostics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from guidefs.values.answer import Absent, Answer, Marker, Question, Unavailable, Version

__all__ = [
    "AsyncPrimitives",
    "AsyncProvider",
    "Chunk",
    "CreateOnly",
    "Guard",
    "IfContent",
    "IfVersion",
    "Limits",
    "Presence",
    "Primitives",
    "Provider",
    "Stat",
    "Written",
]


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one batch.

    Args:
        max_source_bytes: the largest file, in bytes, whose text may be held; checked against the stated size first,
            then against the bytes really read.
        max_batch_bytes: the largest sum of texts, in bytes, that one batch may bring back. The last questions are
            the most specific ones and are served first; what does not fit is answered `Unavailable`.
    """

    max_source_bytes: int = 1 << 20  # 1 MiB
    max_batch_bytes: int = 8 << 20  # 8 MiB


@runtime_checkable
class Provider(Protocol):
    """A backend that answers batches from ordinary threads."""

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer every question of a batch, in as few round trips as the backend allows.

        One path's failure is that path's `Unavailable` and never another's. Nothing is answered from a listing
        cache. At most `max_source_bytes` and a fixed chunk of one file are ever held, whatever its stated size.

        Args:
            questions: what to ask; at most one per path and kind.
            limits: bounds on what may be read.

        Returns:
            One answer a question, in the same order.
        """
        ...


@runtime_checkable
class AsyncProvider(Protocol):
    """A backend that answers batches on an event loop."""

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer every question of a batch as `Provider.fetch` does; cancellation passes through."""
        ...


@dataclass(frozen=True, slots=True)
class Stat:
    """A versioned stat of one path, links followed.

    Args:
        kind: what the path leads to.
        size: the size in bytes of a file, `None` where the backend does not say.
        version: the version of a file, `None` where the backend has none to trust.
    """

    kind: Literal["file", "directory", "other"]
    size: int | None
    version: Version | None


Presence: TypeAlias = Stat | Absent | Unavailable
"""The outcomes of a versioned stat."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file.

    Args:
        data: the bytes read; fewer than asked for only at the end of the file.
        version: the version that the bytes belong to, `None` where the backend has none to trust.
        size: the size of the whole file in bytes, `None` where the backend does not say.
    """

    data: bytes
    version: Version | None
    size: int | None


@dataclass(frozen=True, slots=True)
class CreateOnly:
    """Write only if nothing has the name."""


@dataclass(frozen=True, slots=True)
class IfVersion:
    """Write only if the file still has this version."""

    version: Version


@dataclass(frozen=True, slots=True)
class IfContent:
    """Write only if the file still has this content; for backends without versions.

    Args:
        fingerprint: `xxh3:` and the hexadecimal xxh3-128 of the bytes, as
            `guidefs.storage.text.fingerprint` makes it.
    """

    fingerprint: str


Guard: TypeAlias = CreateOnly | IfVersion | IfContent
"""What has to hold for a guarded write to happen."""


@dataclass(frozen=True, slots=True)
class Written:
    """A guarded write that happened.

    Args:
        version: the version of what was written, `None` where the backend has none to trust yet.
        guarantee: how strongly the guard held. `atomic`: no other writer can have been overwritten.
            `checked`: a writer that came in the last moment would have been noticed. `best-effort`: the guard was
            checked just before the write and a writer in between is not noticed.
    """

    version: Version | None
    guarantee: Literal["atomic", "checked", "best-effort"]


@runtime_checkable
class Primitives(Protocol):
    """What file tools need of a backend, from ordinary threads."""

    def stat(self, path: str) -> Presence:
        """Stat one path, never through a listing cache; failures are `Unavailable`, not exceptions."""
        ...

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read at most `max_bytes` bytes from byte `offset` (0-based); past the end the data is empty.

        Raises:
            FileNotFoundError: there is no such file.
            IsADirectoryError: the path is a directory.
            PermissionError: the backend refused.
            OSError: any other failure.
        """
        ...

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Replace the whole content atomically, if the guard holds.

        A reader sees the old bytes or the new ones, never a mixture. Mode bits survive, and a link's target is
        what is written. Missing parent directories are made.

        A remote backend can lose the reply to a write that it carried out. Then the error says that the outcome is
        not known; or a repetition below this call finds the guard broken by the first try, and what is raised is
        `StaleVersionError` or `AlreadyExistsError` although the data was written. Either way nothing of anybody else
        was overwritten: read the file again, and write only if it has not got the data.

        Raises:
            AlreadyExistsError: `CreateOnly` and the name is taken.
            StaleVersionError: `IfVersion` or `IfContent` and the file is another one now, or gone.
            GuardUnsupportedError: the backend cannot enforce this guard; nothing was written.
            OSError: any other failure; nothing was written, unless the message says that this is not known.
        """
        ...


@runtime_checkable
class AsyncPrimitives(Protocol):
    """What file tools need of a backend, on an event loop; the contracts of `Primitives`."""

    async def astat(self, path: str) -> Presence:
        """Stat one path as `Primitives.stat` does."""
        ...

    async def aread(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece as `Primitives.read` does."""
        ...

    async def awrite(self, path: str, data: bytes, guard: Guard) -> Written:
        """Write under a guard as `Primitives.write` does."""
        ...
