"""Where an agent works: a directory on some filesystem, with the settings for its instruction files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from guidefs.config import Config
from guidefs.driver.engine import Engine
from guidefs.driver.place import Place
from guidefs.log.ledger import Ledger, MemoryLedger
from guidefs.log.session_log import SessionLog
from guidefs.reconcile.territory import HomeFile
from guidefs.storage.bridge import Bridge
from guidefs.storage.provider import Limits
from guidefs.storage.registry import provider_for
from guidefs.values.diagnostic import Diagnostic
from guidefs.workspace.address import open_address, open_beside
from guidefs.workspace.nowhere import Nowhere
from guidefs.workspace.session import Session
from guidefs.workspace.settings_file import settings_from

__all__ = ["Workspace"]


class Workspace:
    """A directory that agents work in. It never changes, may be shared by any number of sessions, and making one
    asks the filesystem nothing.

    Args:
        address: a path on this host, a URL such as `s3://bucket/repo`, or an fsspec filesystem; `None` for none, where
            nothing is ever loaded and decorated tools work as they are.
        cwd: the working directory. With an address it is relative to it and defaults to it; with a filesystem it has
            to be given, in the filesystem's own form.
        storage_options: passed to the filesystem that a URL names.
        provider: what answers for the filesystem, instead of the one that its protocol finds.
        settings: the fields of `Config`, of which `max_bytes` has to be given, and those of the provider.

    Raises:
        ConfigurationError: a setting is unknown, missing or out of bounds, or the address cannot be one.
        MissingExtraError: the filesystem needs a package that is not installed; the message says which.
    """

    def __init__(
        self,
        address: object,
        cwd: str | None = None,
        *,
        storage_options: Mapping[str, Any] | None = None,
        provider: object | None = None,
        **settings: Any,
    ) -> None:
        own = {name: value for name, value in settings.items() if name in Config.names()}
        others = {name: value for name, value in settings.items() if name not in own}
        self.config = Config.of(settings if provider is not None else own)
        self.address = open_address(address, cwd, storage_options or {})
        fs = self.address.fs
        if fs is None:
            # Loading is off, and the tools that the host has go on working.
            self.config, provider = replace(self.config, max_bytes=0), Nowhere()
        self.storage = Bridge(provider_for(fs, others) if provider is None else provider, fs)
        home, self._home_storage = self._open_home(shares_provider=not others)
        self.place = Place(self.address.cwd, self.address.walk(), home)

    def __repr__(self) -> str:
        return f"<guidefs.Workspace {self.address.cwd!r} on {type(self.address.fs).__name__}>"

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], address: object = ".", **settings: Any) -> Workspace:
        """Make a workspace with the settings of a `guidefs.toml` or a `pyproject.toml` (`[tool.guidefs]`) on disk.

        Args:
            path: the file. It is read because it is named here, never because a workspace holds one.
            address: the workspace, as for the class.
            settings: settings that take precedence over those of the file.

        Raises:
            ConfigurationError: the file is no TOML, or a setting is unknown, missing or out of bounds.
            OSError: the file cannot be read.
        """
        return cls(address, **{**settings_from(path), **settings})

    def session(
        self,
        name: str,
        *,
        log: SessionLog | None = None,
        ledger: Ledger | None = None,
        on_event: Callable[[Diagnostic], None] | None = None,
    ) -> Session:
        """Start one agent run; cheap, and nothing is asked of the filesystem.

        Args:
            name: the host's name of the conversation.
            log: the messages of the conversation so far; left out, an empty one in memory.
            ledger: where the records of rendered messages are kept for `observe`, for hosts that have no place for
                them beside their messages; left out, in memory, so that a resumed run needs the log or the metadata.
            on_event: called with each diagnostic.
        """
        return Session(
            self,
            name,
            log=SessionLog() if log is None else log,
            ledger=MemoryLedger() if ledger is None else ledger,
            on_event=on_event,
        )

    def over(self, provider: object) -> Workspace:
        """The same workspace with another provider in place of its own, for overlays and tests."""
        twin = copy(self)
        twin.storage = Bridge(provider, self.address.fs)
        return twin

    def engine(self) -> Engine:
        """What runs the questions of one session."""
        limits = Limits(self.config.max_source_bytes, self.config.max_batch_bytes)
        return Engine(self.storage, self._home_storage, limits)

    def check_directory(self) -> None:
        """Make sure that the working directory is one, where the provider can tell without a round trip.

        Raises:
            FileError: it does not exist, is no directory, or cannot be read.
        """
        check = getattr(self.storage.provider, "check_directory", None)
        if check is not None:
            check(self.address.cwd)

    def _open_home(self, *, shares_provider: bool) -> tuple[HomeFile, Bridge | None]:
        home = self.config.resolved_home
        fs, directory = open_beside(self.address.fs, home.address)
        if fs is self.address.fs or (shares_provider and fs == self.address.fs):
            return HomeFile(directory, home.label, shared=True), None
        return HomeFile(directory, home.label, shared=False), Bridge(provider_for(fs, {}), fs)
