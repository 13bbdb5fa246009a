"""One observed operation, from its start to its touches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from guidefs.filesystem.arguments import Argument, Call, each_path, is_local_directory, located, remembering, touches_of
from guidefs.filesystem.commits import deferred_files, on_commit
from guidefs.filesystem.operations import FileOperation, Found
from guidefs.filesystem.recorder import TouchSink
from guidefs.filesystem.transfers import TransferLog
from guidefs.values.touch import Touch

__all__ = ["Observation"]

_CALLBACK = Argument("callback", 3)
"""The place of the progress callback in `get` and `put`."""


class Observation:
    """Watches one call of one method of the inner filesystem.

    Args:
        fs: the inner filesystem.
        sink: the receiver of the touches, asked for when the operation starts.
        operation: the row of the method.
        call: the call as the caller made it.

    Attributes:
        call: the call to make instead.
    """

    __slots__ = ("_deferred", "_fs", "_operation", "_sink", "_transfers", "call")

    def __init__(self, fs: Any, sink: TouchSink, operation: FileOperation, call: Call) -> None:
        self._fs = fs
        self._sink = sink
        self._operation = operation
        self._deferred = deferred_files(fs)
        self._transfers: TransferLog | None = None
        self.call = remembering(operation, call)
        if operation.found is Found.TRANSFERS:
            self._transfers = TransferLog(_CALLBACK.of(call))
            self.call = _CALLBACK.replaced(self.call, self._transfers)

    def succeed(self, answer: Any) -> None:
        """Report what the finished call touched, each path once an operation.

        What joined a running transaction is reported when that commits.
        """
        if self._transfers is None:
            touches: Iterable[Touch] = touches_of(self._operation, self.call, answer)
        else:
            touches = self._transferred(self._transfers)
        report: Callable[[str, Any], None] = self._sink.touch
        waits = deferred_files(self._fs) > self._deferred
        for touch in dict.fromkeys(located(self._fs, touches)):
            if waits and touch.operation != "read":
                on_commit(self._fs._transaction, partial(report, touch.path, touch.operation))
            else:
                report(touch.path, touch.operation)

    def _transferred(self, transfers: TransferLog) -> Iterator[Touch]:
        downloads = bool(self._operation.reads)
        pairs = transfers.pairs if transfers.used else self._unreported()
        for source, destination in pairs:
            remote, local = (source, destination) if downloads else (destination, source)
            if not is_local_directory(local):
                yield Touch(remote, "read" if downloads else "write")

    def _unreported(self) -> Iterator[tuple[Any, Any]]:
        """The transfers of a backend that reports none: those whose local end is a regular file."""
        sources, destinations = (each_path(Argument(name, at).of(self.call)) for at, name in self._ends())
        for source, destination in zip(sources, destinations, strict=False):
            if self._operation.writes:
                yield from [(source, destination)] if os.path.isfile(source) else []
            else:
                inside = os.path.join(destination, os.path.basename(source))
                yield from [(source, end) for end in (destination, inside) if os.path.isfile(end)]

    def _ends(self) -> Iterable[tuple[int, str]]:
        return enumerate(("rpath", "lpath") if self._operation.reads else ("lpath", "rpath"))
