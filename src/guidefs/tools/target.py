"""The one file that a tool is about to work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guidefs.values.touch import Operation

__all__ = ["Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """The one file that a tool is about to work on.

    Args:
        path: the file as the caller named it; messages and errors use this one.
        address: the backend's own absolute path of it; the primitives use this one.
        operation: what the tool does.
    """

    path: str
    address: str
    operation: Operation

    @property
    def shown(self) -> str:
        """The path for a message: quoted, so that no name can pretend to be more than a name."""
        return repr(self.path)
