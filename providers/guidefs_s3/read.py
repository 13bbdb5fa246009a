"""The bounded read of a piece of one object."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from guidefs.errors import FileInputOutputError, NotFoundError, NotRegularFileError
from guidefs.storage.failures import file_error
from guidefs.storage.provider import Chunk, Stat
from guidefs.values.answer import Absent, Exists, Unavailable
from guidefs_s3.address import Address, locate
from guidefs_s3.body import opened, read_body, size_of
from guidefs_s3.engine import Engine
from guidefs_s3.fault import get_fault, is_unsatisfiable
from guidefs_s3.presence import is_directory, stat_object
from guidefs_s3.reply import Missing
from guidefs_s3.sdk import FAILURES
from guidefs_s3.version import stated_version

__all__ = ["read_object"]

_IS_DIRECTORY: Final = "{!r} is a directory; name a file"


async def read_object(fs: Any, engine: Engine, path: str, *, offset: int, max_bytes: int) -> Chunk:
    """Read a piece of an object and the version that the piece belongs to.

    Args:
        fs: the filesystem.
        engine: who answers whether a missing key is a directory.
        path: the file.
        offset: where to begin, in bytes from 0.
        max_bytes: how many bytes to read at most.

    Raises:
        NotFoundError: there is no such key.
        NotRegularFileError: the path is a bucket, or a prefix that keys begin with.
        FileInputOutputError: the path cannot be asked for.
    """
    address = locate(fs, path)
    match address:
        case Absent():
            raise NotFoundError(f"{path!r} does not exist: its name is not UTF-8, as all names on S3 are", path=path)
        case Unavailable(error):
            raise FileInputOutputError(error, path=path)
        case Address(key=""):
            raise NotRegularFileError(_IS_DIRECTORY.format(path), path=path)
        case Address():
            if max_bytes < 1:
                return await _end(fs, engine, address, path)
            return await _read(fs, engine, address, path, offset, max_bytes)


async def _read(fs: Any, engine: Engine, address: Address, path: str, offset: int, max_bytes: int) -> Chunk:
    last = offset + max_bytes - 1
    try:
        response = await fs._call_s3(
            "get_object", Bucket=address.bucket, Key=address.key, Range=f"bytes={offset}-{last}"
        )
    except FAILURES as error:
        if is_unsatisfiable(error):
            return await _end(fs, engine, address, path)
        if isinstance(get_fault(error), Missing):
            await _raise_missing(engine, address, path, error)
        raise
    with opened(response) as body:
        version = stated_version(response, version_aware=fs.version_aware)
        size = size_of(response, first=offset)
        data = await read_body(body, max_bytes, None if size is None else size - offset)
    return Chunk(data, version, size)


async def _end(fs: Any, engine: Engine, address: Address, path: str) -> Chunk:
    match await stat_object(fs, engine, address):
        case Stat("file", size, version):
            return Chunk(b"", version, size)
        case Stat():
            raise NotRegularFileError(_IS_DIRECTORY.format(path), path=path)
        case Absent():
            raise NotFoundError(f"{path!r} does not exist; check the path", path=path)
        case Unavailable(error):
            raise FileInputOutputError(f"{path!r} could not be read: {error}", path=path)


async def _raise_missing(engine: Engine, address: Address, path: str, error: Exception) -> NoReturn:
    if isinstance(await is_directory(engine, address), Exists):
        raise NotRegularFileError(_IS_DIRECTORY.format(path), path=path) from error
    raise file_error(error, path) from error
