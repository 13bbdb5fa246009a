"""What is remembered of each file between touches: metadata only, never text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from guidefs.values.answer import Version
from guidefs.values.scope import Scope

__all__ = ["Entry", "Remembered", "Updates"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What one read of a file told.

    Args:
        path: the path that the model was shown.
        version: the version that was read; `None` where the backend has none, so that the next touch reads again.
        digest: the digest of the text.
        trimmed_digest: the duplicate key of the text.
        collapsed: whether the file was left out as a duplicate of an earlier sibling.
    """

    path: str
    version: Version | None
    digest: str
    trimmed_digest: str
    collapsed: bool = False

    def as_collapsed(self) -> Entry:
        """The same file, left out as a duplicate."""
        return replace(self, collapsed=True)


@dataclass(frozen=True, slots=True)
class Updates:
    """Changes to what is remembered.

    Args:
        entries: files that were read.
        unreadable: versions of files that are too large or not text, so that they are not read again.
        forgotten: scopes of which nothing is known any more.
    """

    entries: dict[Scope, Entry] = field(default_factory=dict)
    unreadable: dict[Scope, Version] = field(default_factory=dict)
    forgotten: set[Scope] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.entries or self.unreadable or self.forgotten)


class Remembered:
    """The version cache of one session."""

    def __init__(self) -> None:
        self._entries: dict[Scope, Entry] = {}
        self._unreadable: dict[Scope, Version] = {}

    def entry(self, scope: Scope) -> Entry | None:
        """What the last read of a scope's file told; `None` where nothing is known."""
        return self._entries.get(scope)

    def unreadable(self, scope: Scope) -> Version | None:
        """The version at which a scope's file was too large or not text; `None` where it was not."""
        return self._unreadable.get(scope)

    def update(self, updates: Updates) -> bool:
        """Take in what was learned.

        Returns:
            Whether anything is remembered differently now.
        """
        before = (len(self._entries), len(self._unreadable))
        changed = any(self._entries.get(scope) != entry for scope, entry in updates.entries.items()) or any(
            self._unreadable.get(scope) != version for scope, version in updates.unreadable.items()
        )
        self.forget(updates.forgotten)
        self._entries.update(updates.entries)
        for scope in updates.entries:
            self._unreadable.pop(scope, None)
        self._unreadable.update(updates.unreadable)
        return changed or before != (len(self._entries), len(self._unreadable))

    def forget(self, scopes: Iterable[Scope]) -> None:
        """Remember nothing of some scopes, so that their files are read again."""
        for scope in scopes:
            self._entries.pop(scope, None)
            self._unreadable.pop(scope, None)

    def copy(self) -> Remembered:
        """The same knowledge, from here on apart."""
        twin = Remembered()
        twin._entries, twin._unreadable = dict(self._entries), dict(self._unreadable)
        return twin

    def scopes(self) -> set[Scope]:
        """Every scope of which something is remembered."""
        return {*self._entries, *self._unreadable}
