"""Lexical algebra on `/`-separated paths, without any look at a filesystem.

A path that begins with `/` is rooted (local disk, a sandbox); one that does not begins with its container (a bucket on
S3). Either is absolute for the filesystem that uses it, and every function keeps the form it was given.
"""

from __future__ import annotations

__all__ = ["ancestors", "descend", "displayed", "is_within", "join", "normalise", "parent", "relative"]

_SHOWN_ESCAPED = {*range(0x20), 0x7F, 0x85, 0x2028, 0x2029}
_SURROGATES = range(0xD800, 0xE000)


def normalise(path: str) -> str:
    """The path without empty and `.` components, and with each `..` taken back; `..` above the top is dropped."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def join(base: str, path: str) -> str:
    """The path `path` below the directory `base`, normalised; a leading `/` in `path` counts for nothing."""
    return normalise(f"{base}/{path}" if base else path.lstrip("/"))


def parent(path: str) -> str | None:
    """The directory of a normalised path, `None` at the top of its filesystem."""
    head, slash, tail = path.rpartition("/")
    if not tail or not (head or slash):
        return None
    return head or slash


def ancestors(path: str) -> list[str]:
    """A normalised directory and every directory above it, nearest first."""
    chain: list[str] = []
    current: str | None = path
    while current is not None:
        chain.append(current)
        current = parent(current)
    return chain


def relative(path: str, base: str) -> str | None:
    """The normalised `path` as seen from the directory `base`: `.` for itself, `None` when it lies outside."""
    if path == base:
        return "."
    prefix = base if base.endswith("/") or not base else f"{base}/"
    return path[len(prefix) :] if path.startswith(prefix) else None


def is_within(path: str, base: str) -> bool:
    """Whether a normalised path is the directory `base` or lies below it, compared component by component."""
    return relative(path, base) is not None


def descend(base: str, path: str) -> list[str]:
    """The directories strictly below `base` on the way down to the directory that holds `path`, outermost first.

    Empty when `path` is `base`, lies directly in it, or lies outside.
    """
    below = relative(path, base)
    if below is None or below == ".":
        return []
    parts = below.split("/")[:-1]
    if "/." in path or "//" in path:  # what a caller let through without normalising it, or a hidden directory
        return [join(base, "/".join(parts[: count + 1])) for count in range(len(parts))]
    start = path[: len(path) - len(below)]
    return [start + "/".join(parts[: count + 1]) for count in range(len(parts))]


def displayed(name: str) -> str:
    """A path or scope as it is shown to people and models, unable to forge a line.

    C0 controls, DEL, U+0085, U+2028 and U+2029 are written `\\uxxxx`; so are lone surrogates, which stand for bytes
    of a name that are not UTF-8 (PEP 383) and could not be encoded.
    """
    if name.isprintable():
        return name
    return "".join(f"\\u{ord(c):04x}" if ord(c) in _SHOWN_ESCAPED or ord(c) in _SURROGATES else c for c in name)
