"""The session that a filesystem made from a `guide::` URL has of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from guidefs.errors import ConfigurationError, UsageError
from guidefs.filesystem.recorder import Recorder

__all__ = ["BareRequest", "RecorderFactory", "make_recorder", "register_recorder_factory"]

MAX_BYTES_VARIABLE = "GUIDEFS_MAX_BYTES"


@dataclass(frozen=True, slots=True)
class BareRequest:
    """What is known about the session that a URL asks for.

    Args:
        fs: the inner filesystem.
        max_bytes: the budget of one rendered message in bytes; zero, negative, NaN or infinite switch loading off.
        path: the path of the URL, in the form that the inner filesystem uses; a file or a directory, `None` where
            there is none. Nothing was asked about it yet.
        cwd: the working directory, `None` to derive it from `path`.
    """

    fs: Any
    max_bytes: float
    path: str | None
    cwd: str | None


RecorderFactory: TypeAlias = Callable[[BareRequest], Recorder]
"""Makes a session for a URL. It does no I/O."""

_factories: list[RecorderFactory] = []


def register_recorder_factory(factory: RecorderFactory) -> None:
    """Name the function that makes the sessions of bare URLs; the last one named counts.

    Args:
        factory: called once a filesystem that is made from a URL without a session.
    """
    _factories.append(factory)
    del _factories[:-1]


def make_recorder(fs: Any, *, max_bytes: object, path: str | None, cwd: str | None) -> Recorder:
    """Make the session of a bare URL, whose budget has to be configured.

    Args:
        fs: the inner filesystem.
        max_bytes: the storage option, `None` where it was not given.
        path: the path of the URL.
        cwd: the working directory, `None` where it was not given.

    Raises:
        ConfigurationError: no budget is configured, or it is no number.
        UsageError: nobody registered a factory.
    """
    budget = _budget(max_bytes)
    if not _factories:
        raise UsageError(
            "a guide:: URL needs a session, but nothing in this process makes one: import guidefs before it is opened"
        )
    return _factories[0](BareRequest(fs, budget, path, cwd))


def _budget(max_bytes: object) -> float:
    """The configured budget in bytes.

    Raises:
        ConfigurationError: none is configured, or it is no number.
    """
    given = os.environ.get(MAX_BYTES_VARIABLE) if max_bytes is None else max_bytes
    if given is None:
        raise ConfigurationError(
            "a guide:: URL without a session needs max_bytes, the budget of one message in bytes: pass the storage "
            f'option max_bytes (in a chain guide={{"max_bytes": 65536}}), or set {MAX_BYTES_VARIABLE}'
        )
    try:
        return int(str(given))
    except ValueError:
        pass
    try:
        return float(str(given))
    except ValueError:
        raise ConfigurationError(f"max_bytes must be a number of bytes, not {given!r}") from None
