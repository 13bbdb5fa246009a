"""The class of universal_pathlib's paths on a wrapped filesystem."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import fsspec
from upath import UPath

__all__ = ["GuidePath"]

fsspec.get_filesystem_class("guide")  # universal_pathlib warns about classes that fsspec has not loaded yet


class GuidePath(UPath):
    """A path on a wrapped filesystem.

    Its options are those of `GuideFileSystem`, as in

        UPath("guide:///dir/file", target_protocol="memory", session=token)

    where the token is that of a running session, `session.fs.storage_options["session"]`. Without one every filesystem
    that universal_pathlib makes has a session of its own. A chain such as `guide::memory:///dir/file` works as well,
    but universal_pathlib shows the path twice in its text.
    """

    __slots__ = ()

    @property
    def storage_options(self) -> Mapping[str, Any]:
        """The options of the filesystem, without the path that a chain puts among them."""
        return MappingProxyType({name: value for name, value in super().storage_options.items() if name != "fo"})
