"""The callback that stands in front of the caller's."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fsspec.callbacks import Callback

from guidefs.filesystem.transfers import TransferLog


class Noting(Callback):  # type: ignore[misc]  # fsspec ships no types
    """Keeps which of its methods were called."""

    flavour = "noting"

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[Any] = []

    def branch(self, path_1: Any, path_2: Any, kwargs: Any) -> None:
        """Note a branch."""
        self.notes.append(("branch", path_1, path_2))

    def call(self, hook_name: Any = None, **kwargs: Any) -> None:
        """Note a call of the hooks."""
        self.notes.append(("call", hook_name, self.size, self.value))

    def close(self) -> None:
        """Note the end."""
        self.notes.append("close")


def test_everything_reaches_the_callers_callback() -> None:
    """Sizes, progress, hooks, branches, attributes and the end are the caller's."""
    noting = Noting()
    with TransferLog(noting) as log:
        log.set_size(2)
        log.relative_update(1)
        log.absolute_update(2)
        log.call("hook")
        log.branch("a", "b", {})
        assert list(log.wrap("xy")) == ["x", "y"]
        assert log.flavour == "noting"
        assert log.size == 2
        log.no_op()
    assert noting.notes == [
        ("call", None, 2, 0),
        ("call", None, 2, 1),
        ("call", None, 2, 2),
        ("call", "hook", 2, 2),
        ("branch", "a", "b"),
        ("call", None, 2, 3),
        ("call", None, 2, 4),
        "close",
    ]
    assert log.used
    assert log.pairs == []
    assert not hasattr(log, "__no_such_method__")


def test_only_transfers_that_succeed_are_kept() -> None:
    """A transfer that raises is not among the pairs, in either half."""

    async def transfer(source: str, destination: str, **kwargs: Any) -> None:
        if source == "bad":
            raise OSError(source)

    log = TransferLog(None)
    with log.branched("a", "b"):
        pass
    with pytest.raises(OSError, match="bad"), log.branched("bad", "b"):
        raise OSError("bad")
    asyncio.run(log.branch_coro(transfer)("c", "d"))
    with pytest.raises(OSError, match="bad"):
        asyncio.run(log.branch_coro(transfer)("bad", "d"))
    assert log.pairs == [("a", "b"), ("c", "d")]
