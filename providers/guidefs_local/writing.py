"""Guarded writes of local files.

The new content is written to a temporary file beside the target and takes its name in one step, so a reader sees the
old bytes or the new ones. Creation is a hard link, which fails if the name is taken: of many creators one wins. A
replacement is verified, exchanged with the target, and verified again on what came out; if somebody else got in
between, the exchange is taken back. Writers of this library also hold the lock of the directory, and so never lose
anything among themselves. A process that is killed in the middle leaves a `.guidefs-*.tmp` file. Nothing is promised
about a power failure: the data is not forced to the disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, TypeAlias

from guidefs.errors import AccessDeniedError, AlreadyExistsError, NotADirectoryFileError, StaleVersionError
from guidefs.storage.failures import translated
from guidefs.storage.provider import CreateOnly, Guard, IfContent, IfVersion, Written
from guidefs.values.answer import Version
from guidefs_local.exchange import exchange
from guidefs_local.identity import trusted_version
from guidefs_local.locking import directory_lock
from guidefs_local.permission import is_accessible
from guidefs_local.staging import EXCLUSIVE_FLAGS, Inode, Staged, inode_of, staged, write_all
from guidefs_local.verification import Expectation

__all__ = ["write_guarded"]

_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK})

Guarantee: TypeAlias = Literal["atomic", "checked", "best-effort"]


def write_guarded(path: str, data: bytes, guard: Guard, trusted_before: Callable[[], int]) -> Written:
    """Replace the whole content of a file if the guard holds; a link's target is what is written.

    Args:
        path: the file; missing parents are made for a new one.
        data: the new content.
        guard: what has to hold.
        trusted_before: gives the time up to which a version may be trusted, as `trusted_version` takes it.

    Every failure is a `FileError`, after which nothing was written: `AlreadyExistsError` for a creation whose name is
    taken, `StaleVersionError` for a replacement whose file is another one now, or gone.
    """
    with translated(path):
        target = os.path.realpath(path)
        if isinstance(guard, CreateOnly):
            inode, guarantee = _create(path, target, data)
        else:
            with directory_lock(os.path.dirname(target)):
                inode, guarantee = _replace(path, target, data, guard)
        version = _version_of(target, inode, trusted_before())
    return Written(version, guarantee)


def _create(path: str, target: str, data: bytes) -> tuple[Inode, Guarantee]:
    _make_parents(os.path.dirname(target), path)
    with staged(target, data, None) as file:
        try:
            os.link(file.path, target)
        except FileExistsError as error:
            raise _taken(path) from error
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            return _create_exclusively(path, target, data), "atomic"
    return file.inode, "atomic"


def _create_exclusively(path: str, target: str, data: bytes) -> Inode:
    # For filesystems without hard links; a reader may see the file half written.
    try:
        descriptor = os.open(target, EXCLUSIVE_FLAGS, 0o666)
    except FileExistsError as error:
        raise _taken(path) from error
    try:
        write_all(descriptor, data)
        return inode_of(os.fstat(descriptor))
    except BaseException:
        os.unlink(target)
        raise
    finally:
        os.close(descriptor)


def _replace(path: str, target: str, data: bytes, guard: IfVersion | IfContent) -> tuple[Inode, Guarantee]:
    expectation = Expectation(guard)
    found = expectation.met_by(target)
    if found is None:
        raise _stale(path)
    if not is_accessible(target, os.W_OK):
        raise AccessDeniedError(f"{path!r} is write-protected; change its permissions first", path=path)
    with staged(target, data, found) as file:
        try:
            exchanged = exchange(file.path, target)
        except FileNotFoundError as error:
            raise _stale(path) from error
        if exchanged:
            _verify_displaced(path, target, file, expectation)
            return file.inode, "checked"
        if expectation.met_by(target) is None:
            raise _stale(path)
        os.replace(file.path, target)
        return file.inode, "best-effort"


def _verify_displaced(path: str, target: str, file: Staged, expectation: Expectation) -> None:
    # Until it is certain what was displaced, it must not be deleted.
    file.keep = True
    try:
        as_expected = expectation.met_by_displaced(file.path)
    except OSError:
        _take_back(target, file)
        raise
    if not as_expected:
        _take_back(target, file)
        raise _stale(path)
    file.keep = False


def _take_back(target: str, file: Staged) -> None:
    """Give the target its displaced file again, unless a third writer replaced or removed it meanwhile."""
    with suppress(FileNotFoundError):
        exchange(file.path, target)
        if inode_of(os.lstat(file.path)) != file.inode:
            exchange(file.path, target)
    file.keep = False


def _make_parents(directory: str, path: str) -> None:
    try:
        os.makedirs(directory, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        message = f"{path!r} cannot be created: something above it is a file; choose another place"
        raise NotADirectoryFileError(message, path=path) from error


def _version_of(target: str, inode: Inode, trusted_before: int) -> Version | None:
    """The version of what was just written, `None` if something else has the name by now."""
    try:
        found = os.lstat(target)
    except OSError:
        return None
    return trusted_version(found, trusted_before) if inode_of(found) == inode else None


def _taken(path: str) -> AlreadyExistsError:
    return AlreadyExistsError(f"{path!r} exists already; read it before changing it", path=path)


def _stale(path: str) -> StaleVersionError:
    return StaleVersionError(f"{path!r} changed or vanished since it was read; read it again", path=path)
