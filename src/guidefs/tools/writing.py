"""The steps of the tool `write`."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from guidefs.errors import NotObservedError, StaleVersionError
from guidefs.storage.provider import CreateOnly, Guard, Stat
from guidefs.storage.text import fingerprint
from guidefs.tools import sentence
from guidefs.tools.argument import encoded
from guidefs.tools.asking import ask_stat, ask_write
from guidefs.tools.observation import Identity
from guidefs.tools.outcome import Outcome
from guidefs.tools.transfer import Discard, transfer
from guidefs.values.answer import Absent, Unavailable

if TYPE_CHECKING:
    from guidefs.tools.request import Steps
    from guidefs.tools.target import Target

__all__ = ["writing"]


def writing(target: Target, content: str, *, observed: Identity | None) -> Steps[Outcome]:
    """Create a file, or replace one that is still what the session observed.

    Args:
        target: the file.
        content: its new content, written as it is.
        observed: what the session knows of the file, `None` if it never read or wrote it.

    Raises:
        ArgumentError: `content` cannot be written as UTF-8.
        NotObservedError: the file exists and was not read.
        StaleVersionError: it is not the file any more that was read.
        AlreadyExistsError: it was created while this call looked.
        FileError: the backend failed or refused.
    """
    data = encoded("content", content)
    guard = yield from _guard(target, observed)
    written = yield from ask_write(target, data, guard)
    did = "Created" if isinstance(guard, CreateOnly) else "Replaced the content of"
    return Outcome(f"{did} {target.shown} ({len(data)} bytes).", Identity(written.version, fingerprint(data)))


def _guard(target: Target, observed: Identity | None) -> Steps[Guard]:
    """The guard under which the write may happen.

    Raises:
        NotObservedError: the file exists and was not read.
    """
    presence = yield from ask_stat(target)
    match presence:
        case Absent():
            return CreateOnly()
        case Unavailable():
            # Nothing is known, so the write goes ahead under a guard that is safe either way; if the backend fails
            # again, its error says why.
            return (observed.guard() if observed is not None else None) or CreateOnly()
        case Stat():
            if observed is None:
                raise NotObservedError(sentence.not_observed(target), path=target.path)
            return (yield from _guard_of_known(target, presence, observed))
        case _:
            assert_never(presence)


def _guard_of_known(target: Target, stat: Stat, observed: Identity) -> Steps[Guard]:
    """The guard for a file that was observed: by version where that is unchanged, else by content.

    Raises:
        StaleVersionError: the file is not what was observed, or that cannot be told.
    """
    current = Identity(stat.version, None)
    if not current.same(observed) and observed.fingerprint is not None:
        # Another version may still be the same content: a file that only got other mode bits, or one whose version
        # was too fresh to be trusted when it was observed. Without a version, the backend compares the content.
        if stat.version is None:
            current = Identity(None, observed.fingerprint)
        else:
            current = (yield from transfer(target, stat.size, Discard())).identity
    guard = current.guard() if current.same(observed) else None
    if guard is None:
        raise StaleVersionError(sentence.stale(target), path=target.path)
    return guard
