"""Files that are changed without being written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from guidefs.cli.overlay import Overlay
from guidefs.storage import Absent, Exists, Limits, Marker, NotText, Question, Stat, Text, TooLarge, Unchanged
from guidefs.storage.bridge import Bridge
from guidefs.testing import FakeProvider

LIMITS = Limits(max_source_bytes=20)


class Ground:
    """An overlay over a provider whose questions are counted."""

    def __init__(self) -> None:
        self.inner = FakeProvider()
        self.inner.put("/w/AGENTS.md", b"root")
        self.inner.put("/w/api/AGENTS.md", b"api")
        self.overlay = Overlay(Bridge(self.inner, None))

    def text(self, path: str) -> object:
        """What is answered for a path: its text, or the answer that has none."""
        [answer] = self.overlay.fetch([Question(path)], LIMITS)
        return answer.text if isinstance(answer, Text) else answer

    def marker(self, path: str) -> object:
        """What is answered for a marker."""
        [answer] = self.overlay.fetch([Marker(path)], LIMITS)
        return answer


@pytest.fixture
def ground() -> Ground:
    """An overlay without any change."""
    return Ground()


def test_what_was_not_changed_is_asked_in_one_batch(ground: Ground) -> None:
    """Answers keep their places, and the inner provider is asked once, and not about what was changed."""
    ground.overlay.edit("/w/AGENTS.md", "new")
    questions = [Question("/w/api/AGENTS.md"), Question("/w/AGENTS.md"), Question("/w/none")]
    first, second, third = ground.overlay.fetch(questions, LIMITS)
    assert isinstance(first, Text)
    assert isinstance(second, Text)
    assert (first.text, second.text, third) == ("api", "new", Absent())
    assert (ground.inner.counts.batches, ground.inner.counts.stats) == (1, 2)


def test_an_edited_file_has_a_version(ground: Ground) -> None:
    """The same text is unchanged, another one is not."""
    ground.overlay.edit("/w/AGENTS.md", "new")
    [answer] = ground.overlay.fetch([Question("/w/AGENTS.md")], LIMITS)
    assert isinstance(answer, Text)
    again = [Question("/w/AGENTS.md", answer.version)]
    assert ground.overlay.fetch(again, LIMITS) == [Unchanged()]
    ground.overlay.edit("/w/AGENTS.md", "newer")
    assert ground.overlay.fetch(again, LIMITS) != [Unchanged()]


@pytest.mark.parametrize(("text", "kind"), [("x" * 21, TooLarge), ("a\0b", NotText), (os.fsdecode(b"\xff"), NotText)])
def test_an_edited_file_is_judged_like_any_other(ground: Ground, text: str, kind: type) -> None:
    """A text that is too large, or none, is answered so."""
    ground.overlay.edit("/w/AGENTS.md", text)
    assert isinstance(ground.text("/w/AGENTS.md"), kind)


@pytest.mark.parametrize("text", ["", "text"])
def test_an_edited_file_is_a_marker(ground: Ground, text: str) -> None:
    """A file of the overlay, empty or not, makes its name and every directory above it exist."""
    ground.overlay.edit("/w/new/.git/HEAD", text)
    assert ground.marker("/w/new/.git/HEAD") == Exists()
    assert ground.marker("/w/new/.git") == Exists()
    assert ground.text("/w/new/.git") == Absent()
    assert ground.marker("/w/new/.gi") == Absent()


def test_what_is_below_something_removed_is_gone(ground: Ground) -> None:
    """Removing a directory removes everything in it, edits before included, and nothing beside it."""
    ground.overlay.edit("/w/api/new", "x")
    ground.overlay.remove("/w/api")
    assert ground.text("/w/api/AGENTS.md") == Absent()
    assert ground.text("/w/api/new") == Absent()
    assert ground.marker("/w/api") == Absent()
    assert ground.overlay.stat("/w/api/AGENTS.md") == Absent()
    assert ground.text("/w/AGENTS.md") == "root"


def test_what_is_made_after_a_removal_is_there(ground: Ground) -> None:
    """An edit in a removed directory brings the directory back, with that file alone."""
    ground.overlay.remove("/w/api")
    ground.overlay.edit("/w/api/deep/f", "x")
    assert ground.text("/w/api/deep/f") == "x"
    assert ground.marker("/w/api/deep") == Exists()
    assert ground.marker("/w/api") == Exists()
    assert ground.text("/w/api/AGENTS.md") == Absent()


def test_nothing_is_below_a_file(ground: Ground) -> None:
    """A path that leads through an edited file is absent."""
    ground.overlay.edit("/w/api", "a file now")
    assert ground.text("/w/api/AGENTS.md") == Absent()


def test_stat_tells_edited_files_and_asks_for_others(ground: Ground) -> None:
    """A stat answers from the overlay first."""
    ground.overlay.edit("/w/new/f", "four")
    made = ground.overlay.stat("/w/new/f")
    assert isinstance(made, Stat)
    assert (made.kind, made.size) == ("file", 4)
    assert ground.overlay.stat("/w/new") == Stat("directory", None, None)
    assert isinstance(ground.overlay.stat("/w/AGENTS.md"), Stat)


def test_links_lead_where_they_lead(tmp_path: Path) -> None:
    """An edit through a link changes the target; removing a link leaves it; an edit after that makes a file."""
    root = tmp_path.resolve()
    (root / "real").mkdir()
    (root / "linked").symlink_to("real")
    (root / "real" / "CLAUDE.md").symlink_to("AGENTS.md")
    ground = Ground()
    overlay = ground.overlay = Overlay(Bridge(ground.inner, None), real=os.path.realpath)
    target, link = f"{root}/real/AGENTS.md", f"{root}/linked/CLAUDE.md"
    overlay.edit(link, "through the link")
    assert ground.text(target) == "through the link"
    assert ground.text(link) == "through the link"
    overlay.remove(link)
    assert ground.text(link) == Absent()
    assert ground.text(f"{root}/real/CLAUDE.md") == Absent()
    assert ground.text(target) == "through the link"
    overlay.edit(link, "a file of its own")
    assert ground.text(link) == "a file of its own"
    assert ground.text(target) == "through the link"
