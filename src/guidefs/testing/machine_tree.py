"""The small tree that the state machine plays on."""

from __future__ import annotations

from collections.abc import Mapping

from guidefs.values.digest import ECMASCRIPT_WHITE_SPACE

__all__ = ["DIRECTORIES", "NAMES", "ROOT", "TEXTS", "held_in", "path_of", "way_down"]

ROOT = "/w"
DIRECTORIES = ("", "a", "a/b")
NAMES = ("AGENTS.md", "CLAUDE.md")
TEXTS = ("one", "two", "two ", "three")


def path_of(directory: str, name: str) -> str:
    """The absolute path of a file in one of the directories."""
    return f"{ROOT}/{directory}/{name}" if directory else f"{ROOT}/{name}"


def way_down(directory: str) -> list[str]:
    """The directories that a touch makes known: strictly below the working directory."""
    parts = directory.split("/") if directory else []
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def held_in(files: Mapping[str, str], directory: str) -> dict[str, str]:
    """What a directory should be believed to hold: each file whose trimmed text is not an earlier one's.

    Args:
        files: the texts of all files, by absolute path.
        directory: the directory.

    Returns:
        The texts, by path relative to the root.
    """
    found: dict[str, str] = {}
    for name in NAMES:
        text = files.get(path_of(directory, name))
        if text is not None and _trimmed(text) not in map(_trimmed, found.values()):
            found[f"{directory}/{name}" if directory else name] = text
    return found


def _trimmed(text: str) -> str:
    return text.strip(ECMASCRIPT_WHITE_SPACE)
