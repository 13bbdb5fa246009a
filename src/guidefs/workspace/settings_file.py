"""Settings from a file that somebody named, never from one that happens to lie in a workspace."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from guidefs.errors import ConfigurationError

__all__ = ["settings_from"]

_NOT_FROM_A_FILE = {"address", "cwd", "storage_options", "provider"}
"""Arguments of a workspace that are no settings."""


def settings_from(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the settings of a `guidefs.toml`, or the table `[tool.guidefs]` of a `pyproject.toml`, on this host's disk.

    Raises:
        ConfigurationError: the file is no TOML, the table is none, or it says where to work.
        OSError: the file cannot be read.
    """
    file = Path(path)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{os.fspath(path)!r} is no TOML file: {error}") from error
    settings: object = content
    if file.name == "pyproject.toml":
        tools = content.get("tool", {})
        settings = tools.get("guidefs", {}) if isinstance(tools, dict) else tools
    if not isinstance(settings, dict):
        raise ConfigurationError(f"[tool.guidefs] in {os.fspath(path)!r} must be a table, not {settings!r}")
    for name in _NOT_FROM_A_FILE & settings.keys():
        raise ConfigurationError(f"unknown setting {name!r} in {os.fspath(path)!r}: a file does not say where to work")
    return settings
