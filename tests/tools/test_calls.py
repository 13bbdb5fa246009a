"""How the file tools take part in the calls of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from guidefs.errors import FileError, NotObservedError

if TYPE_CHECKING:
    from tests.tools.conftest import MakeBench


def test_touches(bench: MakeBench) -> None:
    """Each success counts as one access of the path as the caller named it."""
    desk = bench({"a": b"1"})
    desk.read("a")
    desk.edit("a", "1", "2")
    desk.write("/w/b", "x")
    assert desk.host.touches == [("read", "a"), ("edit", "a"), ("write", "/w/b")]


def test_outside_a_call_the_text_follows(bench: MakeBench) -> None:
    """Outside an open call the text of the tool's own call follows its result after an empty line."""
    desk = bench({"a": b"1\n"})
    desk.host.news = "<system-reminder>\nnews\n</system-reminder>"
    assert desk.read("a") == f"     1\t1\n[end of the file: 1 line]\n\n{desk.host.news}"
    assert desk.edit("a", "1", "2") == f"Replaced 1 occurrence in 'a'.\n\n{desk.host.news}"
    assert desk.write("b", "") == f"Created 'b' (0 bytes).\n\n{desk.host.news}"


def test_inside_a_call_the_result_is_plain(bench: MakeBench) -> None:
    """Inside an open call the result is the tool's alone; the call has the text."""
    desk = bench({"a": b"1\n"})
    desk.host.news = "news"
    desk.host.inside_call = True
    assert desk.read("a").endswith("1 line]")
    assert desk.host.touches == [("read", "a")]


def test_failed_read_observes_nothing(bench: MakeBench) -> None:
    """A reading that failed on the way is no observation."""
    desk = bench({"a": b"x" * 100})
    with pytest.raises(ValueError, match="has only 1 line"):
        desk.read("a", 50)
    with pytest.raises(NotObservedError):
        desk.write("a", "new")


def test_call_that_ends_badly_observes_nothing(bench: MakeBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the end of the call fails, the model never saw the file, so it is not observed."""
    desk = bench({"a": b"old"})
    observing = type(desk.host.observing("read", "a"))
    proper = observing.__exit__

    def fail(self: object, *details: object) -> None:
        raise FileError("the end of the call failed", path="a")

    monkeypatch.setattr(observing, "__exit__", fail)
    with pytest.raises(FileError, match="the end of the call failed"):
        desk.read("a")
    monkeypatch.setattr(observing, "__exit__", proper)
    with pytest.raises(NotObservedError):
        desk.write("a", "new")
