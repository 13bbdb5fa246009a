"""What a deployment chooses: every setting, checked when it is made."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from guidefs.errors import ConfigurationError

__all__ = ["DEFAULT_HOME", "Config", "Home"]

DEFAULT_HOME: Final = "~/.dsh"
_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*(://|::)")


@dataclass(frozen=True, slots=True)
class Home:
    """Where the one user-global instruction file lies.

    Args:
        address: the directory, as an absolute path on this host or as a URL.
        label: how the directory is shown to the model.
    """

    address: str
    label: str

    @property
    def is_url(self) -> bool:
        """Whether the directory lies on a filesystem that a URL names, rather than on this host's disk."""
        return _URL.match(self.address) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting of a workspace.

    Args:
        max_bytes: the budget of one rendered message in UTF-8 bytes. Zero, a negative number, NaN and infinity switch
            all loading off.
        max_source_bytes: the largest instruction file, in bytes; a positive integer.
        max_batch_bytes: the bound on the text of one batch, in bytes; a positive integer.
        home: the directory of the user-global `AGENTS.md`: a path on this host (`~`, `~/x` and `~\\x` are expanded) or
            a URL. A URL of the workspace's own protocol and host is reached as the workspace is. `None` takes
            `$DSH_HOME`, else `~/.dsh`.
        root_markers: names of files or directories that make a directory the project root.
        candidates: the instruction files looked for in each directory, in order.
        local_candidates: overlays of the same directory, after the base files; empty switches them off.

    Raises:
        ConfigurationError: a value is of the wrong type or out of bounds; the message names the setting.
    """

    max_bytes: float
    max_source_bytes: int = 1 << 20  # 1 MiB
    max_batch_bytes: int = 8 << 20  # 8 MiB
    home: str | None = None
    root_markers: Sequence[str] = (".git",)
    candidates: Sequence[str] = ("AGENTS.md", "CLAUDE.md")
    local_candidates: Sequence[str] = ("AGENTS.local.md", "CLAUDE.local.md")
    resolved_home: Home = field(init=False)

    def __post_init__(self) -> None:
        _check_number("max_bytes", self.max_bytes)
        _check_positive_integer("max_source_bytes", self.max_source_bytes)
        _check_positive_integer("max_batch_bytes", self.max_batch_bytes)
        if self.home is not None and not isinstance(self.home, str):
            raise ConfigurationError(f"home must be a path or a URL, not {self.home!r}")
        for name in ("root_markers", "candidates", "local_candidates"):
            names = _checked_names(name, getattr(self, name))
            object.__setattr__(self, name, names)
        object.__setattr__(self, "root_markers", tuple(m for m in self.root_markers if m not in {"", ".", ".."}))
        object.__setattr__(self, "candidates", tuple(filter(_is_file_name, self.candidates)))
        object.__setattr__(self, "local_candidates", tuple(filter(_is_file_name, self.local_candidates)))
        object.__setattr__(self, "resolved_home", _resolve_home(self.home))

    @classmethod
    def of(cls, settings: Mapping[str, object]) -> Config:
        """Build a configuration from named settings.

        Raises:
            ConfigurationError: a name is unknown, `max_bytes` is missing, or a value cannot be used.
        """
        known = cls.names()
        for name in settings:
            if name not in known:
                raise ConfigurationError(f"unknown setting {name!r}; the settings are {', '.join(sorted(known))}")
        if "max_bytes" not in settings:
            raise ConfigurationError(
                "max_bytes is missing: choose the budget of one message in bytes, for instance max_bytes=65_536"
            )
        return cls(**settings)  # type: ignore[arg-type] # every value is checked in __post_init__

    @classmethod
    def names(cls) -> frozenset[str]:
        """The names of all settings."""
        return frozenset(f.name for f in fields(cls) if f.init)

    @property
    def enabled(self) -> bool:
        """Whether anything is loaded at all."""
        return math.isfinite(self.max_bytes) and self.max_bytes > 0

    @property
    def names_in_order(self) -> tuple[str, ...]:
        """The file names of one directory in the order in which they load: base candidates, then local ones."""
        return tuple(dict.fromkeys((*self.candidates, *self.local_candidates)))


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigurationError(f"{name} must be a number of bytes, not {value!r}")


def _check_positive_integer(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ConfigurationError(f"{name} must be a positive integer, a number of bytes, not {value!r}")


def _checked_names(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ConfigurationError(f"{name} must be a list of file names, not {value!r}")
    for entry in value:
        if not isinstance(entry, str):
            raise ConfigurationError(f"{name} must hold file names only, not {entry!r}")
    return tuple(value)


def _is_file_name(entry: str) -> bool:
    return entry not in {"", ".", ".."} and not any(character in entry for character in "/\\\0")


def _resolve_home(configured: str | None) -> Home:
    default = os.path.normpath(_expand(DEFAULT_HOME))
    chosen = configured if configured is not None else os.environ.get("DSH_HOME", "")
    if not chosen.strip():
        return Home(default, DEFAULT_HOME)
    if _URL.match(chosen):
        return Home(chosen.rstrip("/"), "$DSH_HOME")
    address = os.path.abspath(_expand(chosen))
    return Home(address, DEFAULT_HOME if address == default else "$DSH_HOME")


def _expand(path: str) -> str:
    if path == "~" or path.startswith(("~/", "~\\")):
        return os.path.join(os.path.expanduser("~"), path[2:])
    return path
