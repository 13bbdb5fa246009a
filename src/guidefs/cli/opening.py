"""From the words of the command line to a workspace."""

from __future__ import annotations

import argparse
import json
from typing import Any

from guidefs.cli.arguments import DEFAULT_MAX_BYTES
from guidefs.errors import UsageError
from guidefs.workspace.settings_file import settings_from
from guidefs.workspace.workspace import Workspace

__all__ = ["open_workspace"]

_SETTINGS = {
    "home": "home",
    "max_bytes": "max_bytes",
    "max_source_bytes": "max_source_bytes",
    "candidate": "candidates",
    "local_candidate": "local_candidates",
    "root_marker": "root_markers",
}


def open_workspace(options: argparse.Namespace, **more: Any) -> Workspace:
    """Make the workspace that the options describe.

    Args:
        options: the parsed command line.
        more: further arguments of the workspace.

    Raises:
        GuideError: a setting, the address, or the file of settings cannot be used.
        OSError: the file of settings cannot be read.
    """
    settings: dict[str, Any] = {"max_bytes": DEFAULT_MAX_BYTES}
    if options.config is not None:
        settings |= settings_from(options.config)
    for option, setting in _SETTINGS.items():
        given = getattr(options, option)
        if given is not None:
            settings[setting] = given
    storage = dict(map(_storage_option, options.storage_option))
    return Workspace(options.workspace, options.cwd, storage_options=storage, **settings, **more)


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
