"""The log of a session, and the part of it that the model sees."""

from __future__ import annotations

import threading
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from guidefs import Message, SessionLog
from guidefs.reconcile.effective import Loaded, Removed, State
from guidefs.values.change import Change
from guidefs.values.context import metadata
from guidefs.values.scope import Scope

scopes = st.sampled_from([Scope(directory, "AGENTS.md") for directory in ("p", "q", "p/q")])
changes = st.one_of(
    st.builds(
        lambda s, a, d: Change(a, s, f"{s.directory}/AGENTS.md", d),
        scopes,
        st.sampled_from(["set", "replace"]),
        st.sampled_from("xyz"),
    ),
    st.builds(lambda s: Change("remove", s, f"{s.directory}/AGENTS.md", None), scopes),
)
ours = st.lists(changes, max_size=3).map(lambda told: Message("text", meta=metadata(told)))
malformed = st.sampled_from([Message("text", meta=None), Message("text", meta={"changes": 1})])
others = st.sampled_from([Message("hello", {"kind": "user"}), Message("hello", None)])
steps = st.lists(
    st.one_of(ours, ours, malformed, others, st.lists(st.integers(-2, 8), max_size=4).map(tuple)), max_size=15
)


def guidance(change: Change) -> Message:
    """A message of ours with one change."""
    return Message("text", meta=metadata([change]))


def state_of(change: Change) -> State:
    """The state after a change."""
    return Removed() if change.action == "remove" else Loaded(change.path, change.digest)


@given(steps)
def test_surface_is_the_fold_of_what_is_visible(script: list[Any]) -> None:
    """After any history the visible messages, their ordinals and their folded state are what a slow reading says."""
    log = SessionLog()
    messages: list[Message] = []
    seen: list[bool] = []
    for step in script:
        if isinstance(step, Message):
            log.append(step)
            messages.append(step)
            seen.append(True)
        else:
            log.compact(keep=step)
            ours_only = [number for number, message in enumerate(messages) if message.is_guidance]
            kept = {ours_only[ordinal] for ordinal in step if 0 <= ordinal < len(ours_only)}
            seen = [was and number in kept for number, was in enumerate(seen)]
    visible = [message for message, was in zip(messages, seen, strict=True) if was]
    assert list(log.visible()) == visible
    guided = [was for message, was in zip(messages, seen, strict=True) if message.is_guidance]
    assert log.guidance_count() == len(guided)
    assert log.visible_ordinals() == tuple(ordinal for ordinal, was in enumerate(guided) if was)
    newest: dict[Scope, State] = {}
    for message in visible:
        newest.update({change.scope: state_of(change) for change in message.changes})
    assert [(scope, logged.state) for scope, logged in log.surface().items()] == list(newest.items())
    assert len(log) == len(messages)


def test_compaction_by_test_keeps_other_messages_too() -> None:
    """A test of each message decides about every visible message, ours or not."""
    log = SessionLog([Message("hello", {"kind": "user"}), guidance(Change("set", Scope("p", "A"), "p/A", "x"))])
    log.compact(keep=lambda message: not message.is_guidance)
    assert [message.text for message in log.visible()] == ["hello"]
    assert log.surface() == {}


def test_nothing_is_ever_taken_out() -> None:
    """Compaction takes messages out of sight, never out of the log."""
    log = SessionLog([Message("one"), Message("two")])
    log.compact()
    assert log.visible() == ()
    assert [message.text for message in log.since(0)[1]] == ["one", "two"]


def test_out_of_sight_does_not_come_back() -> None:
    """A message that left sight is not brought back by a later compaction that would keep it."""
    log = SessionLog([Message("one"), Message("two")])
    log.compact(keep=[1])
    log.compact(keep=[0, 1])
    assert log.visible_ordinals() == (1,)


def test_reading_on_from_a_position() -> None:
    """A reader gets what was appended since its last look."""
    log = SessionLog([Message("one")])
    position, found = log.since(0)
    assert [message.text for message in found] == ["one"]
    log.append(Message("two"))
    position, found = log.since(position)
    assert [message.text for message in found] == ["two"]
    assert log.since(position) == (2, [])


def test_newer_baseline_ends_what_only_an_older_one_said() -> None:
    """Of two baselines in the log the newer one says everything: a file that only the older one had is over."""
    first = Message("b1", meta=metadata([Change("set", Scope(".", "A"), "A", "x")], identity="i"))
    second = Message("b2", meta=metadata([Change("set", Scope(".", "B"), "B", "y")], identity="i"))
    log = SessionLog([first, second])
    assert list(log.surface()) == [Scope(".", "B")]
    assert [message.text for message in log.baselines()] == ["b1", "b2"]


def test_transition_survives_a_newer_baseline() -> None:
    """What a later message said of a scope stays when a baseline follows that does not speak of it."""
    change = Change("set", Scope("p", "A"), "p/A", "x")
    log = SessionLog([guidance(change), Message("b", meta=metadata([], identity="i"))])
    assert list(log.surface()) == [Scope("p", "A")]


def test_appending_from_many_threads() -> None:
    """Threads may append and compact at once; nothing is lost."""
    log = SessionLog()

    def work(number: int) -> None:
        for turn in range(100):
            log.append(guidance(Change("set", Scope(str(number), "A"), f"{number}/A", str(turn))))
            log.visible()
            log.surface()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(log) == log.guidance_count() == 800
    assert {state.state for state in log.surface().values()} == {Loaded(f"{n}/A", "99") for n in range(8)}


def test_revision_grows_with_guidance_only() -> None:
    """Messages of others do not make a reader look again."""
    log = SessionLog()
    before = log.revision
    log.append(Message("hello", {"kind": "user"}))
    assert log.revision == before
    log.append(Message("ours"))
    assert log.revision > before
