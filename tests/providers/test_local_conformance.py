"""The local provider does what every provider has to do."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest

from guidefs.testing import ProviderTests


# Not collected by itself: its name does not begin with Test.
class LocalGround(ProviderTests):
    """A temporary directory on the local disk."""

    supports_links = True
    supports_permissions = True
    supports_hiding = True
    hostile_names: ClassVar[tuple[str, ...]] = (*ProviderTests.hostile_names, os.fsdecode(b"not \xff utf-8"))

    @pytest.fixture(autouse=True)
    def ground(self, tmp_path: Path) -> None:
        """Work in a directory of the test's own."""
        self.root = str(tmp_path)

    def make_filesystem(self) -> Any:
        """The filesystem under test."""
        return fsspec.filesystem("file")

    def put(self, path: str, data: bytes) -> None:
        """Write in place."""
        Path(self.on_disk(path)).parent.mkdir(parents=True, exist_ok=True)
        Path(self.on_disk(path)).write_bytes(data)

    def get(self, path: str) -> bytes:
        """Read all."""
        return Path(self.on_disk(path)).read_bytes()

    def delete(self, path: str) -> None:
        """Remove a file."""
        Path(self.on_disk(path)).unlink()

    def mkdir(self, path: str) -> None:
        """Make a directory."""
        Path(self.on_disk(path)).mkdir(parents=True)

    def symlink(self, path: str, target: str) -> None:
        """Make a link."""
        Path(self.on_disk(path)).symlink_to(target)

    def hide(self, path: str) -> None:
        """Make reading fail, for root too: the first page of a process's own memory is not mapped (proc(5))."""
        Path(self.on_disk(path)).unlink()
        Path(self.on_disk(path)).symlink_to("/proc/self/mem")

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits."""
        Path(self.on_disk(path)).chmod(mode)

    def mode_of(self, path: str) -> int:
        """The permission bits."""
        return stat.S_IMODE(Path(self.on_disk(path)).stat().st_mode)

    def settle(self) -> None:
        """Wait until no timestamp is too fresh."""
        time.sleep(0.012)

    def on_disk(self, path: str) -> str:
        """Where a path of the filesystem under test is on the disk."""
        return path


class TestLocalProvider(LocalGround):
    """Over the plain filesystem."""


class TestLocalProviderInDirectory(LocalGround):
    """Over a filesystem that shows one directory as its root."""

    @pytest.fixture(autouse=True)
    def ground(self, tmp_path: Path) -> None:
        """Work in a directory below the one that is shown."""
        (tmp_path / "work").mkdir()
        self.base, self.root = str(tmp_path), "work"

    def make_filesystem(self) -> Any:
        """The filesystem under test."""
        return fsspec.filesystem("dir", path=self.base, fs=fsspec.filesystem("file"))

    def on_disk(self, path: str) -> str:
        """Where a path of the filesystem under test is on the disk."""
        return f"{self.base}/{path}"


class TestLocalProviderBehindAsyncWrapper(LocalGround):
    """Over a wrapper that makes the filesystem awaitable."""

    def make_filesystem(self) -> Any:
        """The filesystem under test."""
        from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

        return AsyncFileSystemWrapper(fsspec.filesystem("file"), asynchronous=False)
