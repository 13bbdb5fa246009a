"""One tool call, from its touches to what it brings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import guidefs
from guidefs import Context, UsageError, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.workspace.conftest import Bench


def test_successful_call_brings_files_on_the_way_down(bench: Bench, touch: Callable[..., list[str]]) -> None:
    """A successful touch brings the files of every directory below the working directory, down to its parent."""
    bench.put_each("p", "p/q", "r")
    assert touch(bench.session(), "p/q/x.py") == ["set p/AGENTS.md", "set p/q/AGENTS.md"]


def test_call_has_text_body_and_meta(bench: Bench) -> None:
    """A call gives framed text, the same unframed, and the record that a host stores."""
    bench.put_each("p")
    with bench.session().call() as call:
        call.touch("p/x", "read")
    (context,) = call.contexts
    assert call.text == context.text == f"<system-reminder>\n{call.body}\n</system-reminder>"
    assert call.body.startswith("Additional instructions from: p/AGENTS.md\n\n")
    assert call.body.endswith("\n\nrules of p")
    assert call.meta == guidefs.encode(call.contexts)


def test_stored_record_has_its_documented_form(bench: Bench) -> None:
    """What a host stores holds one item a message: the frame's fingerprint, the source and the record."""
    bench.put_each("p")
    with bench.session().call() as call:
        call.touch("p/x", "read")
    stored: Any = call.meta["guidefs"]
    (item,) = stored["items"]
    assert stored["v"] == 1
    assert item["frame"].startswith("xxh3:")
    assert item["source"] == {"kind": "plugin", "plugin": "workspace-context"}
    assert item["meta"] == call.contexts[0].meta
    assert item["meta"]["kind"] == "workspace-instructions"


def test_call_without_touches_asks_nothing(bench: Bench) -> None:
    """A call without touches asks nothing and is empty in every form."""
    bench.put_each("p")
    session = bench.session()
    with session.call() as call:
        pass
    assert (call.contexts, call.text, call.body, call.meta) == ((), "", "", {})
    assert session.stats.batches == 0


def test_open_call_brings_nothing_yet(bench: Bench) -> None:
    """While a call is open it brings nothing: its touches are reconciled when it ends."""
    bench.put_each("p")
    with bench.session().call() as call:
        call.touch("p/x", "read")
        assert call.contexts == ()
        assert bench.disk.counts.batches == 0
    assert len(call.contexts) == 1


def test_touches_of_one_call_are_one_batch_and_one_message(bench: Bench) -> None:
    """All touches made directly in a call are reconciled together."""
    bench.put_each("p", "q", "r")
    session = bench.session()
    session.prefix()
    before = session.stats.batches
    with session.call() as call:
        for path in ("p/x", "q/x", "p/y", "r/x"):
            call.touch(path, "read")
    assert [change.path for change in call.contexts[0].changes] == ["p/AGENTS.md", "q/AGENTS.md", "r/AGENTS.md"]
    assert len(call.contexts) == 1
    assert session.stats.batches == before + 1


def test_raising_call_leaves_no_trace(bench: Bench, touch: Callable[..., list[str]]) -> None:
    """A call that raises touches nothing, and its exception passes through."""
    bench.put_each("p")
    session = bench.session()
    call = session.call()

    def run() -> None:
        with call:
            call.touch("p/x", "read")
            raise KeyError("of the tool")

    with pytest.raises(KeyError, match="of the tool"):
        run()
    assert call.contexts == ()
    assert session.stats.batches == 0
    assert touch(session, "p/x") == ["set p/AGENTS.md"]


def test_failed_call_leaves_no_trace(bench: Bench, touch: Callable[..., list[str]]) -> None:
    """A call whose tool reports a failure without raising touches nothing."""
    bench.put_each("p")
    session = bench.session()
    with session.call() as call:
        call.touch("p/x", "read")
        call.fail()
    assert call.contexts == ()
    assert session.stats.batches == 0
    assert touch(session, "p/x") == ["set p/AGENTS.md"]


def test_blocked_call_is_due_again(bench: Bench, touch: Callable[..., list[str]]) -> None:
    """A call whose contexts were dropped is undone by its id, so that the next touch brings them."""
    bench.put_each("p")
    session = bench.session()
    assert touch(session, "p/x", "c1") == ["set p/AGENTS.md"]
    session.rollback("c1")
    assert touch(session, "p/x", "c2") == ["set p/AGENTS.md"]


@pytest.mark.parametrize("operation", ["read", "write", "edit"])
def test_each_operation_touches(bench: Bench, operation: Any) -> None:
    """Reads, writes and edits touch alike."""
    bench.put_each("p")
    with bench.session().call() as call:
        call.touch("p/x", operation)
    assert len(call.contexts) == 1


def test_unknown_operation_is_refused(bench: Bench) -> None:
    """An operation that is none of the three is a usage error that names the value and the three."""
    with bench.session().call() as call, pytest.raises(UsageError, match=r"read, write, edit.*'list'"):
        call.touch("p/x", "list")  # type: ignore[arg-type] # what is tested


@pytest.mark.parametrize("path", ["", " ", "\t\n", "\u3000", "\ufeff", "other://p/x"])
def test_blank_or_foreign_path_is_no_touch(bench: Bench, path: str) -> None:
    """A blank path, or one on another filesystem, touches nothing and asks nothing."""
    bench.put_each("p")
    session = bench.session()
    with session.call() as call:
        call.touch(path, "read")
    assert call.touches == ()
    assert session.stats.batches == 0


@pytest.mark.parametrize(
    "path", ["p/x", "./p/x", "/work/p/x", "memory:///work/p/x", "memory://work/p/x", "q/../p/x", "p//x"]
)
def test_path_forms(bench: Bench, touch: Callable[..., list[str]], path: str) -> None:
    """Paths are relative to the working directory, or absolute with a slash or a scheme, and compared as text."""
    bench.put_each("p")
    assert touch(bench.session(), path) == ["set p/AGENTS.md"]


def test_call_is_entered_once(bench: Bench) -> None:
    """A call that was entered before cannot be entered again."""
    call = bench.session().call()
    with call:
        pass
    with pytest.raises(UsageError, match=r"session\.call\(\)"):
        call.__enter__()


def test_ended_call_takes_no_more_touches(bench: Bench) -> None:
    """A touch after the end changes nothing."""
    bench.put_each("p")
    session = bench.session()
    with session.call() as call:
        pass
    call.touch("p/x", "read")
    assert call.touches == ()
    assert session.stats.batches == 0


def test_async_call_brings_the_same(bench: Bench) -> None:
    """`async with` brings what `with` brings, byte for byte."""
    bench.put_each("p", "p/q")
    with bench.session("sync").call() as plain:
        plain.touch("p/q/x", "read")

    async def run() -> tuple[Context, ...]:
        async with bench.session("async").call() as call:
            call.touch("p/q/x", "read")
        return call.contexts

    assert asyncio.run(run()) == plain.contexts


def test_unavailable_file_never_fails_a_call(bench: Bench, touch: Callable[..., list[str]]) -> None:
    """A file that cannot be looked at is counted, and neither told nor an error of the call."""
    bench.put_each("p", "p/q")
    bench.fail("p/AGENTS.md")
    session = bench.session()
    assert touch(session, "p/q/x") == ["set p/q/AGENTS.md"]
    assert session.stats.unavailable == 1
    bench.heal("p/AGENTS.md")
    assert touch(session, "p/x") == ["set p/AGENTS.md"]


def test_raising_provider_never_fails_a_call(
    make_bench: Callable[..., Bench], caplog: pytest.LogCaptureFixture
) -> None:
    """A provider that breaks its contract by raising costs the guidance, never the tool's result."""

    class Broken:
        def fetch(self, questions: object, limits: object) -> Any:
            raise RuntimeError("broken provider")

    session = make_bench(Broken()).session()
    with session.call() as call:
        call.touch("p/x", "read")
    assert call.contexts == ()
    assert session.stats.unavailable > 0
    assert "broken provider" in caplog.text


def test_wrapped_filesystem_touches(local: Workspace, disk: Path) -> None:
    """Accesses through the session's filesystem inside a call are its touches; outside they pass through unobserved."""
    session = local.session("s")
    assert session.fs.cat_file(str(disk / "p" / "a.txt")) == b"one\ntwo\n"
    assert session.stats.batches == 0
    with session.call() as call:
        session.fs.cat_file(str(disk / "p" / "q" / "b.txt"))
    assert [change.path for change in call.contexts[0].changes] == ["p/AGENTS.md", "p/q/AGENTS.md"]


def test_looking_around_does_not_touch(local: Workspace, disk: Path) -> None:
    """Listing, searching and asking for metadata touch nothing."""
    session = local.session("s")
    with session.call() as call:
        session.fs.ls(str(disk / "p"))
        session.fs.info(str(disk / "p" / "a.txt"))
        session.fs.exists(str(disk / "p" / "a.txt"))
        session.fs.glob(str(disk / "p" / "*"))
        session.fs.find(str(disk))
    assert call.touches == ()
    assert session.stats.batches == 0


def test_failed_access_does_not_touch(local: Workspace, disk: Path) -> None:
    """An access that fails touches nothing, though the call goes on."""
    session = local.session("s")
    with session.call() as call, pytest.raises(FileNotFoundError):
        session.fs.cat_file(str(disk / "p" / "missing"))
    assert call.touches == ()


def test_tools_outside_a_call_append_their_text(local: Workspace) -> None:
    """A ready-made tool outside any call opens its own and appends what it brings to its result."""
    session = local.session("s")
    result = session.tools.read("p/a.txt")
    assert result.endswith("</system-reminder>")
    assert "p rules" in result
    assert "</system-reminder>" not in session.tools.read("p/a.txt")


def test_tools_inside_a_call_leave_the_text_to_it(local: Workspace) -> None:
    """A ready-made tool inside a call only touches."""
    session = local.session("s")
    with session.call() as call:
        result = session.tools.read("p/a.txt")
    assert "system-reminder" not in result
    assert "p rules" in call.text


def test_disabled_workspace_is_a_no_op(make_bench: Callable[..., Bench]) -> None:
    """With a budget of zero nothing is asked and nothing is brought."""
    bench = make_bench(max_bytes=0)
    bench.put_each("p")
    session = bench.session()
    assert session.prefix() is None
    with session.call() as call:
        call.touch("p/x", "read")
    assert call.contexts == ()
    assert session.stats.batches == bench.disk.counts.batches == 0
    assert asyncio.run(session.aprefix()) is None


def test_sessions_are_isolated(bench: Bench, touch: Callable[..., list[str]]) -> None:
    """Two sessions over one workspace are told the same files, each for itself, also while one's call is open."""
    bench.put_each("p")
    one, two = bench.session("one"), bench.session("two")
    with one.call() as outer:
        outer.touch("p/x", "read")
        assert touch(two, "p/x") == ["set p/AGENTS.md"]
    assert len(outer.contexts) == 1
    assert touch(one, "p/x") == touch(two, "p/x") == []
