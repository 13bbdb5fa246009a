"""Whether any name is taken as a name, and as nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from guidefs.testing.asking import Asking
from guidefs.testing.expectation import ensure, expect
from guidefs.values.answer import Absent, Answer, Exists, Marker, Text, Unavailable

__all__ = ["NameTests"]


class NameTests(Asking):
    """Names that people, shells and protocols stumble over."""

    def test_hostile_names_of_files(self) -> None:
        """A file of any name that the backend can hold has its own text, all in one batch."""
        self._put_texts()
        answers = self.ask(*(self.path(name) for name in self.hostile_names))
        self._expect_texts(answers)

    def test_hostile_names_of_directories(self) -> None:
        """A file below a directory of any name has its own text, and the directory is a marker."""
        self._put_texts("AGENTS.md")
        self._expect_texts(self.ask(*(self.path(name, "AGENTS.md") for name in self.hostile_names)))
        markers = self.ask(*(Marker(self.path(name)) for name in self.hostile_names))
        expect(markers, [Exists()] * len(self.hostile_names), "the directories as markers")

    def test_hostile_names_of_nothing(self) -> None:
        """A name that no file has is absent, whatever else it might mean."""
        answers = self.ask(*(self.path(name) for name in self.hostile_names))
        expect(answers, [Absent()] * len(self.hostile_names), "names that nothing has")

    def test_impossible_names(self) -> None:
        """A name that no file can have is absent or unavailable, never an exception, and harms no neighbour."""
        self.put(self.path("AGENTS.md"), b"text")
        nul, long, neighbour = self.ask(self.path("nul\0"), self.path("x" * 5_000), self.path("AGENTS.md"))
        for answer in (nul, long):
            ensure(isinstance(answer, Absent | Unavailable), f"{answer!r} is absent or unavailable")
        expect(type(neighbour), Text, "the kind of the neighbour's answer")

    def _put_texts(self, *below: str) -> None:
        for name in self.hostile_names:
            self.put(self.path(name, *below), repr(name).encode())

    def _expect_texts(self, answers: Sequence[Answer]) -> None:
        for name, answer in zip(self.hostile_names, answers, strict=True):
            expect(answer.text if isinstance(answer, Text) else answer, repr(name), f"the text of {name!r}")
