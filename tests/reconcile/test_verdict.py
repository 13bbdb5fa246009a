"""What each answer means, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from guidefs.reconcile.effective import Loaded, Removed, State
from guidefs.reconcile.plan import plan
from guidefs.reconcile.remembered import Entry, Remembered, Updates
from guidefs.reconcile.territory import Target
from guidefs.reconcile.verdict import Verdict, judge
from guidefs.values.answer import (
    Absent,
    Answer,
    Exists,
    NotText,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
    Version,
)
from guidefs.values.digest import digest, trimmed_digest
from guidefs.values.scope import Scope

V1, V2 = Version("v1"), Version("v2")
FIRST, SECOND, THIRD = "AGENTS.md", "CLAUDE.md", "AGENTS.local.md"


def target(name: str = FIRST, directory: str = "p") -> Target:
    """The file of a candidate."""
    return Target(Scope(directory, name), f"/w/{directory}/{name}", f"{directory}/{name}", home=False)


def entry(text: str, version: Version | None = V1, name: str = FIRST, *, collapsed: bool = False) -> Entry:
    """What is remembered of a text."""
    return Entry(f"p/{name}", version, digest(text), trimmed_digest(text), collapsed)


def loaded(text: str, name: str = FIRST, path: str | None = None) -> Loaded:
    """The model has a text."""
    return Loaded(path or f"p/{name}", digest(text))


@dataclass
class Files:
    """Some files of one directory, with what is known of each.

    Args:
        states: what the model was told.
        entries: what is remembered.
        unreadable: versions of unreadable files.
    """

    states: dict[str, State] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    unreadable: dict[str, Version] = field(default_factory=dict)

    @property
    def effective(self) -> dict[Scope, State]:
        """What the model was told, by scope."""
        return {Scope("p", name): state for name, state in self.states.items()}

    @property
    def remembered(self) -> Remembered:
        """What is remembered, by scope."""
        remembered = Remembered()
        remembered.update(
            Updates(
                {Scope("p", name): kept for name, kept in self.entries.items()},
                {Scope("p", name): version for name, version in self.unreadable.items()},
            )
        )
        return remembered

    def judge(self, answers: dict[str, Answer], **options: Any) -> Verdict:
        """Judge one answer a file."""
        return judge(
            [target(name) for name in answers], list(answers.values()), self.effective, self.remembered, **options
        )

    def known(self, names: Sequence[str] = (FIRST,)) -> list[Version | None]:
        """The versions for which no text is asked."""
        return [q.known for q in plan([target(name) for name in names], self.effective, self.remembered).questions]


def told(verdict: Verdict) -> list[str]:
    """The due transitions, as `action name`."""
    return [f"{t.change.action} {t.change.scope.candidate}" for t in verdict.transitions]


@pytest.mark.parametrize("state", [None, loaded("a"), Removed()])
@pytest.mark.parametrize("kept", [None, entry("a")])
@pytest.mark.parametrize("answer", [Unavailable("down"), Exists()])
def test_unavailable_changes_nothing(state: State | None, kept: Entry | None, answer: Answer) -> None:
    """Whatever is known of a file, a failure of the backend changes nothing and is reported."""
    files = Files({FIRST: state} if state else {}, {FIRST: kept} if kept else {})
    verdict = files.judge({FIRST: answer})
    assert told(verdict) == []
    assert not verdict.updates
    assert [failed.label for failed, _ in verdict.failed] == ["p/AGENTS.md"]


def test_absent_after_loaded_is_a_removal() -> None:
    """A loaded file that is absent is removed, without a text, and forgotten once that was rendered."""
    (transition,) = Files({FIRST: loaded("a")}, {FIRST: entry("a")}).judge({FIRST: Absent()}).transitions
    assert (transition.change.action, transition.change.digest, transition.text, transition.entry) == (
        "remove",
        None,
        None,
        None,
    )


def test_removal_names_the_path_of_the_scope() -> None:
    """The path of a removal is the one that its scope has now, whatever was logged."""
    (transition,) = Files({FIRST: loaded("a", path="elsewhere")}).judge({FIRST: Absent()}).transitions
    assert transition.change.path == "p/AGENTS.md"


@pytest.mark.parametrize("state", [None, Removed()])
@pytest.mark.parametrize("files", [Files(entries={FIRST: entry("a", collapsed=True)}), Files(unreadable={FIRST: V1})])
def test_absent_without_effect_is_forgotten(state: State | None, files: Files) -> None:
    """A file that is absent and was not in force is forgotten, and nothing is told."""
    known = Files({FIRST: state} if state else {}, files.entries, files.unreadable)
    verdict = known.judge({FIRST: Absent()})
    assert told(verdict) == []
    assert verdict.updates.forgotten == {Scope("p", FIRST)}


def test_absent_and_unknown_is_quiet() -> None:
    """A file that was never there says nothing at all."""
    assert Files().judge({FIRST: Absent()}).is_quiet


def test_fast_path_is_quiet() -> None:
    """An unchanged version of what the model has says nothing at all."""
    files = Files({FIRST: loaded("a")}, {FIRST: entry("a")})
    assert files.known() == [V1]
    assert files.judge({FIRST: Unchanged()}).is_quiet


@pytest.mark.parametrize(
    "files",
    [
        Files(),
        Files({FIRST: loaded("a")}),
        Files({FIRST: loaded("b")}, {FIRST: entry("a")}),
        Files({FIRST: Loaded("p/AGENTS.md", None)}, {FIRST: entry("a")}),
        Files({FIRST: loaded("a", path="old/AGENTS.md")}, {FIRST: entry("a")}),
        Files({FIRST: Removed()}, {FIRST: entry("a")}),
        Files({}, {FIRST: entry("a")}),
        Files({FIRST: loaded("a")}, {FIRST: entry("a", None)}),
    ],
)
def test_no_fast_path(files: Files) -> None:
    """Unless version, path and digest are exactly what the model has, the text is asked for."""
    assert files.known() == [None]


@pytest.mark.parametrize("state", [None, Removed()])
def test_text_of_a_file_not_in_force_is_a_set(state: State | None) -> None:
    """A text where nothing was visible, or a removal was, is new; it is remembered once rendered."""
    (transition,) = Files({FIRST: state} if state else {}).judge({FIRST: Text(V1, "a")}).transitions
    assert transition.change.action == "set"
    assert transition.change.digest == digest("a")
    assert (transition.text, transition.entry) == ("a", entry("a"))


@pytest.mark.parametrize(
    "state", [loaded("b"), Loaded("p/AGENTS.md", None), loaded("a", path="old/AGENTS.md"), loaded("a ")]
)
def test_other_text_of_a_loaded_file_is_a_replacement(state: State) -> None:
    """A text that is not the one that the model has under this path replaces it."""
    assert told(Files({FIRST: state}).judge({FIRST: Text(V1, "a")})) == ["replace AGENTS.md"]


def test_same_text_refreshes_what_is_remembered() -> None:
    """The same text in a new version is remembered and not told."""
    verdict = Files({FIRST: loaded("a")}, {FIRST: entry("a")}).judge({FIRST: Text(V2, "a")})
    assert told(verdict) == []
    assert verdict.updates.entries == {Scope("p", FIRST): entry("a", V2)}


@pytest.mark.parametrize("answer", [TooLarge(V2, 9), TooLarge(V2, None), NotText(V2)])
def test_unreadable_files_are_remembered_and_keep_their_state(answer: Answer) -> None:
    """A file that is too large or no text is unavailable, its version remembered so that it is not read again."""
    files = Files({FIRST: loaded("a")}, {FIRST: entry("a")})
    verdict = files.judge({FIRST: answer})
    assert told(verdict) == []
    assert verdict.updates.unreadable == {Scope("p", FIRST): V2}
    known = Files(files.states, files.entries, {FIRST: V2})
    assert known.known() == [V2]
    assert told(known.judge({FIRST: Unchanged()})) == []
    assert told(known.judge({FIRST: Absent()})) == ["remove AGENTS.md"]


@pytest.mark.parametrize("answer", [TooLarge(None, 9), NotText(None)])
def test_unreadable_files_without_a_version_are_not_remembered(answer: Answer) -> None:
    """Where there is no version to trust nothing is remembered."""
    assert not Files().judge({FIRST: answer}).updates


def test_copies_of_an_earlier_sibling_are_dropped() -> None:
    """Of equal texts in a directory the earliest counts; white space around them does not."""
    verdict = Files().judge({FIRST: Text(V1, "a"), SECOND: Text(V1, " a\n"), THIRD: Text(V1, "b")})
    assert told(verdict) == ["set AGENTS.md", "set AGENTS.local.md"]
    assert verdict.updates.entries == {Scope("p", SECOND): entry(" a\n", name=SECOND, collapsed=True)}
    assert [(copy.label, original.label) for copy, original in verdict.duplicates] == [("p/CLAUDE.md", "p/AGENTS.md")]


def test_loaded_file_that_becomes_a_copy_is_removed() -> None:
    """A loaded file whose text is now that of an earlier sibling is removed, and remembered as its copy."""
    files = Files(
        {FIRST: loaded("a"), SECOND: loaded("b", SECOND)}, {FIRST: entry("a"), SECOND: entry("b", name=SECOND)}
    )
    (transition,) = files.judge({FIRST: Unchanged(), SECOND: Text(V2, "a")}).transitions
    assert transition.change.action == "remove"
    assert transition.entry == entry("a", V2, SECOND, collapsed=True)


def test_unchanged_file_whose_sibling_becomes_its_equal_is_removed() -> None:
    """An unchanged file, not read, is removed once an earlier sibling has its text."""
    files = Files(
        {FIRST: loaded("a"), SECOND: loaded("b", SECOND)}, {FIRST: entry("a"), SECOND: entry("b", name=SECOND)}
    )
    assert told(files.judge({FIRST: Text(V2, "b"), SECOND: Unchanged()})) == ["replace AGENTS.md", "remove CLAUDE.md"]


def test_copy_whose_original_is_gone_needs_its_text() -> None:
    """A remembered copy, not read, has to be read once its original diverged or is gone; then it is new."""
    files = Files({FIRST: loaded("a")}, {FIRST: entry("a"), SECOND: entry("a", name=SECOND, collapsed=True)})
    assert files.known((FIRST, SECOND)) == [V1, V1]
    for answer in (Absent(), Text(V2, "b")):
        verdict = files.judge({FIRST: answer, SECOND: Unchanged()})
        assert verdict.needs_text == {Scope("p", SECOND)}
    assert told(files.judge({FIRST: Absent(), SECOND: Text(V1, "a")})) == ["remove AGENTS.md", "set CLAUDE.md"]


def test_second_copy_stays_hidden_behind_the_first() -> None:
    """Of two remembered copies only the first needs its text: the other one is the first one's copy."""
    files = Files(
        {FIRST: loaded("a")},
        {
            FIRST: entry("a"),
            SECOND: entry("a", name=SECOND, collapsed=True),
            THIRD: entry("a", name=THIRD, collapsed=True),
        },
    )
    assert files.judge({FIRST: Absent(), SECOND: Unchanged(), THIRD: Unchanged()}).needs_text == {Scope("p", SECOND)}


@pytest.mark.parametrize("answer", [Unavailable("down"), TooLarge(V2, 9), NotText(V2)])
def test_original_that_fails_keeps_counting(answer: Answer) -> None:
    """A loaded original that cannot be read now hides its copy, whether that is read anew or not."""
    files = Files({FIRST: loaded("a")}, {FIRST: entry("a"), SECOND: entry("a", name=SECOND, collapsed=True)})
    for copy in (Unchanged(), Text(V2, "a\n")):
        verdict = files.judge({FIRST: answer, SECOND: copy})
        assert told(verdict) == []
        assert verdict.needs_text == set()


def test_original_that_stays_unreadable_keeps_counting() -> None:
    """So does one whose unreadable version is known already."""
    files = Files(
        {FIRST: loaded("a")}, {FIRST: entry("a"), SECOND: entry("a", name=SECOND, collapsed=True)}, {FIRST: V2}
    )
    assert files.judge({FIRST: Unchanged(), SECOND: Unchanged()}).is_quiet


@pytest.mark.parametrize("state", [None, Removed(), loaded("other")])
def test_original_not_in_force_hides_nothing(state: State | None) -> None:
    """An earlier sibling that fails and is not what the model has lets its copy come to light."""
    files = Files({FIRST: state} if state else {}, {FIRST: entry("a")})
    assert told(files.judge({FIRST: Unavailable("down"), SECOND: Text(V1, "a")})) == ["set CLAUDE.md"]


def test_directories_do_not_collapse() -> None:
    """Equal texts in different directories are both told, also one shown as user-global and one at the root."""
    targets = [target(directory="user-global"), target(directory="."), target(directory="p"), target(directory="p/q")]
    verdict = judge(targets, [Text(V1, "a")] * 4, {}, Remembered())
    assert [t.change.scope.directory for t in verdict.transitions] == ["user-global", ".", "p", "p/q"]


def test_afresh_tells_everything_again() -> None:
    """A new baseline tells every text again, whatever the model has."""
    files = Files({FIRST: loaded("a")}, {FIRST: entry("a")})
    assert told(files.judge({FIRST: Text(V1, "a")}, afresh=True)) == ["set AGENTS.md"]


def test_empty_files_are_files() -> None:
    """Empty texts are told, and are copies of one another."""
    assert told(Files().judge({FIRST: Text(V1, ""), SECOND: Text(V1, " \n")})) == ["set AGENTS.md"]


def test_unchanged_without_a_remembered_version_needs_the_text() -> None:
    """An answer for a version that was forgotten meanwhile cannot be used."""
    assert Files({FIRST: loaded("a")}).judge({FIRST: Unchanged()}).needs_text == {Scope("p", FIRST)}
