"""What lies beside the candidates: links with their targets, files named almost like one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from guidefs.driver.explanation import ExplainedFile, Explanation, Standing
from guidefs.values.path import join, relative

__all__ = ["with_neighbours"]

_LOOKS_LIKE = {"agent.md": "AGENTS.md", "agents.txt": "AGENTS.md", "agents.markdown": "AGENTS.md"}


def with_neighbours(explanation: Explanation, fs: Any, names: Sequence[str]) -> Explanation:
    """Add near misses and link targets to an explanation, from one listing a directory.

    A directory that cannot be listed adds nothing: that is no reason for the explanation to fail.

    Args:
        explanation: what was explained.
        fs: the filesystem, used synchronously.
        names: the candidates looked for in each directory.
    """
    listed = {directory: _listing(fs, directory) for directory in explanation.directories}
    links = {path: target for entries in listed.values() for path, target in entries.items() if target is not None}
    files = [replace(file, link_target=links.get(file.path)) for file in explanation.files]
    wanted = {name.casefold(): name for name in reversed(names)}
    for directory, entries in listed.items():
        files.extend(_near_misses(explanation, directory, entries, wanted, set(names)))
    return replace(explanation, files=tuple(files))


def _listing(fs: Any, directory: str) -> dict[str, str | None]:
    """The entries of a directory with the targets of those that are links."""
    try:
        entries = fs.ls(directory, detail=True)
    except (OSError, ValueError, NotImplementedError):
        return {}
    found: dict[str, str | None] = {}
    for entry in entries:
        target = entry.get("destination") if entry.get("islink") else None
        found[str(entry["name"])] = target.decode(errors="surrogateescape") if isinstance(target, bytes) else target
    return found


def _near_misses(
    explanation: Explanation, directory: str, entries: Iterable[str], wanted: dict[str, str], names: set[str]
) -> Iterable[ExplainedFile]:
    for path in sorted(entries):
        name = path.rpartition("/")[2]
        meant = wanted.get(name.casefold()) or _LOOKS_LIKE.get(name.casefold())
        if name in names or meant is None:
            continue
        below = relative(directory, explanation.root)
        label = name if below in {None, "."} else join(below or "", name)
        yield ExplainedFile(label, path, Standing.NEAR_MISS, f"not loaded; did you mean {meant}?")
