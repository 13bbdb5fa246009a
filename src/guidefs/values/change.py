"""One transition of one scope, with its form in metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from guidefs.values.scope import Scope

__all__ = ["Action", "Change"]

Action: TypeAlias = Literal["set", "replace", "remove"]


@dataclass(frozen=True, slots=True)
class Change:
    """What one message says about one scope.

    Args:
        action: `set` for a file that was not in force, `replace` for one that changed, `remove` for one that is gone.
        scope: the scope.
        path: the path as the model was shown it, exact, without display escapes.
        digest: the digest of the text; `None` on `remove`, and where old metadata has none.
    """

    action: Action
    scope: Scope
    path: str
    digest: str | None

    def to_json(self) -> dict[str, str]:
        """The form that metadata holds; `digest` is left out where there is none."""
        entry = {"action": self.action, "scope": self.scope.serialised(), "path": self.path}
        return entry if self.digest is None else {**entry, "digest": self.digest}

    @classmethod
    def from_json(cls, entry: object) -> Change | None:
        """Read one entry of metadata; `None` unless it is well-formed. Unknown keys are passed over."""
        if not isinstance(entry, Mapping):
            return None
        action, path, digest = entry.get("action"), entry.get("path"), entry.get("digest")
        serialised = entry.get("scope")
        scope = Scope.parse(serialised) if isinstance(serialised, str) else None
        if action not in ("set", "replace", "remove") or scope is None or not isinstance(path, str):
            return None
        if (digest is not None and not isinstance(digest, str)) or ("digest" in entry and digest is None):
            return None
        return cls(cast(Action, action), scope, path, None if action == "remove" else digest)
