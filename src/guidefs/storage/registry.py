"""Which provider answers for a filesystem."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from guidefs.config import Config
from guidefs.errors import ConfigurationError, MissingExtraError
from guidefs.storage.directory import placed
from guidefs.storage.generic import AsyncGenericProvider, GenericProvider
from guidefs.storage.unwrap import is_caching, origin_of

__all__ = ["ENTRY_POINT_GROUP", "provider_for"]

ENTRY_POINT_GROUP = "guidefs.providers"
"""The entry points that are searched; each is named after the fsspec protocol that it answers for."""

_OWN_DISTRIBUTION = "guidefs"


def provider_for(filesystem: Any, settings: Mapping[str, object]) -> object:
    """Make the provider for a filesystem, chosen by its protocol; the generic one where none is installed.

    Directory wrappers, and others that show just what the inner filesystem has, are looked through; caching
    filesystems are not. Only the chosen provider is imported.

    Args:
        filesystem: any fsspec filesystem.
        settings: keyword arguments for the provider, of those that its class declares in `SETTINGS`.

    Raises:
        ConfigurationError: the provider has no such setting, or it refuses the value.
        MissingExtraError: the provider needs a package that is not installed.
    """
    origin = origin_of(filesystem)
    innermost = origin.filesystem
    kind = _provider_class(innermost)
    known_settings: frozenset[str] = getattr(kind, "SETTINGS", frozenset())
    unknown = sorted(set(settings) - known_settings)
    if unknown:
        known = ", ".join(sorted(known_settings)) or "none"
        raise ConfigurationError(
            f"unknown setting {unknown[0]!r} for {kind.__name__}, which answers for {type(innermost).__name__}; "
            f"its settings: {known}; settings of any workspace: {', '.join(sorted(Config.names()))}"
        )
    return placed(kind(innermost, **settings), origin)


def _provider_class(filesystem: Any) -> Any:
    caching = is_caching(filesystem)
    for protocol in () if caching else _protocols(filesystem):
        found = _installed(tuple(sys.path)).get(protocol)
        if found is not None:
            return _loaded(found)
    is_async = getattr(filesystem, "async_impl", False) is True and not caching
    return AsyncGenericProvider if is_async else GenericProvider


def _protocols(filesystem: Any) -> tuple[str, ...]:
    protocol = filesystem.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(protocol)


@lru_cache(maxsize=8)
def _installed(_search_path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points by protocol; who installs another provider for one of ours means to use it."""
    found = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: (_is_own(point), point.value))
    return {point.name: point for point in reversed(found)}


def _is_own(point: EntryPoint) -> bool:
    return point.dist is not None and point.dist.name == _OWN_DISTRIBUTION


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except MissingExtraError:
        raise
    except ImportError as error:
        raise MissingExtraError(
            f"the provider for {point.name!r} ({point.value}) cannot be imported: {error}; "
            f"run: pip install {_requirement(point)!r}"
        ) from error


def _requirement(point: EntryPoint) -> str:
    """What to install: the extra that an entry point names, or the one that its package is called after."""
    distribution = _OWN_DISTRIBUTION if point.dist is None else point.dist.name
    package = point.module.partition(".")[0]
    own_extra = package.removeprefix("guidefs_") if package.startswith("guidefs_") and _is_own(point) else ""
    extra = next(iter(point.extras), own_extra)
    return f"{distribution}[{extra}]" if extra else distribution
