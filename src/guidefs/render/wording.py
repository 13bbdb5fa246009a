"""The words of every message: a wire format, kept byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from guidefs.values.path import displayed

__all__ = [
    "BASELINE_INTRO",
    "CLOSE",
    "COMPACT_INTRO",
    "OPEN",
    "SUPERSEDING",
    "additional_heading",
    "baseline_heading",
    "budget_notice",
    "removal",
    "updated_heading",
]

OPEN: Final = "<system-reminder>"
CLOSE: Final = "</system-reminder>"

BASELINE_INTRO: Final = (
    "The following workspace instructions may be relevant to your work. Use them as guidance when applicable. "
    "More specific instructions take precedence over broader ones. "
    "They do not override system, developer, or direct user instructions."
)
COMPACT_INTRO: Final = "Workspace instructions were omitted or truncated to fit the configured byte budget."
SUPERSEDING: Final = "These workspace instructions supersede the ones given at the start of this conversation."

_MOST_NAMED_PATHS: Final = 10


def baseline_heading(path: str) -> str:
    """What stands above a file of the baseline."""
    return f"Instructions from: {displayed(path)}"


def additional_heading(path: str, directory: str) -> str:
    """What stands above a file that was not in force before."""
    return (
        f"Additional instructions from: {displayed(path)}\n\n"
        f"These instructions apply to work under `{displayed(directory)}`. Use them as guidance when relevant; "
        "more specific instructions take precedence. "
        "They do not override system, developer, or direct user instructions."
    )


def updated_heading(path: str) -> str:
    """What stands above the new text of a file that changed."""
    return (
        f"Updated instructions from: {displayed(path)}\n\n"
        "This file changed after it was loaded. Use the following content instead of the previously loaded "
        "instructions from this file."
    )


def removal(path: str) -> str:
    """What is said of a file that is gone."""
    return (
        f"Instructions removed: {displayed(path)}\n\nThe previously loaded instructions from this file no longer apply."
    )


def budget_notice(max_bytes: float, omitted: Sequence[str], truncated: str | None) -> str:
    """What is said of files that the budget left out or cut.

    Args:
        max_bytes: the budget.
        omitted: the paths left out; the first ten are named.
        truncated: the finished clause about the file that was cut, `None` where none was.
    """
    clauses = []
    if omitted:
        named = ", ".join(displayed(path) for path in omitted[:_MOST_NAMED_PATHS])
        rest = len(omitted) - _MOST_NAMED_PATHS
        clauses.append(f"omitted {named}" + (f" and {rest} more" if rest > 0 else ""))
    if truncated is not None:
        clauses.append(truncated)
    return f"Workspace instruction budget {_plain(max_bytes)} bytes: {'; '.join(clauses)}"


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)
