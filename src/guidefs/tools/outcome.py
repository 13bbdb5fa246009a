"""What a file tool has to show for itself once all its requests are answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guidefs.tools.observation import Identity

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a tool that succeeded.

    Args:
        text: what the model is told.
        identity: the state of the file that the model knows from now on.
        shows: the digest of the file's text, where what the model is told shows all of it; `None` otherwise.
    """

    text: str
    identity: Identity
    shows: str | None = None
