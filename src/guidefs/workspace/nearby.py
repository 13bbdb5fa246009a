"""What lies beside the candidates: links with their targets, names that are no files, files named almost like one."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from guidefs.storage.certainty import is_absence
from guidefs.storage.failures import describe
from guidefs.values.explanation import ExplainedFile, Explanation, Standing
from guidefs.values.lookalike import Lookalikes
from guidefs.values.path import parent

__all__ = ["with_neighbours"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of a directory.

    Args:
        kind: what it is itself, rather than what a link leads to: `file`, `directory`, or another word of its backend.
        link_target: where a link leads; `None` where it is none, or the filesystem does not say.
    """

    kind: str
    link_target: str | None


def with_neighbours(explanation: Explanation, fs: Any) -> Explanation:
    """Add near misses and link targets to an explanation, from one listing a directory.

    A directory that cannot be listed is noted and adds nothing else: that is no reason for the explanation to fail.

    Args:
        explanation: what was explained.
        fs: the workspace's filesystem, used synchronously; it may answer from its listing cache.
    """
    listed: dict[str, dict[str, _Entry]] = {}
    unlisted: list[tuple[str, str]] = []
    for directory in explanation.directories:
        try:
            listed[directory] = _listing(fs, directory)
        except Exception as error:  # noqa: BLE001 - a backend may raise anything, and this is about its neighbours only
            if not (is_absence(error) or getattr(error, "errno", None) == errno.ELOOP):
                unlisted.append((directory, describe(error)))
    files = [_looked_at(file, listed.get(_directory(file.path), {}).get(file.path)) for file in explanation.files]
    for directory, entries in listed.items():
        looked_for = [file for file in explanation.files if _directory(file.path) == directory]
        files.extend(_near_misses(entries, looked_for))
    return replace(explanation, files=tuple(files), unlisted=tuple(unlisted))


def _listing(fs: Any, directory: str) -> dict[str, _Entry]:
    return {str(entry["name"]): _entry(entry) for entry in fs.ls(directory, detail=True)}


def _entry(entry: Mapping[str, Any]) -> _Entry:
    target = entry.get("destination") if entry.get("islink") else None
    if isinstance(target, bytes):
        target = target.decode(errors="surrogateescape")
    return _Entry(str(entry.get("type", "file")) if target is None else "file", target)


def _looked_at(file: ExplainedFile, entry: _Entry | None) -> ExplainedFile:
    if entry is None:
        return file
    found = replace(file, link_target=entry.link_target)
    if file.standing is not Standing.ABSENT:
        return found
    if entry.link_target is not None:
        return replace(found, standing=Standing.NOT_A_FILE, detail="a link that leads to no file")
    if entry.kind == "file":
        return found
    detail = "a directory" if entry.kind == "directory" else "a pipe, a socket or a device"
    return replace(found, standing=Standing.NOT_A_FILE, detail=detail)


def _near_misses(entries: Mapping[str, _Entry], looked_for: Sequence[ExplainedFile]) -> Iterable[ExplainedFile]:
    """The entries of one directory that are named almost like one of its candidates."""
    labels = {_name(file.path): file.label for file in looked_for}
    lookalikes = Lookalikes(list(labels))
    for path, entry in sorted(entries.items()):
        name = _name(path)
        meant = lookalikes.meant_by(name)
        if meant is None or entry.kind != "file":
            continue
        label = labels[meant].removesuffix(meant) + name
        detail = f"not loaded; did you mean {meant}?"
        yield ExplainedFile(label, path, Standing.NEAR_MISS, detail, link_target=entry.link_target)


def _directory(path: str) -> str:
    return parent(path) or ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]
