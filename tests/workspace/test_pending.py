"""From a call's result to the log: pending, confirmed, forgotten, out of sight."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from guidefs import Message, SessionLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.workspace.conftest import Bench

    from guidefs import Context

    Touch = Callable[..., list[str]]
    Tell = Callable[[Iterable[Context]], list[str]]
    LogAll = Callable[[SessionLog, Iterable[Context]], None]

SET = ["set p/AGENTS.md"]
REPLACE = ["replace p/AGENTS.md"]
REMOVE = ["remove p/AGENTS.md"]


def test_pending_counts_as_told(bench: Bench, touch: Touch) -> None:
    """Between the result and the log a change counts as told, and costs no read."""
    bench.put_each("p")
    session = bench.session()
    assert touch(session, "p/x") == SET
    reads = session.stats.reads
    assert touch(session, "p/x") == []
    assert session.stats.reads == reads


def test_appended_message_confirms(bench: Bench, log_all: LogAll) -> None:
    """A message with the same change in the log ends the pending state."""
    bench.put_each("p")
    session = bench.session()
    with session.call() as call:
        call.touch("p/x", "read")
    assert [status.path for status in session.status().pending] == ["p/AGENTS.md"]
    log_all(session.log, call.contexts)
    assert session.status().pending == ()
    assert [status.path for status in session.status().visible] == ["p/AGENTS.md"]


def test_newer_confirmation_ends_older_pending_changes(bench: Bench, touch: Touch, log_all: LogAll) -> None:
    """A confirmed change also ends older pending changes of its scope: their loss means nothing any more."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x", "old")
    bench.put("p/AGENTS.md", "newer")
    with session.call("new") as call:
        call.touch("p/x", "read")
    log_all(session.log, call.contexts)
    assert session.status().pending == ()
    session.rollback("old")
    assert touch(session, "p/x") == []


def test_older_confirmation_leaves_newer_pending_changes(bench: Bench, touch: Touch, log_all: LogAll) -> None:
    """A confirmed older change leaves the newer pending one, which still decides what is told."""
    bench.put_each("p")
    session = bench.session()
    with session.call("old") as call:
        call.touch("p/x", "read")
    bench.put("p/AGENTS.md", "newer")
    assert touch(session, "p/x", "new") == REPLACE
    log_all(session.log, call.contexts)
    assert [status.action for status in session.status().pending] == ["replace"]
    assert touch(session, "p/x") == []


def test_confirm_by_id(bench: Bench, touch: Touch) -> None:
    """`confirm` with an id takes that call's messages for appended, and no other's."""
    bench.put_each(*"pq")
    session = bench.session()
    with session.step():
        touch(session, "p/x", "one")
        touch(session, "q/x", "two")
        session.confirm("one")
    assert touch(session, "q/x") == ["set q/AGENTS.md"]
    assert touch(session, "p/x") == []


def test_confirm_all(bench: Bench, touch: Touch) -> None:
    """`confirm` without an id takes everything pending for appended."""
    bench.put_each(*"pq")
    session = bench.session()
    with session.step():
        touch(session, "p/x", "one")
        touch(session, "q/x")
        session.confirm()
    assert touch(session, "p/x") == touch(session, "q/x") == []
    assert session.status().pending == ()


def test_confirmed_records_are_in_the_log(bench: Bench, touch: Touch) -> None:
    """What was confirmed is in the log without its text, so that a new run over it knows it."""
    bench.put_each("p")
    log = SessionLog()
    first = bench.session(log=log)
    touch(first, "p/x", "one")
    first.confirm("one")
    assert [message.text for message in log.visible()] == [""]
    assert touch(bench.session(log=log), "p/x") == []


def test_confirm_is_idempotent(bench: Bench, touch: Touch) -> None:
    """Confirming twice, or an id that no call had, appends nothing more."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x", "one")
    session.confirm("one")
    session.confirm("one")
    session.confirm("never")
    session.confirm()
    assert len(session.log) == 1


def test_confirm_of_an_inner_call_id(bench: Bench, touch: Touch) -> None:
    """The id of an inner call or of the outer one confirms what the composite carried."""
    bench.put_each("p")
    session = bench.session()
    with session.step():
        with session.call("outer"):
            touch(session, "p/x", "inner")
        session.confirm("outer")
    assert touch(session, "p/x") == []


def test_confirm_leaves_what_an_open_call_holds(bench: Bench, touch: Touch) -> None:
    """What an open composite holds is not confirmed, since it may still be blocked."""
    bench.put_each("p")
    session = bench.session()
    with session.call("outer"):
        touch(session, "p/x", "inner")
        session.confirm()
    session.rollback("outer")
    assert touch(session, "p/x") == SET


def test_rollback_of_everything(bench: Bench, touch: Touch) -> None:
    """`rollback` without an id makes everything pending due again, and leaves what was confirmed."""
    bench.put_each(*"pq")
    session = bench.session()
    touch(session, "p/x", "one")
    session.confirm("one")
    touch(session, "q/x", "two")
    session.rollback()
    assert touch(session, "q/x") == ["set q/AGENTS.md"]
    assert touch(session, "p/x") == []


def test_rollback_of_a_confirmed_call_changes_nothing(bench: Bench, touch: Touch) -> None:
    """Once a call's messages were appended, rolling it back means nothing."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x", "one")
    session.confirm("one")
    session.rollback("one")
    assert touch(session, "p/x") == []


def test_step_end_forgets(bench: Bench, touch: Touch) -> None:
    """What a step brought and did not reach the log when it ends is due again, and read again."""
    bench.put_each("p")
    session = bench.session()
    with session.step():
        assert touch(session, "p/x") == SET
    reads = session.stats.reads
    assert touch(session, "p/x") == SET
    assert session.stats.reads == reads + 1


def test_step_end_keeps_what_was_appended(bench: Bench, touch: Touch, log_all: LogAll) -> None:
    """What reached the log before its step ended stays known."""
    bench.put_each("p")
    session = bench.session()
    with session.step():
        with session.call() as call:
            call.touch("p/x", "read")
        log_all(session.log, call.contexts)
    assert touch(session, "p/x") == []


def test_raising_step_ends_like_any_other(bench: Bench, touch: Touch) -> None:
    """A step that ends by an exception forgets what did not reach the log."""
    bench.put_each("p")
    session = bench.session()

    def run() -> None:
        with session.step():
            touch(session, "p/x")
            raise KeyError("of the loop")

    with pytest.raises(KeyError):
        run()
    assert touch(session, "p/x") == SET


def test_steps_forget_only_their_own(bench: Bench, touch: Touch) -> None:
    """A step leaves what arose outside any step, or in an earlier one and was confirmed."""
    bench.put_each(*"pq")
    session = bench.session()
    touch(session, "p/x")
    with session.step():
        touch(session, "q/x")
    assert touch(session, "p/x") == []
    assert touch(session, "q/x") == ["set q/AGENTS.md"]


def test_step_ended_without_begin(bench: Bench, touch: Touch) -> None:
    """A step that ends without having begun does nothing."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x")
    session.step().__exit__(None, None, None)
    assert touch(session, "p/x") == []


def test_unchanged_version_costs_no_read(bench: Bench, touch: Touch) -> None:
    """A file whose version is known costs one question and no read, however often it is checked."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x")
    before = session.stats
    for _ in range(5):
        assert touch(session, "p/x") == []
    after = session.stats
    assert (after.batches - before.batches, after.reads - before.reads) == (5, 0)


def test_new_version_of_the_same_text_is_confirmed_once(bench: Bench, touch: Touch) -> None:
    """The same bytes in a new version cost one read, once, and say nothing."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x")
    bench.disk.touch_version("/work/p/AGENTS.md")
    before = session.stats.reads
    assert touch(session, "p/x") == []
    assert touch(session, "p/x") == []
    assert session.stats.reads == before + 1


def test_update_removal_and_return(bench: Bench, touch: Touch) -> None:
    """An edit is a replacement; a deletion is told once; the file coming back is new, even with its old bytes."""
    bench.put_each("p")
    session = bench.session()
    assert touch(session, "p/x") == SET
    bench.put("p/AGENTS.md", "other")
    assert touch(session, "x") == REPLACE
    bench.delete("p/AGENTS.md")
    assert touch(session, "x") == REMOVE
    assert touch(session, "x") == []
    bench.put("p/AGENTS.md", "other")
    assert touch(session, "x") == SET


def test_failure_is_never_a_removal(bench: Bench, touch: Touch) -> None:
    """A loaded file that cannot be looked at is neither gone nor told again when it works."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x")
    bench.fail("p/AGENTS.md")
    assert touch(session, "p/x") == []
    bench.heal("p/AGENTS.md")
    assert touch(session, "p/x") == []


def test_compaction_makes_due_again(bench: Bench, touch: Touch, log_all: LogAll) -> None:
    """A scope whose message left sight is due again, even if its version did not change."""
    bench.put_each(*"pq")
    session = bench.session()
    for path in ("p/x", "q/x"):
        with session.call() as call:
            call.touch(path, "read")
        log_all(session.log, call.contexts)
    session.log.compact(keep=[1])
    assert touch(session, "q/x") == []
    assert touch(session, "p/x") == SET


def test_compaction_leaves_pending(bench: Bench, touch: Touch) -> None:
    """What is pending when the conversation is compacted stays pending."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x")
    session.log.compact(keep=())
    assert touch(session, "p/x") == []


def test_compaction_by_a_test_of_the_message(bench: Bench, touch: Touch, log_all: LogAll) -> None:
    """What stays in sight may be told by a test of each message."""
    bench.put_each(*"pq")
    session = bench.session()
    for path in ("p/x", "q/x"):
        with session.call() as call:
            call.touch(path, "read")
        log_all(session.log, call.contexts)
    session.log.compact(keep=lambda message: "q/AGENTS.md" in message.text)
    assert touch(session, "q/x") == []
    assert touch(session, "p/x") == SET


def test_rearm_of_one_file(bench: Bench, touch: Touch) -> None:
    """`rearm` with a path makes what the log says of that file due again, and nothing else."""
    bench.put_each(*"pq")
    session = bench.session()
    for path in ("p/x", "q/x"):
        touch(session, path)
    session.confirm()
    session.rearm(["p/AGENTS.md"])
    assert touch(session, "q/x") == []
    assert touch(session, "p/x") == SET


def test_rearm_of_everything(bench: Bench, touch: Touch) -> None:
    """`rearm` without paths makes everything that the log says due again; a baseline outside the log stays."""
    bench.put_each("p")
    bench.put("AGENTS.md", "root")
    session = bench.session()
    session.prefix()
    touch(session, "p/x")
    session.confirm()
    session.rearm()
    assert touch(session, "x") == []
    assert touch(session, "p/x") == SET


def test_rearmed_file_is_told_once(bench: Bench, touch: Touch) -> None:
    """After it was told again a re-armed file is known again."""
    bench.put_each("p")
    session = bench.session()
    touch(session, "p/x")
    session.confirm()
    session.rearm()
    assert touch(session, "p/x") == SET
    session.confirm()
    assert touch(session, "p/x") == []


@pytest.mark.parametrize(
    "meta",
    [
        None,
        "text",
        {"kind": "workspace-instructions", "version": 1},
        {"kind": "workspace-instructions", "version": 1, "changes": "set"},
        {
            "kind": "workspace-instructions",
            "version": 2,
            "changes": [{"action": "set", "scope": "p\0AGENTS.md", "path": ""}],
        },
        {
            "kind": "workspace-instructions",
            "version": 1,
            "changes": [{"action": "set", "scope": "p", "path": "p/AGENTS.md"}],
        },
    ],
)
def test_imitated_metadata_says_nothing(bench: Bench, touch: Touch, meta: Any) -> None:
    """Text that imitates a message, with no well-formed record of ours, neither confirms nor counts as told."""
    bench.put_each("p")
    session = bench.session()
    with session.step():
        with session.call() as call:
            call.touch("p/x", "read")
        session.log.append(Message(call.text, meta=meta))
    assert touch(session, "p/x") == SET


def test_async_step_ends_like_a_plain_one(bench: Bench, touch: Touch) -> None:
    """A step of an async host forgets what did not reach the log, too."""
    bench.put_each("p")
    session = bench.session()

    async def run() -> None:
        async with session.step(), session.call() as call:
            call.touch("p/x", "read")

    asyncio.run(run())
    assert touch(session, "p/x") == SET
