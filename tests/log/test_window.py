"""What the model is about to be sent, looked at at the cost of what is new."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from guidefs.log.surface import sightings
from guidefs.log.window import Window

FRAME = "<system-reminder>\n{}\n</system-reminder>"
contents = st.sampled_from(
    ["hello", "", FRAME.format("a"), f"result\n\n{FRAME.format('b')}\n\n{FRAME.format('c')}", "</system-reminder>"]
)
wrap = st.sampled_from(["content", "output", "parts"])


@st.composite
def windows(draw: st.DrawFn) -> list[list[dict[str, Any]]]:
    """A history of windows in which messages come, go, move, are copied and are changed in place."""
    pool = [{draw(wrap): draw(contents)} for _ in range(draw(st.integers(0, 6)))]
    return [
        [
            dict(pool[i]) if draw(st.booleans()) else pool[i]
            for i in draw(st.lists(st.integers(0, len(pool) - 1), max_size=8))
        ]
        for _ in range(draw(st.integers(1, 5)))
        if pool
    ]


def naive(messages: list[dict[str, Any]]) -> list[str]:
    """The frames of all messages, each searched afresh."""
    return [found.frame for message in messages for found in sightings(message)]


@given(windows())
def test_any_window_is_seen_whole(history: list[list[dict[str, Any]]]) -> None:
    """However the list of messages changes between looks, every frame in it is found, in order."""
    window = Window()
    for messages in history:
        assert [found.frame for found in window.look(messages)] == naive(messages)


@given(windows(), st.lists(st.tuples(st.integers(0, 7), contents), max_size=6))
def test_second_look_sees_changes_in_place(history: list[list[dict[str, Any]]], edits: list[tuple[int, str]]) -> None:
    """Whatever a host changed in place, a second look finds what is there now."""
    window = Window()
    for messages in history:
        window.look(messages)
        for position, text in edits:
            if position < len(messages):
                messages[position]["content"] = text
        window.look(messages)
        assert [found.frame for found in window.look_again()] == naive(messages)


def test_messages_that_held_nothing_are_not_searched_again() -> None:
    """A message that is the same object as at the last look, and held nothing, is not read again."""

    class Counting(dict[str, Any]):
        reads = 0

        def get(self, key: str, default: Any = None) -> Any:
            Counting.reads += 1
            return super().get(key, default)

    messages: list[Any] = [Counting(content="hello") for _ in range(100)]
    window = Window()
    window.look(messages)
    before = Counting.reads
    messages.append({"content": FRAME.format("a")})
    assert len(window.look(messages)) == 1
    assert Counting.reads == before


def test_message_is_held_only_until_the_next_look() -> None:
    """The host's message objects are held until the next look, and then let go."""
    import gc
    import weakref

    class Held:
        pass

    window = Window()
    held = Held()
    watch = weakref.ref(held)
    window.look([held])
    del held
    window.look([])
    gc.collect()
    assert watch() is None
