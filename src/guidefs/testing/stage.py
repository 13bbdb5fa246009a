"""Where a recorded scenario is played: a tree that can be changed behind the product's back."""

from __future__ import annotations

import base64
import itertools
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from guidefs.storage.registry import provider_for
from guidefs.testing.fakes import FakeProvider
from guidefs.testing.faults import FaultyProvider

__all__ = ["LocalStage", "MemoryStage", "Stage", "content_of"]

_FIRST_SECOND = 1_700_000_000
_AHEAD_NANOSECONDS = 10 * 1_000_000_000


def content_of(entry: Mapping[str, Any]) -> bytes:
    """The bytes of a tree entry: a text, a text repeated, or raw bytes in base64."""
    if "base64" in entry:
        return base64.b64decode(entry["base64"])
    if "repeat" in entry:
        text, count = entry["repeat"]
        return str(text).encode() * int(count)
    return str(entry["text"]).encode("utf-8", "surrogatepass")


class Stage(Protocol):
    """A tree below a root directory, and what is needed to make a workspace over it.

    Args:
        root: the directory that `$ROOT` stands for, in the form of the stage's filesystem.
        address: the same directory, as tools and environment variables name it.
        fs: the filesystem.
        provider: what answers for it, with failures to inject.
    """

    root: str
    address: str
    fs: Any
    provider: FaultyProvider

    def home(self, path: str) -> str:
        """The setting that names a directory of the stage as the home."""
        ...

    def system_home(self, path: str) -> str:
        """The directory that the process sees as `HOME`."""
        ...

    def put(self, path: str, entry: Mapping[str, Any], *, same_version: bool = False) -> None:
        """Make what a tree entry describes."""
        ...

    def make_directory(self, path: str) -> None:
        """Make a directory with its parents."""
        ...

    def delete(self, path: str) -> None:
        """Delete whatever has the name, recursively, without following links."""
        ...

    def rename(self, source: str, target: str) -> None:
        """Rename a file or directory."""
        ...

    def touch_version(self, path: str) -> None:
        """Give a file another version and leave its bytes."""
        ...

    def close(self) -> None:
        """Take the stage down."""
        ...


class LocalStage:
    """A temporary directory on the local disk.

    The provider gets a clock that runs ten seconds ahead, so that no fresh timestamp counts as too young.
    """

    def __init__(self) -> None:
        self.root = self.address = os.path.realpath(tempfile.mkdtemp(prefix="guidefs-replay-"))
        self.fs = LocalFileSystem()
        self._seconds = itertools.count(_FIRST_SECOND)
        self.provider = FaultyProvider(provider_for(self.fs, {"clock": _ten_seconds_ahead}))

    def home(self, path: str) -> str:
        """The setting that names a directory of the stage as the home."""
        return f"{self.root}/{path}"

    def system_home(self, path: str) -> str:
        """The directory that the process sees as `HOME`."""
        return f"{self.root}/{path}"

    def put(self, path: str, entry: Mapping[str, Any], *, same_version: bool = False) -> None:
        """Make what a tree entry describes."""
        place = self._place(path)
        if entry.get("dir"):
            place.mkdir(parents=True, exist_ok=True)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        if "symlink" in entry:
            self.delete(path)
            place.symlink_to(str(entry["symlink"]).replace("$ROOT", self.root))
        else:
            place.write_bytes(content_of(entry))
        self._stamp(place)

    def make_directory(self, path: str) -> None:
        """Make a directory with its parents."""
        self._place(path).mkdir(parents=True, exist_ok=True)

    def delete(self, path: str) -> None:
        """Delete whatever has the name, recursively, without following links."""
        place = self._place(path)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)

    def rename(self, source: str, target: str) -> None:
        """Rename a file or directory."""
        self._place(target).parent.mkdir(parents=True, exist_ok=True)
        self._place(source).rename(self._place(target))

    def touch_version(self, path: str) -> None:
        """Give a file another modification time and leave its bytes."""
        self._stamp(self._place(path))

    def close(self) -> None:
        """Remove the directory."""
        shutil.rmtree(self.root, ignore_errors=True)

    def _place(self, path: str) -> Path:
        return Path(self.root, path)

    def _stamp(self, place: Path) -> None:
        second = next(self._seconds)
        os.utime(place, (second, second), follow_symlinks=not place.is_symlink())


class MemoryStage:
    """A store in memory in which only what was put exists, read leniently."""

    def __init__(self, omit_size: tuple[str, ...] = ()) -> None:
        self.root = self.address = "/guidefs-replay"
        self.fs = MemoryFileSystem()
        self.fake = FakeProvider(lenient=True, omit_size=[f"{self.root}/{path}" for path in omit_size])
        self.provider = FaultyProvider(self.fake)

    def home(self, path: str) -> str:
        """The setting that names a directory of the stage as the home."""
        return f"memory://{self.root}/{path}"

    def system_home(self, path: str) -> str:
        """The directory that the process sees as `HOME`."""
        return f"{self.root}/{path}"

    def put(self, path: str, entry: Mapping[str, Any], *, same_version: bool = False) -> None:
        """Make what a tree entry describes."""
        if entry.get("dir"):
            self.fake.mkdir(self._place(path))
        else:
            self.fake.put(self._place(path), content_of(entry), same_version=same_version)

    def make_directory(self, path: str) -> None:
        """Make a directory entry."""
        self.fake.mkdir(self._place(path))

    def delete(self, path: str) -> None:
        """Delete an entry and all below it."""
        self.fake.delete(self._place(path))

    def rename(self, source: str, target: str) -> None:
        """Rename an entry and all below it."""
        self.fake.rename(self._place(source), self._place(target))

    def touch_version(self, path: str) -> None:
        """Give a file another version and leave its bytes."""
        self.fake.touch_version(self._place(path))

    def close(self) -> None:
        """Nothing is left behind."""

    def _place(self, path: str) -> str:
        return f"{self.root}/{path}"


def _ten_seconds_ahead() -> int:
    import time

    return time.time_ns() + _AHEAD_NANOSECONDS
