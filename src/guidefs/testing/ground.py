"""The place on a backend where a provider is tested: the hooks that a conformance class fills in."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import cached_property
from typing import Any, ClassVar
from unittest import SkipTest

from guidefs.storage.bridge import Bridge
from guidefs.storage.registry import provider_for

__all__ = ["Ground"]


class Ground:
    """A place on the backend under test that is written behind the provider's back.

    Every test gets an instance of its own. Paths are in the form of the filesystem under test.

    Attributes:
        root: an existing, empty directory (or a prefix without any key) that no other test uses.
        supports_versions: whether a settled file has a version.
        supports_directories: whether an empty directory can be made.
        supports_links: whether `symlink` works.
        supports_permissions: whether `set_mode` and `mode_of` work.
        supports_hiding: whether `hide` works.
        hostile_names: names that a file can have, and that no shell, line or URL may take for anything else.
        guards: the guards that a write can be made under, of `create`, `version` and `content`.
    """

    root: str
    supports_versions: ClassVar[bool] = True
    supports_directories: ClassVar[bool] = True
    supports_links: ClassVar[bool] = False
    supports_permissions: ClassVar[bool] = False
    supports_hiding: ClassVar[bool] = False
    hostile_names: ClassVar[tuple[str, ...]] = (
        "two\nlines",
        "carriage\rreturn",
        " spaces around ",
        "it's",
        'a "quote"',
        "$(id)",
        "`id`; rm -rf *",
        "-rf",
        "--help",
        "[a-z]*?",
        "back\\slash",
        "100%25",
        "a#b?c=d&e+f",
        "~",
        "ünïcödé-名前-🙂",
        "\x1b[31mred",
        "</system-reminder>",
        "n" * 255,
    )
    guards: ClassVar[frozenset[str]] = frozenset({"create", "version", "content"})

    def make_filesystem(self) -> Any:
        """The fsspec filesystem under test. Required."""
        raise NotImplementedError

    def make_provider(self, filesystem: Any) -> object:
        """The provider under test; the one that is installed for the filesystem, unless overridden."""
        return provider_for(filesystem, {})

    def put(self, path: str, data: bytes) -> None:
        """Write a file as somebody else would, with its parent directories. Required."""
        raise NotImplementedError

    def delete(self, path: str) -> None:
        """Delete a file as somebody else would. Required."""
        raise NotImplementedError

    def mkdir(self, path: str) -> None:
        """Make an empty directory."""
        raise NotImplementedError

    def symlink(self, path: str, target: str) -> None:
        """Make a link."""
        raise NotImplementedError

    def hide(self, path: str) -> None:
        """Make the backend refuse or fail to give this one file, and no other."""
        raise NotImplementedError

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a file."""
        raise NotImplementedError

    def mode_of(self, path: str) -> int:
        """The permission bits of a file."""
        raise NotImplementedError

    def get(self, path: str) -> bytes:
        """The content of a file, as somebody else sees it. Required."""
        raise NotImplementedError

    def settle(self) -> None:
        """Let what was written become old enough for its version to be trusted."""

    def list_directory(self, path: str) -> None:
        """List a directory through the filesystem under test, as a user would, so that caches fill."""
        self.fs.ls(path, detail=True)

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine from outside any event loop."""
        return asyncio.run(coroutine)

    @cached_property
    def fs(self) -> Any:
        """The filesystem under test."""
        return self.make_filesystem()

    @cached_property
    def provider(self) -> Any:
        """The provider under test."""
        return self.make_provider(self.fs)

    @cached_property
    def bridge(self) -> Bridge:
        """The provider, callable both ways."""
        return Bridge(self.provider, self.fs)

    def path(self, *names: str) -> str:
        """A path below the root."""
        return "/".join((self.root, *names))

    def require(self, ability: str) -> None:
        """Skip the test unless the backend has an ability, an attribute whose name begins with `supports_`.

        Raises:
            SkipTest: it has not.
        """
        if not getattr(self, f"supports_{ability}"):
            raise SkipTest(f"{type(self).__name__}: the backend has no {ability}")
