"""Names that somebody writes who means a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Lookalikes"]


class Lookalikes:
    """Knows the names that are almost a candidate's: in another case, in the singular, or with a text extension.

    Args:
        names: the candidates, in order; where a name is almost that of several, the first counts.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(names)
        self._meant: Mapping[str, str] = {alike: name for name in reversed(names) for alike in _lookalikes(name)}

    def meant_by(self, name: str) -> str | None:
        """The candidate that a file name is almost, `None` where it is none, or is a candidate itself."""
        return None if name in self._names else self._meant.get(name.strip().casefold())


def _lookalikes(name: str) -> Iterable[str]:
    head, dot, rest = name.casefold().partition(".")
    for stem in (head, head.removesuffix("s")):
        whole = f"{stem}{dot}{rest}"
        yield whole
        if whole.endswith(".md"):
            yield from (whole.removesuffix(".md") + extension for extension in (".txt", ".markdown"))
