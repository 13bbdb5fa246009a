"""What a batch may cost, with the failures that it has to contain."""

from __future__ import annotations

from guidefs.storage.provider import Limits
from guidefs.testing.asking import LIMITS, Asking
from guidefs.testing.expectation import ensure, expect
from guidefs.values.answer import Question, Text, TooLarge, Unavailable, Unchanged

__all__ = ["BoundTests"]

SMALL_BATCH = Limits(max_source_bytes=100, max_batch_bytes=100)


class BoundTests(Asking):
    """Sizes of files and batches, and failures of single paths."""

    def test_the_largest_file_is_read(self) -> None:
        """A file of exactly `max_source_bytes` bytes has its text; the bound counts bytes, not characters."""
        size = LIMITS.max_source_bytes
        self.put(self.path("ascii"), b"x" * size)
        self.put(self.path("wide"), "ü".encode() * (size // 2))
        answers = self.ask(self.path("ascii"), self.path("wide"))
        sizes = [len(answer.text.encode()) if isinstance(answer, Text) else answer for answer in answers]
        expect(sizes, [size, size], "the sizes of the texts")

    def test_a_larger_file_is_too_large(self) -> None:
        """A file of one byte more is too large, and so is one of a thousand times the bound."""
        self.put(self.path("larger"), b"x" * (LIMITS.max_source_bytes + 1))
        self.put(self.path("huge"), b"x" * (LIMITS.max_source_bytes * 1_000))
        kinds = [type(answer) for answer in self.ask(self.path("larger"), self.path("huge"))]
        expect(kinds, [TooLarge, TooLarge], "the kinds of the answers")

    def test_the_batch_keeps_its_tail(self) -> None:
        """When texts do not fit, the last ones are kept and everything before the first misfit is refused."""
        self._put_files(1, 60, 50, 50)
        kinds = [type(answer) for answer in self.ask(*self._files(4), limits=SMALL_BATCH)]
        expect(kinds, [Unavailable, Unavailable, Text, Text], "the kinds of the answers")

    def test_what_was_refused_comes_later(self) -> None:
        """A text that a full batch refused is given when it is asked for with room."""
        self._put_files(60, 60)
        [first, _] = self.ask(*self._files(2), limits=SMALL_BATCH)
        expect(type(first), Unavailable, "the kind of the first answer")
        [again] = self.ask(*self._files(1), limits=SMALL_BATCH)
        expect(type(again), Text, "the kind of the answer with room")

    def test_unchanged_files_take_no_room(self) -> None:
        """Files of known versions cost nothing of the batch, and are answered when it is full."""
        self.require("versions")
        self._put_files(90, 90, 90)
        first, second, third = self._files(3)
        questions = [Question(path, self.known_version_of(path)) for path in (first, third)]
        answers = self.ask(questions[0], second, questions[1], limits=SMALL_BATCH)
        expect([type(answer) for answer in answers], [Unchanged, Text, Unchanged], "the kinds of the answers")

    def test_a_failure_stays_with_its_path(self) -> None:
        """A file that the backend does not give is unavailable, says why, and its neighbours are answered."""
        self.require("hiding")
        self._put_files(1, 1, 1)
        self.hide(self._files(3)[1])
        answers = self.ask(*self._files(3))
        expect([type(answer) for answer in answers], [Text, Unavailable, Text], "the kinds of the answers")
        reason = answers[1].error if isinstance(answers[1], Unavailable) else ""
        ensure(reason.strip(), "the unavailable answer has a reason")

    def _put_files(self, *sizes: int) -> None:
        for path, size in zip(self._files(len(sizes)), sizes, strict=True):
            self.put(path, b"x" * size)

    def _files(self, count: int) -> list[str]:
        return [self.path(f"{number}.md") for number in range(count)]
