"""The two ways of calling the file tools, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guidefs.errors import GuideError

if TYPE_CHECKING:
    from tests.tools.conftest import MakeBench, Workbench

NAMES = ("a", "b")
TEXTS = ("", "x", "x\n", "x\ny\n", "x\r\nx\r\n", "x\ny", "\ufeffx\n", "z\0")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens to a workspace: a tool is used, or someone else interferes."""

    action: str
    name: str
    first: str
    second: str
    number: int

    def play(self, desk: Workbench) -> str:
        """Let it happen; what it gave, or how it was refused."""
        try:
            return self._play(desk)
        except GuideError as error:
            return f"{type(error).__name__}: {error}"

    def _play(self, desk: Workbench) -> str:
        address = desk.host.resolve(self.name)
        match self.action:
            case "read":
                return desk.read(self.name, self.number)
            case "write":
                return desk.write(self.name, self.first)
            case "edit":
                return desk.edit(self.name, self.first, self.second, replace_all=self.number > 1)
            case "change":
                desk.host.files[address] = self.first.encode()
            case "remove":
                desk.host.files.pop(address, None)
            case "mode":
                desk.host.change_mode(self.name)
            case _:
                desk.host.versioned = not desk.host.versioned
        return ""


steps = st.builds(
    Step,
    action=st.sampled_from(["read", "write", "edit", "edit", "change", "remove", "mode", "versions"]),
    name=st.sampled_from(NAMES),
    first=st.sampled_from(TEXTS),
    second=st.sampled_from(TEXTS),
    number=st.integers(0, 3),
)


@settings(deadline=None)
@given(story=st.lists(steps, min_size=1, max_size=15), versioned=st.booleans(), sized=st.booleans())
def test_both_ways_are_one(bench_of: MakeBench, story: list[Step], *, versioned: bool, sized: bool) -> None:
    """Any story ends with the same results, refusals, requests, guards, touches and files, called either way."""
    desks = [bench_of(mode, {"a": b"x\ny\n"}, versioned=versioned, sized=sized) for mode in ("sync", "async")]
    told = [[step.play(desk) for step in story] for desk in desks]
    plain, looped = (desk.host for desk in desks)
    assert told[0] == told[1]
    assert plain.files == looped.files
    assert plain.requests == looped.requests
    assert plain.guards == looped.guards
    assert plain.touches == looped.touches


@settings(deadline=None)
@given(story=st.lists(steps, min_size=1, max_size=15), versioned=st.booleans())
def test_nothing_unseen_is_overwritten(bench_of: MakeBench, story: list[Step], *, versioned: bool) -> None:
    """Whatever a tool replaces, the session has read or written before in exactly that state."""
    desk = bench_of("sync", {"a": b"x\ny\n"}, versioned=versioned)
    known: dict[str, bytes] = {}
    for step in story:
        address = desk.host.resolve(step.name)
        before = desk.host.files.get(address)
        told = step.play(desk)
        after = desk.host.files.get(address)
        if step.action in {"write", "edit"} and told.startswith(("Replaced", "Created")):
            assert before is None or known.get(step.name) == before
        if step.action in {"read", "write", "edit"} and "Error: " not in told and after is not None:
            known[step.name] = after


@pytest.mark.parametrize("name", ["read", "write", "edit"])
def test_both_ways_have_one_signature(bench_of: MakeBench, name: str) -> None:
    """The asynchronous twin takes the same parameters."""
    import inspect

    tools = bench_of("sync").tools
    assert inspect.signature(getattr(tools, name)) == inspect.signature(getattr(tools, f"a{name}"))
