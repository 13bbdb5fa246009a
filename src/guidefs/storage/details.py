"""What can be relied on in the `info` of a filesystem that nothing else is known about."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from guidefs.storage.unwrap import is_caching
from guidefs.values.answer import Version

__all__ = ["Details", "InfoSource", "details_of"]

_VERSION_KEYS = (("generation", "generation"), ("etag", "ETag"), ("etag", "etag"), ("etag", "e_tag"))
"""The keys that hold a version, in the order in which they are looked for.

A generation grows with each change of a Cloud Storage object; a strong entity tag differs whenever the bytes differ
(RFC 9110, section 8.8.1). Times are left out: with a granularity of a second they miss changes.
"""


@dataclass(frozen=True, slots=True)
class Details:
    """What an `info` says.

    Args:
        kind: what the path leads to; `other` also stands for links that the filesystem did not follow.
        size: the stated size of a file in bytes, `None` where there is none.
        version: the version of a file, `None` where no key can be trusted.
    """

    kind: Literal["file", "directory", "other"]
    size: int | None
    version: Version | None


def details_of(info: Mapping[str, Any]) -> Details:
    """Read an `info` of unknown origin; whatever looks odd counts as not said."""
    kind = info.get("type")
    if kind != "file":
        return Details("directory" if kind == "directory" else "other", None, None)
    size = info.get("size")
    stated = size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None
    return Details("file", stated, _version_in(info))


def _version_in(info: Mapping[str, Any]) -> Version | None:
    for name, key in _VERSION_KEYS:
        value = info.get(key)
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if text and not text.startswith("W/"):  # a weak entity tag: equivalent, not equal
            return Version(f"{name}:{text}")
    return None


class InfoSource:
    """Knows how to ask a filesystem for an `info` that does not come from its listing cache.

    `refresh=True` does it where the signature of `info` names it. It is passed nowhere else: a backend without it
    ignores it, fails, or calls the file missing. There, an `info` is fresh as long as no listing is cached.

    Args:
        filesystem: the filesystem to ask.
    """

    def __init__(self, filesystem: Any) -> None:
        self._filesystem = filesystem
        self.options: dict[str, Any] = {"refresh": True} if _names_refresh(filesystem) else {}
        self._can_show_old = is_caching(filesystem)

    @property
    def is_fresh(self) -> bool:
        """Whether an `info` asked for now tells the present."""
        return not self._can_show_old and (bool(self.options) or not self._has_listings())

    def forget_listing(self, path: str) -> None:
        """Make the filesystem drop what it remembers about the directory of a path, if that could be used."""
        if not self.is_fresh:
            self._filesystem.invalidate_cache(self._filesystem._parent(path))

    def _has_listings(self) -> bool:
        listings = getattr(self._filesystem, "dircache", None)
        return listings is not None and len(listings) > 0


def _names_refresh(filesystem: Any) -> bool:
    name = "_info" if getattr(filesystem, "async_impl", False) is True else "info"
    try:
        return "refresh" in inspect.signature(getattr(filesystem, name)).parameters
    except (AttributeError, TypeError, ValueError):
        return False
