"""The primitives for file tools, built from plain fsspec calls."""

from __future__ import annotations

import inspect
from typing import Any, assert_never

from guidefs.errors import AlreadyExistsError, GuardUnsupportedError, NotRegularFileError, StaleVersionError
from guidefs.storage.certainty import is_absence
from guidefs.storage.failures import describe, translated
from guidefs.storage.inquiry import Inquiry, ranged_read
from guidefs.storage.procedure import Call, Procedure
from guidefs.storage.provider import Chunk, CreateOnly, Guard, IfContent, IfVersion, Presence, Stat, Written
from guidefs.storage.text import fingerprint
from guidefs.values.answer import Absent, Unavailable, Version

__all__ = ["GuardedAccess"]


class GuardedAccess:
    """Stats, reads and writes single files of one filesystem.

    fsspec knows no conditional replacement: a guard is checked just before the write, and a writer in between is not
    noticed. Only a creation can be left to the backend, where its `pipe_file` names `mode`.

    Args:
        filesystem: the filesystem that the calls are for.
        inquiry: how it is looked at.
    """

    def __init__(self, filesystem: Any, inquiry: Inquiry) -> None:
        self._inquiry = inquiry
        self._parent = filesystem._parent
        self._creation = {"mode": "create"} if _names_mode(filesystem) else {}

    def stat(self, path: str) -> Procedure[Presence]:
        """Stat one path as `guidefs.storage.Primitives.stat` does."""
        try:
            found = yield from self._inquiry.look(path)
        except Exception as error:  # noqa: BLE001 - a failed stat is an answer
            return Absent() if is_absence(error) else Unavailable(describe(error))
        return Stat(found.kind, found.size, found.version)

    def read(self, path: str, offset: int, max_bytes: int) -> Procedure[Chunk]:
        """Read a piece as `guidefs.storage.Primitives.read` does.

        Raises:
            NotRegularFileError: the path is a directory.
        """
        with translated(path, (Exception,)):
            found = yield from self._inquiry.look(path)
            if found.kind == "directory":
                raise NotRegularFileError(f"{path!r} is a directory; name a file", path=path)
            data = yield from ranged_read(path, offset, max_bytes)
        return Chunk(data, found.version, found.size)

    def write(self, path: str, data: bytes, guard: Guard) -> Procedure[Written]:
        """Write under a guard as `guidefs.storage.Primitives.write` does, except that a reader may see a mixture."""
        with translated(path, (Exception,)):
            match guard:
                case CreateOnly():
                    yield from self._create(path, data)
                case IfContent(expected):
                    yield from self._check_content(path, expected)
                    yield Call("pipe_file", path, content=data)
                case IfVersion(version):
                    yield from self._check_version(path, version)
                    yield Call("pipe_file", path, content=data)
                case _:
                    assert_never(guard)
        return Written(None, "best-effort")

    def _create(self, path: str, data: bytes) -> Procedure[None]:
        found = yield from self.stat(path)
        if isinstance(found, Stat):
            raise AlreadyExistsError(f"{path!r} exists already; read it before changing it", path=path)
        if isinstance(found, Unavailable):
            raise OSError(f"whether it exists could not be found out ({found.error})")
        call = Call("pipe_file", path, self._creation, content=data)
        try:
            yield call
        except FileNotFoundError:
            # Most backends make parents or need none, and on some, making one makes a bucket: only when it must be.
            yield Call("makedirs", self._parent(path), {"exist_ok": True})
            yield call

    def _check_content(self, path: str, expected: str) -> Procedure[None]:
        try:
            data = yield Call("cat_file", path)
        except FileNotFoundError as error:
            raise _stale(path) from error
        if fingerprint(bytes(data)) != expected:
            raise _stale(path)

    def _check_version(self, path: str, version: Version) -> Procedure[None]:
        found = yield from self.stat(path)
        if isinstance(found, Unavailable):
            raise OSError(f"its version could not be found out ({found.error})")
        if isinstance(found, Absent):
            raise _stale(path)
        if found.version is None:
            message = f"{path!r} has no version that could be compared; guard the write by its content"
            raise GuardUnsupportedError(message, path=path)
        if found.version != version:
            raise _stale(path)


def _stale(path: str) -> StaleVersionError:
    return StaleVersionError(f"{path!r} changed or vanished since it was read; read it again", path=path)


def _names_mode(filesystem: Any) -> bool:
    name = "_pipe_file" if getattr(filesystem, "async_impl", False) is True else "pipe_file"
    try:
        return "mode" in inspect.signature(getattr(filesystem, name)).parameters
    except (AttributeError, TypeError, ValueError):
        return False
