"""Sessions under a budget: never above it, exact about what was told, and done in the end."""

from __future__ import annotations

from typing import Any

from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given, settings
from hypothesis import strategies as st

from guidefs import Context, Message, Workspace
from guidefs.render.budget import Block, Fitted, fit
from guidefs.render.wording import additional_heading
from guidefs.testing import FakeProvider

DIRECTORIES = ("p", "p/q", "p/q/r", "s")
texts = st.lists(
    st.one_of(st.text(max_size=20), st.sampled_from(["x" * 300, "é" * 100, "</system-reminder>" * 9])), max_size=4
).map("".join)
trees = st.dictionaries(
    st.sampled_from(DIRECTORIES),
    texts.filter(lambda text: "\0" not in text and not text.startswith("\ufeff")),
    min_size=1,
)


def session_over(files: dict[str, str], max_bytes: int) -> Any:
    """A session over some directories with one file each."""
    disk = FakeProvider()
    disk.mkdir("/w/.git")
    for directory, text in files.items():
        disk.put(f"/w/{directory}/AGENTS.md", text)
    workspace = Workspace(MemoryFileSystem(), "/w", provider=disk, max_bytes=max_bytes, home="memory:///nobody")
    return workspace.session("s")


def touched(session: Any) -> tuple[Context, ...]:
    """Touch every directory in one call, then append what it brings."""
    with session.call() as call:
        for directory in DIRECTORIES:
            call.touch(f"{directory}/x", "read")
    for context in call.contexts:
        session.log.append(Message.of(context))
    return tuple(call.contexts)


@given(trees, st.integers(1, 1500))
@settings(max_examples=400)
def test_messages_stay_within_the_budget_and_tell_no_file_twice(files: dict[str, str], max_bytes: int) -> None:
    """Every message fits, its metadata names exactly the files whose text is in it, and none is told twice."""
    session = session_over(files, max_bytes)
    told: list[str] = []
    for _ in range(len(files) + 1):
        for context in touched(session):
            assert len(context.text.encode()) <= max_bytes
            headed = [d for d in files if f"Additional instructions from: {d}/AGENTS.md\n" in context.text]
            assert sorted(change.path for change in context.changes) == sorted(f"{d}/AGENTS.md" for d in headed)
            told.extend(change.path for change in context.changes)
    assert len(set(told)) == len(told)
    assert touched(session) == ()


@given(trees, st.integers(1, 1500))
@settings(max_examples=400)
def test_everything_that_fits_alone_is_told_in_the_end(files: dict[str, str], max_bytes: int) -> None:
    """Where each file fits alone, be it cut, touch after touch tells all of them, one message at a time."""
    for directory, text in files.items():
        block = Block(f"{directory}/AGENTS.md", additional_heading(f"{directory}/AGENTS.md", directory), text)
        # With all others omitted beside it, since what is told first has them in its notice.
        others = [Block(f"{other}/AGENTS.md", "x" * max_bytes, "") for other in files if other != directory]
        rendering = fit([*others, block], max_bytes)
        if not isinstance(rendering, Fitted) or not rendering.rendered[-1]:
            return
    session = session_over(files, max_bytes)
    told = {change.path for _ in files for context in touched(session) for change in context.changes}
    assert told == {f"{directory}/AGENTS.md" for directory in files}
