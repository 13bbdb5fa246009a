"""A host, its disk and its faults at random: ten thousand steps on threads, ten thousand on an event loop."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.stateful import rule

from guidefs import JsonlSessionLog, SessionLog
from guidefs.testing.machine import AsyncSessionMachine, SessionMachine

_STEPS = settings(max_examples=400, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck))

TestSession = SessionMachine.TestCase
TestSession.settings = _STEPS
TestAsyncSession = AsyncSessionMachine.TestCase
TestAsyncSession.settings = _STEPS


class SavedSessionMachine(SessionMachine):
    """The same host with its log in a file, which a resumed run opens anew."""

    def begin_log(self) -> SessionLog:
        """Start a log in a folder of its own."""
        if not hasattr(self, "folder"):
            self.folder = tempfile.TemporaryDirectory()
            self.logs: list[JsonlSessionLog] = []
        return self._open(Path(self.folder.name) / f"{len(self.logs)}.jsonl")

    def reopen_log(self, log: SessionLog) -> SessionLog:
        """Read the file again, as another process does."""
        return self._open(Path(self.logs[-1].path))

    @rule()
    def vacuum(self) -> None:
        """Somebody rewrites the file."""
        self.logs[-1].vacuum()

    def teardown(self) -> None:
        """Take the files away."""
        for log in self.logs:
            log.close()
        self.folder.cleanup()

    def _open(self, path: Path) -> JsonlSessionLog:
        self.logs.append(JsonlSessionLog(path))
        return self.logs[-1]


TestSavedSession = SavedSessionMachine.TestCase
TestSavedSession.settings = settings(_STEPS, max_examples=40)
