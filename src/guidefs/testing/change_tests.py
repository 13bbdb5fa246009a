"""Whether every change is noticed, whoever looked before."""

from __future__ import annotations

from guidefs.testing.asking import LIMITS, Asking
from guidefs.testing.expectation import ensure, expect
from guidefs.values.answer import Absent, Exists, Marker, NotText, Question, Text, TooLarge, Unchanged, Version

__all__ = ["ChangeTests"]

ROUNDS = 20


class ChangeTests(Asking):
    """Versions and listing caches must never hide a change."""

    def test_a_known_version_is_unchanged(self) -> None:
        """A file that still has the known version needs no text."""
        self.require("versions")
        self.put(self.path("AGENTS.md"), b"text")
        known = self.known_version_of(self.path("AGENTS.md"))
        expect(self.ask(Question(self.path("AGENTS.md"), known)), [Unchanged()], "the known version")

    def test_another_version_is_read(self) -> None:
        """A known version that the file does not have brings the text."""
        self.put(self.path("AGENTS.md"), b"text")
        self._expect_change_to("text", Version("made up"))

    def test_an_edit_is_noticed(self) -> None:
        """An edited file has its new text and another version."""
        self.put(self.path("AGENTS.md"), b"old")
        known = self.version_of(self.path("AGENTS.md"))
        self.put(self.path("AGENTS.md"), b"new text")
        self._expect_change_to("new text", known)

    def test_an_edit_of_the_same_size_is_noticed(self) -> None:
        """The size alone says nothing."""
        self.put(self.path("AGENTS.md"), b"old")
        known = self.version_of(self.path("AGENTS.md"))
        self.put(self.path("AGENTS.md"), b"new")
        self._expect_change_to("new", known)

    def test_an_edit_right_after_a_look_is_noticed(self) -> None:
        """However fast an edit of the same size follows, the version that was told does not cover it."""
        path = self.path("AGENTS.md")
        for number in range(ROUNDS):
            self.put(path, f"old {number:02}".encode())
            first = self.ask_at_once(Question(path))
            known = first.version if isinstance(first, Text) else None
            self.put(path, f"new {number:02}".encode())
            second = self.ask_at_once(Question(path, known))
            expect(second.text if isinstance(second, Text) else second, f"new {number:02}", f"round {number}")

    def test_a_file_that_grows_is_noticed(self) -> None:
        """A file that becomes too large is told as such, with no text."""
        self.put(self.path("AGENTS.md"), b"small")
        known = self.version_of(self.path("AGENTS.md"))
        self.put(self.path("AGENTS.md"), b"x" * (LIMITS.max_source_bytes + 1))
        [answer] = self.ask(Question(self.path("AGENTS.md"), known))
        expect(type(answer), TooLarge, "the kind of the answer")

    def test_a_deletion_is_noticed(self) -> None:
        """A deleted file is absent, whatever version of it is known."""
        self.put(self.path("AGENTS.md"), b"text")
        known = self.version_of(self.path("AGENTS.md"))
        self.delete(self.path("AGENTS.md"))
        expect(self.ask(Question(self.path("AGENTS.md"), known)), [Absent()], "a deleted file")

    def test_a_creation_is_noticed(self) -> None:
        """A file that was absent before is found once it is there."""
        expect(self.ask(self.path("AGENTS.md")), [Absent()], "a file that is not there yet")
        self.put(self.path("AGENTS.md"), b"text")
        self._expect_change_to("text")

    def test_unreadable_versions_are_told(self) -> None:
        """What is too large or not text has a version too, so that it is not read again."""
        self.require("versions")
        self.put(self.path("large"), b"x" * (LIMITS.max_source_bytes + 1))
        self.put(self.path("binary"), b"\xff")
        for path, kind in ((self.path("large"), TooLarge), (self.path("binary"), NotText)):
            [answer] = self.ask(path)
            expect(type(answer), kind, f"the kind of the answer for {path!r}")
            known = answer.version if isinstance(answer, TooLarge | NotText) else None
            expect(self.ask(Question(path, known)), [Unchanged()], f"{path!r} asked again")

    def test_a_creation_after_a_listing_is_noticed(self) -> None:
        """A file that a listing cache does not know is found."""
        self.put(self.path("sub", "other"), b"x")
        self.list_directory(self.path("sub"))
        self.put(self.path("sub", "AGENTS.md"), b"text")
        [answer, marker] = self.ask(self.path("sub", "AGENTS.md"), Marker(self.path("sub", "AGENTS.md")))
        expect(answer.text if isinstance(answer, Text) else answer, "text", "a file made after the listing")
        expect(marker, Exists(), "the same file as a marker")

    def test_an_edit_after_a_listing_is_noticed(self) -> None:
        """A listing cache does not hide an edit, of the same size or another."""
        self.put(self.path("AGENTS.md"), b"old")
        known = self.version_of(self.path("AGENTS.md"))
        for text in ("new", "longer text"):
            self.list_directory(self.root)
            self.put(self.path("AGENTS.md"), text.encode())
            self._expect_change_to(text, known)

    def test_a_deletion_after_a_listing_is_noticed(self) -> None:
        """A file that a listing cache still knows is absent."""
        self.put(self.path("other"), b"x")
        self.put(self.path("AGENTS.md"), b"text")
        known = self.version_of(self.path("AGENTS.md"))
        self.list_directory(self.root)
        self.delete(self.path("AGENTS.md"))
        question, marker = Question(self.path("AGENTS.md"), known), Marker(self.path("AGENTS.md"))
        expect(self.ask(question, marker), [Absent(), Absent()], "a file deleted after the listing")

    def _expect_change_to(self, text: str, known: Version | None = None) -> None:
        [answer] = self.ask(Question(self.path("AGENTS.md"), known))
        expect(answer.text if isinstance(answer, Text) else answer, text, "the text")
        if known is not None and isinstance(answer, Text):
            ensure(answer.version != known, f"the changed file has another version than {known!r}")
