"""From the words of the command line to a workspace, and to the paths in it."""

from __future__ import annotations

import argparse
import json
from typing import Any

from guidefs.cli.arguments import DEFAULT_MAX_BYTES
from guidefs.errors import ConfigurationError, GuideError, UsageError
from guidefs.storage.failures import describe
from guidefs.workspace.settings_file import settings_from
from guidefs.workspace.workspace import Workspace

__all__ = ["open_workspace", "resolved"]

_SETTINGS = {
    "home": "home",
    "max_bytes": "max_bytes",
    "max_source_bytes": "max_source_bytes",
    "candidate": "candidates",
    "local_candidate": "local_candidates",
    "root_marker": "root_markers",
}


def open_workspace(options: argparse.Namespace) -> Workspace:
    """Make the workspace that the options describe.

    Args:
        options: the parsed command line.

    Raises:
        ConfigurationError: the filesystem cannot be made.
        GuideError: a setting, the address, or the file of settings cannot be used.
        OSError: the filesystem cannot be reached, where it is when it is made.
    """
    settings: dict[str, Any] = {"max_bytes": DEFAULT_MAX_BYTES}
    if options.config is not None:
        settings |= _from_file(options.config)
    for option, setting in _SETTINGS.items():
        given = getattr(options, option)
        if given is not None:
            settings[setting] = given
    storage = dict(map(_storage_option, options.storage_option))
    try:
        return Workspace(options.workspace, options.cwd, storage_options=storage, **settings)
    except (GuideError, OSError):
        raise
    except Exception as error:  # a filesystem may raise anything when it is made
        raise ConfigurationError(
            f"the filesystem of {options.workspace!r} cannot be made: {describe(error)}; "
            "check the address and each --storage-option"
        ) from error


def resolved(workspace: Workspace, path: str) -> str:
    """The absolute path that a word of the command line names.

    Raises:
        UsageError: it is blank, holds a NUL, or lies on another filesystem.
    """
    absolute = None if "\0" in path else workspace.address.resolve(path)
    if absolute is None:
        raise UsageError(
            f"{path!r} names no path of this workspace; give one inside it, relative to {workspace.place.cwd!r}"
        )
    return absolute


def _from_file(path: str) -> dict[str, Any]:
    """The settings of a file.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return settings_from(path)
    except OSError as error:
        raise UsageError(f"--config {path!r} cannot be read: {describe(error)}; name a file with settings") from error


def _storage_option(text: str) -> tuple[str, Any]:
    """Split `KEY=VALUE`; a value that is JSON is taken as such.

    Raises:
        UsageError: there is no `=`.
    """
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise UsageError(f"--storage-option takes KEY=VALUE, not {text!r}")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
