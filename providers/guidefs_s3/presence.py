"""Whether a name exists as an object, or as a prefix that some key begins with."""

from __future__ import annotations

from typing import Any

from guidefs.storage.failures import describe
from guidefs.storage.provider import Presence, Stat
from guidefs.values.answer import Absent, Exists, Unavailable
from guidefs_s3.address import Address
from guidefs_s3.engine import NEIGHBOURS, Engine
from guidefs_s3.fault import status_of
from guidefs_s3.reply import Failed, Listed, Refused
from guidefs_s3.sdk import FAILURES
from guidefs_s3.version import stated_version

__all__ = ["has_name", "is_directory", "stat_object"]


async def has_name(engine: Engine, address: Address) -> Exists | Absent | Unavailable:
    """Whether an object or a directory has a name, by one request as a rule.

    Listing the names that begin with it shows both: an object comes out as its key, and the delimiter folds a
    directory of any size into one name. Only where more names begin alike than one small page holds is a second
    request needed, since some of them sort between the object and the directory.
    """
    if not address.key:
        return await is_directory(engine, address)
    match await engine.list(address.as_prefix, max_names=NEIGHBOURS):
        case Listed(objects, prefixes) if address.key in objects or address.below.prefix in prefixes:
            return Exists()
        case Listed(complete=True):
            return Absent()
        case Listed():
            return await is_directory(engine, address)
        case Refused(error) | Failed(error):
            return Unavailable(describe(error))


async def is_directory(engine: Engine, address: Address) -> Exists | Absent | Unavailable:
    """Whether a name is a directory: some key begins with it and a `/`. A bucket that can be listed is one too."""
    match await engine.list(address.below, max_names=1):
        case Listed() as listing:
            return Exists() if listing.names or not address.key else Absent()
        case Refused(error) | Failed(error):
            return Unavailable(describe(error))


async def stat_object(fs: Any, engine: Engine, address: Address) -> Presence:
    """Stat one name, past the filesystem's listing cache.

    A HEAD reply has no body to say whether the store, the bucket or the key is missing, so an absence is only believed
    once a listing agrees.
    """
    if address.key:
        try:
            head = await fs._call_s3("head_object", Bucket=address.bucket, Key=address.key)
            return Stat("file", head.get("ContentLength"), stated_version(head, version_aware=fs.version_aware))
        except FAILURES as error:
            if status_of(error) != 404:
                return Unavailable(describe(error))
    return await _stat_listed(engine, address)


async def _stat_listed(engine: Engine, address: Address) -> Presence:
    match await engine.list(address.as_prefix, max_names=NEIGHBOURS):
        case Listed(objects) if address.key in objects:
            entry = objects[address.key]
            return Stat("file", entry.size, entry.version)
        case Listed(complete=True, prefixes=prefixes) if address.key and address.below.prefix not in prefixes:
            return Absent()
        case Listed():
            outcome = await is_directory(engine, address)
            return Stat("directory", None, None) if isinstance(outcome, Exists) else outcome
        case Refused(error) | Failed(error):
            return Unavailable(describe(error))
