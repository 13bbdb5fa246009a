"""From what a user calls a workspace to a filesystem with a directory in it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import fsspec
from fsspec.core import url_to_fs
from fsspec.implementations.dirfs import DirFileSystem

from guidefs.errors import ConfigurationError, MissingExtraError
from guidefs.values.digest import ECMASCRIPT_WHITE_SPACE
from guidefs.values.path import ancestors, join, normalise

__all__ = ["Address", "open_address", "open_beside", "open_directory"]

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*)(://|::)")
_ORIGIN = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_EXTRAS = {"s3": "s3", "s3a": "s3", "sandbox": "sandbox"}


@dataclass(frozen=True, slots=True)
class Address:
    """A directory on a filesystem.

    Args:
        fs: the filesystem, not wrapped; `None` where there is none.
        cwd: the directory, absolute in the form that the filesystem uses for its own paths.
    """

    fs: Any
    cwd: str

    def walk(self) -> tuple[str, ...]:
        """The directory and all above it in which a root marker counts, nearest first.

        On an object store the walk ends at the bucket. A filesystem that shows a part of another one ends where that
        part begins.
        """
        chain = ancestors(self.cwd)
        rooted_elsewhere = not self.cwd.startswith("/") and "dir" in _protocols(self.fs)
        return (*chain, "") if rooted_elsewhere and chain[-1] else tuple(chain)

    def resolve(self, path: str | os.PathLike[str]) -> str | None:
        """The absolute path that a tool's path names.

        Args:
            path: relative to the directory, or absolute with a leading `/` or one of the filesystem's own schemes.

        Returns:
            The path, or `None` where the path is blank or names another filesystem by its scheme.
        """
        name = os.fspath(path)
        if not name.strip(ECMASCRIPT_WHITE_SPACE):
            return None
        scheme = _SCHEME.match(name)
        if scheme is not None:
            return self._resolve_url(name, scheme[1])
        if name.startswith("/"):
            return normalise(name if self.cwd.startswith("/") else name.lstrip("/"))
        return join(self.cwd, name)

    def _resolve_url(self, url: str, scheme: str) -> str | None:
        if self.fs is None:
            return None
        origin = _origin(str(getattr(self.fs, "path", ""))) if "dir" in _protocols(self.fs) else None
        if origin is not None and _origin(url) == origin:
            return normalise(url.removeprefix(origin))
        return normalise(str(self.fs._strip_protocol(url))) if scheme in _protocols(self.fs) else None


def open_address(address: object, cwd: str | None, storage_options: Mapping[str, Any]) -> Address:
    """Find the filesystem and the working directory of a workspace, without asking the filesystem anything.

    Args:
        address: a path on this host, a URL, an fsspec filesystem, or `None` for no filesystem at all.
        cwd: the working directory relative to the address, or absolute in the filesystem's own form where it begins
            with `/`; with a filesystem it has to be given, in the filesystem's own form.
        storage_options: passed to the filesystem that a URL names.

    Raises:
        ConfigurationError: the address or the directory cannot be one.
        MissingExtraError: the filesystem of the URL needs a package that is not installed.
    """
    if address is None:
        return Address(None, "/")
    if isinstance(address, fsspec.AbstractFileSystem):
        return _with_filesystem(address, cwd, storage_options)
    if not isinstance(address, str | os.PathLike):
        raise ConfigurationError(f"a workspace is a path, a URL or an fsspec filesystem, not {address!r}")
    fs, base = open_directory(os.fspath(address), storage_options)
    if cwd is None or cwd == ".":
        return Address(fs, base)
    _refuse_nul("cwd", cwd)
    return Address(fs, normalise(cwd) if cwd.startswith("/") and base.startswith("/") else join(base, cwd))


def open_beside(fs: Any, address: str) -> tuple[Any, str]:
    """The filesystem that a path or URL lies on, with the absolute path there; it may be one that is open already.

    A URL of the protocol of `fs` that names nothing else, such as another host, means `fs` itself, with the endpoint
    and the credentials that it was given.

    Args:
        fs: a filesystem that is open; `None` for none.
        address: the path or URL.

    Raises:
        ConfigurationError: the address is blank, holds a NUL, or no filesystem is known for it.
        MissingExtraError: the filesystem needs a package that is not installed.
    """
    scheme = _SCHEME.match(address)
    if scheme is None or scheme[2] != "://" or fs is None or scheme[1] not in _protocols(fs):
        return open_directory(address, {})
    _refuse_nul("the address", address)
    named = fs._get_kwargs_from_urls(address)
    if any(fs.storage_options.get(option) != value for option, value in named.items()):
        return open_directory(address, {})
    return fs, normalise(str(fs._strip_protocol(address)))


def open_directory(address: str, storage_options: Mapping[str, Any]) -> tuple[Any, str]:
    """The filesystem that a path or URL lies on, with the absolute path there.

    Raises:
        ConfigurationError: the address is blank, holds a NUL, or no filesystem is known for it.
        MissingExtraError: the filesystem needs a package that is not installed.
    """
    _refuse_nul("the workspace address", address)
    if not address.strip():
        raise ConfigurationError("the workspace address is blank; give a path, a URL or an fsspec filesystem")
    if _SCHEME.match(address) is None:
        address = os.path.abspath(os.path.expanduser(address))
    try:
        fs, path = url_to_fs(address, **storage_options)
    except ImportError as error:
        raise MissingExtraError(_how_to_install(address, error)) from error
    except ValueError as error:
        raise ConfigurationError(f"no filesystem for {address!r}: {error}") from error
    return _rooted(fs, str(path))


def _rooted(fs: Any, path: str) -> tuple[Any, str]:
    """A filesystem with a normalised path on it; one whose paths are whole URLs (http) is rooted at their origin.

    `http://host` must not be taken for two directories, of which the upper one is called `http:`.
    """
    origin = _origin(path)
    if origin is None:
        return fs, normalise(path)
    return DirFileSystem(path=origin, fs=fs), normalise(path.removeprefix(origin))


def _origin(url: str) -> str | None:
    """Scheme, host and port of a URL."""
    found = _ORIGIN.match(url)
    return found[0] if found else None


def _with_filesystem(fs: Any, cwd: str | None, storage_options: Mapping[str, Any]) -> Address:
    if storage_options:
        raise ConfigurationError("storage_options go with an address; the filesystem that was given has its own")
    if cwd is None:
        raise ConfigurationError(
            f"cwd is missing: with a filesystem, name the working directory in its own form, "
            f"for instance Workspace({type(fs).__name__}(...), cwd='bucket/repo', ...)"
        )
    _refuse_nul("cwd", cwd)
    return Address(*_rooted(fs, str(fs._strip_protocol(cwd))))


def _how_to_install(address: str, error: ImportError) -> str:
    scheme = _SCHEME.match(address)
    extra = _EXTRAS.get(scheme[1]) if scheme else None
    hint = f"pip install 'guidefs[{extra}]'" if extra else str(error)
    return f"the filesystem of {address!r} is not installed: {hint}"


def _protocols(fs: Any) -> tuple[str, ...]:
    protocol = fs.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(protocol)


def _refuse_nul(what: str, value: str) -> None:
    if "\0" in value:
        raise ConfigurationError(f"{what} holds a NUL character, which no path can: {value!r}")
