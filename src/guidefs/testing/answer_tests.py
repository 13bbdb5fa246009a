"""Which answer each kind of path has to get."""

from __future__ import annotations

from guidefs.storage.text import NUL_WINDOW_BYTES
from guidefs.testing.asking import Asking
from guidefs.testing.expectation import expect
from guidefs.values.answer import Absent, Answer, Exists, Marker, NotText, Question, Text

__all__ = ["AnswerTests"]

MANY = 300


class AnswerTests(Asking):
    """Every kind of answer, one at a time and together."""

    def test_a_file_has_its_text(self) -> None:
        """The answer for a regular file is its whole text."""
        self.put(self.path("AGENTS.md"), "# Rules\r\nüñí\n".encode())
        self._expect_text("# Rules\r\nüñí\n")

    def test_an_empty_file_has_an_empty_text(self) -> None:
        """An empty file is text, not absent."""
        self.put(self.path("AGENTS.md"), b"")
        self._expect_text("")

    def test_a_missing_file_is_absent(self) -> None:
        """A file that does not exist is absent, in an existing directory and in a missing one."""
        self.put(self.path("other"), b"x")
        answers = self.ask(self.path("AGENTS.md"), self.path("missing", "AGENTS.md"))
        expect(answers, [Absent(), Absent()], "missing files")

    def test_a_prefix_of_a_name_is_absent(self) -> None:
        """A file whose name begins with the asked one is another file."""
        self.put(self.path("AGENTS.md.orig"), b"x")
        expect(self.ask(self.path("AGENTS.md")), [Absent()], "the beginning of another name")

    def test_a_directory_is_absent(self) -> None:
        """A directory that has the name of a candidate is absent, empty or not."""
        self.put(self.path("AGENTS.md", "inner"), b"x")
        expect(self.ask(self.path("AGENTS.md")), [Absent()], "a directory with a file in it")
        if self.supports_directories:
            self.mkdir(self.path("CLAUDE.md"))
            expect(self.ask(self.path("CLAUDE.md")), [Absent()], "an empty directory")

    def test_a_path_through_a_file_is_absent(self) -> None:
        """A regular file in the place of a directory makes the candidate absent."""
        self.put(self.path("file"), b"x")
        expect(self.ask(self.path("file", "AGENTS.md")), [Absent()], "a path through a file")

    def test_one_byte_order_mark_is_dropped(self) -> None:
        """One leading byte-order mark is no part of the text; a second one is."""
        self.put(self.path("AGENTS.md"), b"\xef\xbb\xbf\xef\xbb\xbftext")
        self._expect_text("\ufefftext")

    def test_a_nul_at_the_beginning_is_not_text(self) -> None:
        """A NUL in the last byte of the first 8,192 means that the file is not text."""
        self.put(self.path("AGENTS.md"), b"x" * (NUL_WINDOW_BYTES - 1) + b"\0")
        self._expect_not_text()

    def test_a_nul_further_on_is_kept(self) -> None:
        """A NUL after the first 8,192 bytes is part of the text."""
        self.put(self.path("AGENTS.md"), b"x" * NUL_WINDOW_BYTES + b"\0")
        self._expect_text("x" * NUL_WINDOW_BYTES + "\0")

    def test_invalid_utf8_is_not_text(self) -> None:
        """Bytes that are no UTF-8 are not replaced or guessed at, wherever they are."""
        self.put(self.path("AGENTS.md"), b"x" * 9_000 + b"\xe4\xf6\xfc")
        self._expect_not_text()

    def test_markers(self) -> None:
        """Files and directories are markers, also a directory that only its content implies."""
        self.put(self.path("sub", "file"), b"")
        found = {"sub/file": True, "sub": True, "su": False, "sub/none": False, "sub/file/below": False}
        if self.supports_directories:
            self.mkdir(self.path("empty"))
            found["empty"] = True
        answers = self.ask(*(Marker(self.path(name)) for name in found))
        expect(answers, [Exists() if there else Absent() for there in found.values()], f"the markers {list(found)}")

    def test_links(self) -> None:
        """A link to a file has its text; one that leads to no regular file is absent."""
        self.require("links")
        self.put(self.path("real", "file"), b"text")
        links = {"good": "real/file", "dangling": "nowhere", "loop": "loop", "directory": "real"}
        for name, target in links.items():
            self.symlink(self.path(name), target)
        good, *others = self.ask(*(self.path(name) for name in links))
        expect(_text_of(good), "text", "the text behind a link")
        expect(others, [Absent()] * 3, "links that lead to no file")

    def test_nothing_asked_is_nothing_answered(self) -> None:
        """An empty batch has no answers."""
        expect(self.ask(), [], "an empty batch")

    def test_answers_come_in_order(self) -> None:
        """Each question of a mixed batch gets its own answer, in its own place."""
        self.put(self.path("a"), b"text a")
        self.put(self.path("b"), b"\xff")
        questions = [self.path("a"), self.path("none"), self.path("b"), self.path("a", "none")]
        a, *others = self.ask(*questions, Marker(self.path("a")), Marker(self.path("none")))
        expect(_text_of(a), "text a", "the first answer")
        kinds = [type(answer) for answer in others]
        expect(kinds, [Absent, NotText, Absent, Exists, Absent], "the kinds of the other answers")

    def test_many_questions(self) -> None:
        """A batch of 300 questions is answered whole, in order."""
        for number in range(0, MANY, 30):
            self.put(self.path(f"{number}.md"), f"text {number}".encode())
        answers = self.ask(*(Question(self.path(f"{number}.md")) for number in range(MANY)))
        expect(len(answers), MANY, "the number of answers")
        for number, answer in enumerate(answers):
            if number % 30:
                expect(answer, Absent(), f"answer {number}")
            else:
                expect(_text_of(answer), f"text {number}", f"answer {number}")

    def _expect_text(self, text: str) -> None:
        [answer] = self.ask(self.path("AGENTS.md"))
        expect(_text_of(answer), text, "the text")

    def _expect_not_text(self) -> None:
        [answer] = self.ask(self.path("AGENTS.md"))
        expect(type(answer), NotText, "the kind of the answer")


def _text_of(answer: Answer) -> object:
    return answer.text if isinstance(answer, Text) else answer
