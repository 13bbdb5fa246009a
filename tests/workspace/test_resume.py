"""A new run over the log of an earlier one, and the baseline inside and outside of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from guidefs import Context, Message, SessionLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.workspace.conftest import Bench

    Touch = Callable[..., list[str]]
    Tell = Callable[[Iterable[Context]], list[str]]

SET = ["set p/AGENTS.md"]


def prefix_of(session: Any) -> Context:
    """The baseline of a session that has one."""
    prefix = session.prefix()
    assert isinstance(prefix, Context)
    return prefix


def test_baseline_is_marked_and_identified(bench: Bench) -> None:
    """The baseline carries the record of its files, marked as a baseline, with a stable identity."""
    bench.put("AGENTS.md", "root")
    meta = prefix_of(bench.session()).meta
    assert meta["baseline"] is True
    assert isinstance(meta["identity"], str)
    assert [(entry["action"], entry["path"]) for entry in meta["changes"]] == [("set", "AGENTS.md")]
    assert meta == prefix_of(bench.session()).meta


def test_baseline_is_frozen(bench: Bench, touch: Touch) -> None:
    """The baseline's own object never changes; an edit is told at the next touch."""
    bench.put("AGENTS.md", "root")
    session = bench.session()
    prefix = prefix_of(session)
    text = prefix.text
    bench.put("AGENTS.md", "root 2")
    assert touch(session, "x") == ["replace AGENTS.md"]
    assert prefix.text == text
    assert prefix.body in text


def test_no_instruction_files_no_baseline(bench: Bench, touch: Touch) -> None:
    """Where there is nothing to say there is no baseline; files that appear later are told as new."""
    session = bench.session()
    assert session.prefix() is None
    bench.put("AGENTS.md", "root")
    assert touch(session, "x") == ["set AGENTS.md"]


def test_baseline_costs_at_most_two_batches(bench: Bench) -> None:
    """Composing a baseline costs at most two round trips, and a touch after it one."""
    bench.put("AGENTS.md", "root")
    bench.put_each("p")
    session = bench.session()
    session.prefix()
    assert session.stats.batches <= 2
    before = session.stats.batches
    with session.call() as call:
        call.touch("p/x", "read")
    assert session.stats.batches == before + 1


def test_async_baseline_is_the_same(bench: Bench) -> None:
    """`aprefix` composes what `prefix` composes."""
    bench.put("AGENTS.md", "root")
    assert asyncio.run(bench.session().aprefix()) == prefix_of(bench.session())


def test_resume_without_the_baseline_composes_a_new_one(bench: Bench, touch: Touch) -> None:
    """A baseline kept outside the log is composed anew by the next run, with what the files say then."""
    bench.put("AGENTS.md", "root")
    bench.put_each("p")
    log = SessionLog()
    first = bench.session(log=log)
    prefix_of(first)
    touch(first, "p/x")
    first.confirm()
    bench.put("AGENTS.md", "root 2")
    second = bench.session(log=log)
    prefix = prefix_of(second)
    assert prefix.text.endswith("root 2\n</system-reminder>")
    assert "supersede" not in prefix.text
    assert second.take() == ()
    assert touch(second, "p/x") == []


def test_resume_with_the_baseline_reuses_its_bytes(bench: Bench, tell: Tell, touch: Touch) -> None:
    """A baseline in the log with the same identity is reused byte for byte; what changed is told beside it."""
    bench.put("AGENTS.md", "root")
    bench.put("CLAUDE.md", "other")
    log = SessionLog()
    prefix = prefix_of(bench.session(log=log))
    log.append(Message.of(prefix))
    bench.put("AGENTS.md", "root 2")
    second = bench.session(log=log)
    again = prefix_of(second)
    assert (again.text, again.body, again.meta) == (prefix.text, prefix.body, prefix.meta)
    assert tell(second.take()) == ["replace AGENTS.md"]
    assert touch(second, "x") == []


def test_resumed_baseline_checks_all_its_directories(bench: Bench, touch: Touch) -> None:
    """A run that reuses a logged baseline checks its directories at each touch, also those that held nothing."""
    bench.put("AGENTS.md", "root")
    log = SessionLog()
    log.append(Message.of(prefix_of(bench.session(log=log))))
    second = bench.session(log=log)
    prefix_of(second)
    log.compact(keep=())
    bench.put("CLAUDE.md", "new at the root")
    assert touch(second, "x") == ["set AGENTS.md", "set CLAUDE.md"]


def test_baseline_in_the_log_of_the_same_run(bench: Bench, touch: Touch) -> None:
    """A host may append the baseline to the log: nothing of it is told again."""
    bench.put("AGENTS.md", "root")
    session = bench.session()
    session.log.append(Message.of(prefix_of(session)))
    assert touch(session, "x") == []


def test_logged_baseline_out_of_sight_is_due(bench: Bench, touch: Touch) -> None:
    """A baseline in the log that left sight is due again at the next touch."""
    bench.put("AGENTS.md", "root")
    session = bench.session()
    session.log.append(Message.of(prefix_of(session)))
    assert touch(session, "x") == []
    session.log.compact(keep=())
    assert touch(session, "x") == ["set AGENTS.md"]


def test_resume_after_the_logged_baseline_left_sight(bench: Bench, touch: Touch) -> None:
    """A run over a log whose baseline left sight composes a new one, which supersedes nothing."""
    bench.put("AGENTS.md", "root")
    log = SessionLog()
    log.append(Message.of(prefix_of(bench.session(log=log))))
    log.compact(keep=())
    second = bench.session(log=log)
    assert "supersede" not in prefix_of(second).text
    assert touch(second, "x") == []


@pytest.mark.parametrize(
    "settings",
    [
        {"max_bytes": 9_999},
        {"candidates": ["AGENTS.md", "OTHER.md"]},
        {"local_candidates": []},
        {"root_markers": [".hg", ".git"]},
        {"max_source_bytes": 999},
    ],
)
def test_changed_identity_supersedes(
    bench: Bench, make_bench: Callable[..., Bench], touch: Touch, settings: dict[str, Any]
) -> None:
    """A run with other settings composes a baseline that says that it supersedes the logged one."""
    bench.put("AGENTS.md", "root")
    log = SessionLog()
    first = prefix_of(bench.session(log=log))
    log.append(Message.of(first))
    other = make_bench(**settings)
    other.put("AGENTS.md", "root")
    second = other.session(log=log)
    prefix = prefix_of(second)
    assert prefix.meta["identity"] != first.meta["identity"]
    assert "supersede" in prefix.text.partition("Instructions from:")[0]
    assert touch(second, "x") == []
    log.append(Message.of(prefix))
    third = other.session(log=log)
    assert prefix_of(third).text == prefix.text
    assert third.take() == ()


def test_superseding_baseline_stays_within_its_budget(bench: Bench, make_bench: Callable[..., Bench]) -> None:
    """The sentence that supersedes counts toward the budget."""
    bench.put("AGENTS.md", "r" * 400)
    log = SessionLog()
    log.append(Message.of(prefix_of(bench.session(log=log))))
    for max_bytes in range(100, 900, 7):
        other = make_bench(max_bytes=max_bytes)
        other.put("AGENTS.md", "r" * 400)
        prefix = other.session(log=log).prefix()
        assert prefix is None or len(prefix.text.encode()) <= max_bytes


def test_nested_changes_while_away_are_reported_at_the_start(bench: Bench, tell: Tell, touch: Touch) -> None:
    """Visible nested files that changed or went while the session was away wait in `take` when the run starts."""
    bench.put_each("p", "q", "r")
    log = SessionLog()
    first = bench.session(log=log)
    for path in ("p/x", "q/x", "r/x"):
        touch(first, path)
    first.confirm()
    bench.put("p/AGENTS.md", "other")
    bench.delete("q/AGENTS.md")
    second = bench.session(log=log)
    assert second.prefix() is None
    assert tell(second.take()) == ["replace p/AGENTS.md", "remove q/AGENTS.md"]
    assert second.take() == ()
    assert touch(second, "p/x") == []


def test_taken_contexts_are_pending(bench: Bench, tell: Tell, touch: Touch) -> None:
    """What `take` hands out is pending: it may be confirmed, or be lost and due again."""
    bench.put_each("p")
    log = SessionLog()
    first = bench.session(log=log)
    touch(first, "p/x")
    first.confirm()
    bench.put("p/AGENTS.md", "other")
    second = bench.session(log=log)
    second.prefix()
    assert tell(second.take()) == ["replace p/AGENTS.md"]
    assert touch(second, "p/x") == []
    second.rollback()
    assert touch(second, "p/x") == ["replace p/AGENTS.md"]
    second.confirm()
    assert touch(second, "p/x") == []


def test_resume_without_a_baseline(bench: Bench, touch: Touch) -> None:
    """A run that composes none knows what the log shows, with one confirming read a file."""
    bench.put_each("p", "q")
    log = SessionLog()
    first = bench.session(log=log)
    touch(first, "p/x")
    touch(first, "q/x")
    first.confirm()
    second = bench.session(log=log)
    assert touch(second, "x") == []
    assert second.stats.reads == 2
    assert touch(second, "x") == []
    assert second.stats.reads == 2


def test_pending_does_not_survive_the_run(bench: Bench, touch: Touch) -> None:
    """What never reached the log is told again by the next run."""
    bench.put_each("p")
    log = SessionLog()
    assert touch(bench.session(log=log), "p/x") == SET
    assert touch(bench.session(log=log), "p/x") == SET


def test_log_round_trips_through_json(bench: Bench, touch: Touch) -> None:
    """A host that stores texts, sources and records as JSON can make the log again from them."""
    import json

    bench.put("AGENTS.md", "root")
    bench.put_each("p")
    first = bench.session()
    first.log.append(Message.of(prefix_of(first)))
    with first.call() as call:
        call.touch("p/x", "read")
    first.log.append(Message.of(call.contexts[0]))
    stored = json.dumps([[message.text, message.source, message.meta] for message in first.log.visible()])
    log = SessionLog(Message(text, source, meta) for text, source, meta in json.loads(stored))
    second = bench.session(log=log)
    assert prefix_of(second).text == first.log.visible()[0].text
    assert touch(second, "p/x") == []


def test_prefix_composed_twice(bench: Bench, touch: Touch) -> None:
    """Composing the baseline again reads everything again and becomes what later touches are compared with."""
    bench.put("AGENTS.md", "one")
    session = bench.session()
    prefix_of(session)
    bench.put("AGENTS.md", "two")
    assert prefix_of(session).text.endswith("two\n</system-reminder>")
    assert touch(session, "x") == []
    bench.put("AGENTS.md", "one")
    assert touch(session, "x") == ["replace AGENTS.md"]


def test_unavailable_baseline_file_is_due_later(bench: Bench, touch: Touch) -> None:
    """A baseline file that fails is left out, counted, and told once it works."""
    bench.put("AGENTS.md", "root")
    bench.fail("AGENTS.md")
    session = bench.session()
    assert session.prefix() is None
    assert session.stats.unavailable == 1
    bench.heal("AGENTS.md")
    assert touch(session, "x") == ["set AGENTS.md"]


def test_copy_that_comes_to_light_beside_a_baseline(bench: Bench, tell: Tell, touch: Touch) -> None:
    """A remembered copy whose original went is told beside a baseline that is composed again."""
    bench.put("p/AGENTS.md", "same")
    bench.put("p/CLAUDE.md", "same")
    session = bench.session()
    touch(session, "p/x")
    session.confirm()
    bench.delete("p/AGENTS.md")
    assert session.prefix() is None
    assert tell(session.take()) == ["remove p/AGENTS.md", "set p/CLAUDE.md"]
    assert touch(session, "p/x") == []


def test_baseline_sibling_counts_beside_a_visible_transition(bench: Bench, tell: Tell, touch: Touch) -> None:
    """In the baseline's own directories only scopes with a visible transition are reported; the others hide copies."""
    bench.put("AGENTS.md", "one")
    bench.put("CLAUDE.md", "two")
    log = SessionLog()
    first = bench.session(log=log)
    prefix_of(first)
    bench.put("CLAUDE.md", "three")
    touch(first, "x")
    first.confirm()
    bench.put("CLAUDE.md", "one")
    second = bench.session(log=log)
    assert "Instructions from: CLAUDE.md" not in prefix_of(second).text
    assert tell(second.take()) == ["remove CLAUDE.md"]
    assert touch(second, "x") == []
