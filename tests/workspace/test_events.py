"""Diagnostics: what a session reports beside its messages."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from guidefs.values.diagnostic import (
    Diagnostic,
    FileDuplicate,
    FileLoaded,
    FileOmitted,
    FileRemoved,
    FileTruncated,
    FileUnavailable,
    NothingRendered,
    RootUndecided,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from tests.workspace.conftest import Bench

    Touch = Callable[..., list[str]]


def test_loading_updating_and_removing(bench: Bench, touch: Touch) -> None:
    """A file that is told is reported with its size, as an update where it was told before; so is a removal."""
    events: list[Diagnostic] = []
    session = bench.session(on_event=events.append)
    bench.put("p/AGENTS.md", "é")
    touch(session, "p/x")
    bench.put("p/AGENTS.md", "éé")
    touch(session, "p/x")
    bench.delete("p/AGENTS.md")
    touch(session, "p/x")
    assert events == [
        FileLoaded("p/AGENTS.md", 2, updated=False),
        FileLoaded("p/AGENTS.md", 4, updated=True),
        FileRemoved("p/AGENTS.md"),
    ]


def test_copies_and_failures(bench: Bench, touch: Touch) -> None:
    """A copy is reported with its original, a failure with its reason."""
    events: list[Diagnostic] = []
    session = bench.session(on_event=events.append)
    bench.put("p/AGENTS.md", "same")
    bench.put("p/CLAUDE.md", "same")
    bench.put("p/AGENTS.local.md", "\0")
    bench.put("p/CLAUDE.local.md", "fails")
    bench.fail("p/CLAUDE.local.md")
    touch(session, "p/x")
    assert FileDuplicate("p/CLAUDE.md", "p/AGENTS.md") in events
    failed = {event.path: event.error for event in events if isinstance(event, FileUnavailable)}
    assert failed["p/AGENTS.local.md"] == "not text"
    assert "injected failure" in failed["p/CLAUDE.local.md"]


def test_budget(make_bench: Callable[..., Bench], touch: Touch) -> None:
    """Files that the budget left out or cut are reported, and a message that did not fit at all."""
    events: list[Diagnostic] = []
    bench = make_bench(max_bytes=420)
    session = bench.session(on_event=events.append)
    bench.put("p/AGENTS.md", "x" * 100)
    bench.put("p/q/AGENTS.md", "y" * 900)
    touch(session, "p/q/x")
    assert FileOmitted("p/AGENTS.md", 420) in events
    (cut,) = [event for event in events if isinstance(event, FileTruncated)]
    assert (cut.path, cut.source_bytes) == ("p/q/AGENTS.md", 900)
    assert 0 < cut.kept_bytes < 900
    events.clear()
    tiny = make_bench(max_bytes=20)
    tiny.put_each("p")
    touch(tiny.session(on_event=events.append), "p/x")
    assert events == [NothingRendered(("p/AGENTS.md",), 20)]


def test_marker_that_fails(bench: Bench, touch: Touch) -> None:
    """A marker that cannot be examined, so that the working directory is the root, is reported."""
    events: list[Diagnostic] = []
    bench.fail(".git")
    touch(bench.session(on_event=events.append), "x")
    (event,) = events
    assert isinstance(event, RootUndecided)
    assert event.path == "/work/.git"


def test_raising_listener_is_logged(bench: Bench, touch: Touch, caplog: pytest.LogCaptureFixture) -> None:
    """A listener that raises harms nothing but the log."""

    def listen(event: Diagnostic) -> None:
        raise RuntimeError("listener")

    bench.put_each("p")
    assert touch(bench.session(on_event=listen), "p/x") == ["set p/AGENTS.md"]
    assert "listener" in caplog.text


def test_everything_is_logged(bench: Bench, touch: Touch, caplog: pytest.LogCaptureFixture) -> None:
    """Every diagnostic is logged for people who look, without a listener."""
    bench.put_each("p")
    with caplog.at_level(logging.DEBUG, "guidefs"):
        touch(bench.session(), "p/x")
    assert "p/AGENTS.md" in caplog.text
    assert "rules of p" not in caplog.text


def test_listener_may_use_the_session(bench: Bench, touch: Touch) -> None:
    """A listener may ask the session for its status from within."""
    seen: list[int] = []

    def listen(event: Diagnostic) -> None:
        seen.append(len(session.status().pending))

    session = bench.session(on_event=listen)
    bench.put_each("p")
    assert touch(session, "p/x") == ["set p/AGENTS.md"]
    assert len(seen) == 1
