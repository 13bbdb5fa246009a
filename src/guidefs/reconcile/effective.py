"""What the model has been told so far, folded from the changes in its messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from guidefs.values.change import Change
from guidefs.values.scope import Scope

__all__ = ["Effective", "Loaded", "Removed", "State", "directories", "folded", "state_after"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The model has the text of this file.

    Args:
        path: the path that the model was shown.
        digest: the digest of the text; `None` where the metadata did not say.
    """

    path: str
    digest: str | None


@dataclass(frozen=True, slots=True)
class Removed:
    """The model was told that this file is gone: a tombstone, so that its return is told as new."""


State: TypeAlias = Loaded | Removed
Effective: TypeAlias = Mapping[Scope, State]
"""The newest state of each scope, in the order in which scopes first became effective."""


def state_after(change: Change) -> State:
    """The state that a change leaves its scope in."""
    return Removed() if change.action == "remove" else Loaded(change.path, change.digest)


def folded(changes: Iterable[Change], onto: Effective | None = None) -> dict[Scope, State]:
    """The state after some changes, each scope at the place where it first occurred.

    Args:
        changes: the changes, oldest first.
        onto: the state before.
    """
    state = dict(onto or {})
    for change in changes:
        state[change.scope] = state_after(change)
    return state


def directories(effective: Iterable[Scope]) -> list[str]:
    """The directory keys of some scopes, each once, in order."""
    return list(dict.fromkeys(scope.directory for scope in effective))
