"""Sub-agents, guidance before the first access, and the layout of what a session knows."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from guidefs import Message, SessionLog, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.workspace.conftest import Bench

    from guidefs import Context

    Touch = Callable[..., list[str]]
    Tell = Callable[[Iterable[Context]], list[str]]

SET = ["set p/AGENTS.md"]


def test_child_has_a_state_of_its_own(bench: Bench, touch: Touch) -> None:
    """What a sub-agent is told its parent is not, and the other way round."""
    bench.put_each(*"pq")
    parent = bench.session()
    child = parent.child("reviewer")
    assert touch(parent, "p/x") == SET
    assert touch(child, "p/x") == SET
    assert touch(child, "q/x") == touch(parent, "q/x") == ["set q/AGENTS.md"]
    assert child.name == "reviewer"
    assert child.workspace is parent.workspace


def test_child_call_inside_a_parent_call(bench: Bench, touch: Touch, tell: Tell) -> None:
    """A sub-agent that works inside its parent's call brings nothing into that call."""
    bench.put_each("p")
    parent = bench.session()
    child = parent.child("reviewer")
    with parent.call() as outer:
        assert touch(child, "p/x") == SET
    assert outer.contexts == ()
    assert touch(parent, "p/x") == SET


def test_child_that_inherits_nothing(bench: Bench, touch: Touch) -> None:
    """With `none`, the default, a sub-agent starts as any session does: without a baseline, told everything."""
    bench.put("AGENTS.md", "root")
    bench.put_each("p")
    parent = bench.session()
    parent.prefix()
    touch(parent, "p/x")
    for child in (parent.child("a"), parent.child("b", inherit="none")):
        assert touch(child, "p/x") == SET
        prefix = child.prefix()
        assert prefix is not None
        assert "root" in prefix.text


def test_child_that_inherits_the_baseline(bench: Bench, touch: Touch) -> None:
    """With `baseline` a sub-agent is not told the baseline again, but everything else; edits reach both."""
    bench.put("AGENTS.md", "root")
    bench.put_each("p")
    parent = bench.session()
    parent.prefix()
    touch(parent, "p/x")
    child = parent.child("a", inherit="baseline")
    assert touch(child, "x") == []
    assert touch(child, "p/x") == SET
    bench.put("AGENTS.md", "root 2")
    assert touch(child, "x") == touch(parent, "x") == ["replace AGENTS.md"]


@pytest.mark.parametrize("confirmed", [False, True])
def test_child_that_inherits_everything(bench: Bench, touch: Touch, *, confirmed: bool) -> None:
    """With `all` a sub-agent is told nothing that its parent was told, pending or in the log."""
    bench.put("AGENTS.md", "root")
    bench.put_each("p")
    parent = bench.session()
    parent.prefix()
    touch(parent, "p/x")
    if confirmed:
        parent.confirm()
    child = parent.child("a", inherit="all")
    assert touch(child, "p/x") == []
    bench.put("p/AGENTS.md", "newer")
    assert touch(child, "x") == ["replace p/AGENTS.md"]
    assert touch(parent, "x") == ["replace p/AGENTS.md"]


def test_child_is_independent_after_its_start(bench: Bench, touch: Touch) -> None:
    """What the parent's messages lose later the sub-agent keeps, and the other way round."""
    bench.put_each("p")
    parent = bench.session()
    touch(parent, "p/x")
    parent.confirm()
    child = parent.child("a", inherit="all")
    parent.rearm()
    assert touch(child, "p/x") == []
    child.rearm()
    assert touch(parent, "p/x") == SET
    assert touch(parent, "p/x") == []
    assert touch(child, "p/x") == SET


def test_child_inherits_a_logged_baseline(bench: Bench, touch: Touch) -> None:
    """A baseline that the parent keeps in its log is inherited too."""
    bench.put("AGENTS.md", "root")
    parent = bench.session()
    prefix = parent.prefix()
    assert prefix is not None
    parent.log.append(Message.of(prefix))
    child = parent.child("a", inherit="baseline")
    assert touch(child, "x") == []


def test_child_with_a_log_of_its_own(bench: Bench, touch: Touch) -> None:
    """A sub-agent that is resumed over its own log knows what that shows."""
    bench.put_each("p")
    log = SessionLog()
    parent = bench.session()
    child = parent.child("a", log=log)
    touch(child, "p/x")
    child.confirm()
    assert touch(parent.child("a", log=log), "p/x") == []


def test_unknown_inheritance(bench: Bench) -> None:
    """An inheritance that is none of the three is a usage error that names it."""
    with pytest.raises(UsageError, match=r"none, baseline, all.*'some'"):
        bench.session().child("a", inherit="some")  # type: ignore[arg-type] # what is tested


def test_preflight_brings_guidance_before_the_access(bench: Bench, touch: Touch, tell: Tell) -> None:
    """`preflight` gives what an access would bring, pending like anything else, so that the access repeats nothing."""
    bench.put_each("p")
    session = bench.session()
    assert tell(session.preflight("p/x")) == SET
    assert touch(session, "p/x") == []
    session.rollback()
    assert touch(session, "p/x") == SET


def test_preflight_inside_a_call_stands_alone(bench: Bench, tell: Tell) -> None:
    """`preflight` inside an open call brings its contexts itself and leaves none to the call."""
    bench.put_each("p")
    session = bench.session()
    with session.call() as call:
        assert tell(session.preflight("p/x")) == SET
        call.touch("p/x", "write")
    assert call.contexts == ()


def test_async_preflight(bench: Bench, tell: Tell) -> None:
    """`apreflight` is the same on an event loop."""
    bench.put_each("p")
    assert tell(asyncio.run(bench.session().apreflight("p/x", "read"))) == SET


def test_status_lays_out_a_session(bench: Bench, touch: Touch) -> None:
    """`status` tells what is visible, removed, pending and due, without asking anything."""
    bench.put("AGENTS.md", "root")
    bench.put_each(*"pqrs")
    session = bench.session()
    assert session.status().root is None
    session.prefix()
    touch(session, "p/x")
    touch(session, "q/x")
    bench.delete("q/AGENTS.md")
    touch(session, "q/x")
    touch(session, "r/x")
    session.confirm()
    session.rearm(["r/AGENTS.md"])
    with session.call() as call:
        call.touch("s/x", "read")
    before = session.stats
    status = session.status()
    assert session.stats == before
    assert (status.root, status.cwd) == ("/work", "/work")
    assert [(file.path, file.via) for file in status.visible] == [("AGENTS.md", "baseline"), ("p/AGENTS.md", "log")]
    assert [file.path for file in status.removed] == ["q/AGENTS.md"]
    assert [file.path for file in status.pending] == ["s/AGENTS.md"]
    assert [file.path for file in status.due] == ["r/AGENTS.md"]


def test_take_is_empty_without_findings(bench: Bench) -> None:
    """Nothing found beside a baseline, nothing to take."""
    session = bench.session()
    session.prefix()
    assert session.take() == ()


@pytest.mark.parametrize("inherit", ["baseline", "all"])
def test_child_of_a_fresh_parent(bench: Bench, touch: Touch, inherit: Any) -> None:
    """Inheriting from a parent that was told nothing yet is no error, and gives nothing."""
    bench.put_each("p")
    assert touch(bench.session().child("a", inherit=inherit), "p/x") == SET
