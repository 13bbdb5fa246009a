"""Touches that wait until a transaction of the inner filesystem commits."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

__all__ = ["deferred_files", "on_commit"]

_WAITING = "_guidefs_waiting"


def deferred_files(fs: Any) -> int:
    """How many files of a running transaction wait for its commit; 0 outside a transaction.

    A write joined the transaction if the number is larger after it. Nothing else tells: on most backends files that
    are opened do, while removals, and on object stores whole contents, take effect at once.
    """
    if not getattr(fs, "_intrans", False):
        return 0
    files = getattr(getattr(fs, "_transaction", None), "files", None)
    return len(files) if isinstance(files, Sized) else 0


def on_commit(transaction: Any, action: Callable[[], None]) -> None:
    """Run an action once the transaction has committed, and never if it is aborted or fails.

    The completion of the one transaction object is what is hooked, because every way to end a transaction leads
    there and transactions of caching filesystems look into their list of files.

    Args:
        transaction: a running transaction of the inner filesystem.
        action: what to run; dropped if the transaction is started anew, which forgets the files gathered so far.
    """
    if _WAITING not in vars(transaction):
        setattr(transaction, _WAITING, [])
        transaction.complete = _observed_completion(transaction)
    getattr(transaction, _WAITING).append((transaction.files, action))


def _observed_completion(transaction: Any) -> Callable[..., None]:
    complete = transaction.complete

    def completed(commit: bool = True) -> None:  # noqa: FBT001, FBT002 - the signature of fsspec's Transaction
        waiting = getattr(transaction, _WAITING)
        actions = [action for files, action in waiting if files is transaction.files]
        waiting.clear()
        complete(commit=commit)
        if commit:
            for action in actions:
                action()

    return completed
