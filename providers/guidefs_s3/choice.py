"""Which engine serves a filesystem."""

from __future__ import annotations

from typing import Any

from guidefs.errors import ConfigurationError, MissingExtraError
from guidefs_s3.carry import Carried, NotCarried, carry
from guidefs_s3.client import ClientEngine
from guidefs_s3.engine import Engine
from guidefs_s3.sdk import FAILURES
from guidefs_s3.settings import EngineChoice

__all__ = ["Engines"]


class Engines:
    """Makes the engine of one filesystem, and a new one whenever the filesystem connects anew.

    Args:
        fs: the filesystem.
        choice: what the deployment asked for.
    """

    def __init__(self, fs: Any, choice: EngineChoice) -> None:
        self._fs = fs
        self._choice = choice
        self._client: Any = None
        self._engine: Engine = ClientEngine(fs)

    async def current(self) -> Engine:
        """The engine to ask through; the filesystem is connected if it was not.

        If it cannot be connected, each request will say so.

        Raises:
            ConfigurationError: obstore was asked for and cannot stand in for this filesystem.
            MissingExtraError: obstore was asked for and is not installed.
        """
        try:
            client = await self._fs.set_session()
        except FAILURES:
            return ClientEngine(self._fs)
        if client is not self._client:
            self._engine = self._make(client)
            self._client = client
        return self._engine

    def _make(self, client: Any) -> Engine:
        own = ClientEngine(self._fs)
        if self._choice == "s3fs":
            return own
        try:
            from guidefs_s3.fast import FastEngine
        except MissingExtraError:
            if self._choice == "obstore":
                raise
            return own
        match carry(self._fs, client):
            case Carried() as carried:
                return FastEngine(own, carried, version_aware=self._fs.version_aware)
            case NotCarried(reason) if self._choice == "obstore":
                raise ConfigurationError(
                    f"obstore cannot stand in for this filesystem, because {reason}: use engine='auto'"
                )
            case NotCarried():
                return own
