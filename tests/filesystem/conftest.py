"""Recorders, inner filesystems, the object store that the tests of the wrapper share."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from guidefs.filesystem import GuideFileSystem


class Log:
    """A receiver of touches that keeps them in order."""

    def __init__(self) -> None:
        self.touches: list[tuple[str, str]] = []

    def touch(self, path: str, operation: str) -> None:
        """Keep one touch."""
        self.touches.append((path, operation))


class ContextRecorder:
    """A recorder whose open call lives in a context variable, as a session keeps it."""

    def __init__(self) -> None:
        self._current: ContextVar[Log | None] = ContextVar("current", default=None)

    def current(self) -> Log | None:
        """The log of the open call."""
        return self._current.get()

    @contextmanager
    def call(self) -> Iterator[Log]:
        """Open a call."""
        log = Log()
        token = self._current.set(log)
        try:
            yield log
        finally:
            self._current.reset(token)


class SteadyRecorder:
    """A recorder that is always in one call."""

    def __init__(self) -> None:
        self.log = Log()

    def current(self) -> Log:
        """The one log."""
        return self.log

    @property
    def touches(self) -> list[tuple[str, str]]:
        """Everything that was touched."""
        return self.log.touches


@pytest.fixture
def recorder() -> SteadyRecorder:
    """A recorder that is always in one call."""
    return SteadyRecorder()


@pytest.fixture
def session() -> ContextRecorder:
    """A recorder whose calls are opened explicitly."""
    return ContextRecorder()


@pytest.fixture
def new_session() -> type[ContextRecorder]:
    """Makes further recorders."""
    return ContextRecorder


@pytest.fixture
def new_recorder() -> type[SteadyRecorder]:
    """Makes further recorders that are always in one call."""
    return SteadyRecorder


@pytest.fixture
def memory() -> MemoryFileSystem:
    """A memory filesystem that nothing else sees."""
    return MemoryFileSystem(global_store=False, skip_instance_cache=True)


@pytest.fixture
def guide(memory: MemoryFileSystem, recorder: SteadyRecorder) -> GuideFileSystem:
    """A wrapped memory filesystem, always in a call."""
    return GuideFileSystem(memory, recorder=recorder)


_failing_alone: set[str] = set()
"""The tests that an unwrapped filesystem fails, without the parameter that says which twin is tested."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers", "differential: the test runs on `inner`, then on `wrapped`, which may fail where `inner` failed"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Excuse a wrapped filesystem from the tests that its inner one fails."""
    report = yield
    if report.when != "call" or report.outcome != "failed" or item.get_closest_marker("differential") is None:
        return report
    twin = item.nodeid.replace("wrapped", "inner")
    if "inner" in item.nodeid:
        _failing_alone.add(twin)
    if twin in _failing_alone:
        report.outcome = "skipped"
        report.wasxfail = "reason: the inner filesystem fails it by itself"
    return report
