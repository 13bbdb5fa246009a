"""What one session has observed of its files, by which a change behind its back is noticed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from guidefs.storage.provider import Guard, IfContent, IfVersion

if TYPE_CHECKING:
    from guidefs.values.answer import Version

__all__ = ["Identity", "Observations"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Which state of a file this is.

    Args:
        version: the backend's version, `None` where it had none to trust.
        fingerprint: the fingerprint of the whole content, `None` where the content was not read to its end or
            changed on the way.
    """

    version: Version | None
    fingerprint: str | None

    def same(self, other: Identity) -> bool:
        """Whether both are the same state.

        Content decides where it is known on both sides: it still holds for a file that got only new mode bits, and
        a backend that repeats a version for new bytes is found out. What cannot be compared is not the same.
        """
        if self.fingerprint is not None and other.fingerprint is not None:
            return self.fingerprint == other.fingerprint
        return self.version is not None and self.version == other.version

    def guard(self) -> Guard | None:
        """The guard under which a write replaces exactly this state, `None` where nothing is known of it."""
        if self.version is not None:
            return IfVersion(self.version)
        if self.fingerprint is not None:
            return IfContent(self.fingerprint)
        return None


class Observations:
    """The newest identity that one session observed of each file.

    It holds no content. One assignment or look-up is all it does at a time, so threads and tasks need no lock.
    """

    def __init__(self) -> None:
        self._identities: dict[str, Identity] = {}

    def of(self, address: str) -> Identity | None:
        """What was observed of a file, `None` if nothing."""
        return self._identities.get(address)

    def remember(self, address: str, identity: Identity) -> None:
        """Take note of what was just read or written."""
        self._identities[address] = identity
