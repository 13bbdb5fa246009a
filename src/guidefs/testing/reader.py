"""What somebody who reads every visible message believes, taken from the words alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from guidefs.render.frame import frames, unframed
from guidefs.render.wording import BASELINE_INTRO

__all__ = ["believed"]

_HEADING = re.compile(
    r"^(?P<kind>Instructions from|Additional instructions from|Updated instructions from|Instructions removed): "
    r"(?P<path>.*)$"
)
_EXPLANATION = re.compile(r"^(These instructions apply|This file changed|The previously loaded)")


def believed(texts: Iterable[str]) -> dict[str, str]:
    """Read messages in order and note which text is in force for which file.

    It knows nothing but the wording, so it is a check on everything else. It understands texts of one paragraph that
    do not look like a heading themselves; machines write such texts. A message that is cut or cleared says nothing.

    Args:
        texts: the visible messages, oldest first.

    Returns:
        The text in force by the path that the messages name.
    """
    belief: dict[str, str] = {}
    for text in texts:
        for frame in frames(text):
            _read(unframed(frame).split("\n\n"), belief)
    return belief


def _read(blocks: list[str], belief: dict[str, str]) -> None:
    if BASELINE_INTRO in blocks:
        # A baseline says all that holds from the start.
        belief.clear()
    path = ""
    for block in blocks:
        heading = _HEADING.match(block)
        if heading is not None and heading["kind"] == "Instructions removed":
            belief.pop(heading["path"], None)
            path = ""
        elif heading is not None:
            path = heading["path"]
        elif path and not _EXPLANATION.match(block):
            belief[path] = block
