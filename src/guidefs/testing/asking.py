"""The ways to ask a provider under test, all of which have to agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, cast

from guidefs.errors import UsageError
from guidefs.storage.provider import Limits
from guidefs.storage.runtime import Runtime
from guidefs.testing.expectation import ensure, expect
from guidefs.testing.ground import Ground
from guidefs.values.answer import Answer, Marker, Question, Text, TooLarge, Unavailable, Version

__all__ = ["LIMITS", "Asking"]

LIMITS = Limits(max_source_bytes=10_000, max_batch_bytes=100_000)


class Asking(Ground):
    """Asks through every half of the provider and through its bridge."""

    def ask(self, *questions: Question | Marker | str, limits: Limits = LIMITS) -> list[Answer]:
        """Ask settled files through every half that there is; they have to agree.

        Args:
            questions: what to ask; a bare path asks for its text.
            limits: the bounds of the batch.
        """
        self.settle()
        batch = [Question(question) if isinstance(question, str) else question for question in questions]
        given = {name: list(half(batch, limits)) for name, half in self._halves().items()}
        first, *others = given
        for other in others:
            expect(_essence(given[other]), _essence(given[first]), f"{other} against {first}")
        return given[first]

    def ask_at_once(self, question: Question) -> Answer:
        """Ask one question in one way, however fresh the file is."""
        [answer] = next(iter(self._halves().values()))([question], LIMITS)
        return answer

    def version_of(self, path: str) -> Version | None:
        """The version that comes with the text of a file; the test fails if there is no text."""
        [answer] = self.ask(path)
        ensure(isinstance(answer, Text), f"{path!r} has a text ({answer!r})")
        return cast(Text, answer).version

    def known_version_of(self, path: str) -> Version:
        """The version of a settled file, on a backend that has versions; the test fails if there is none."""
        version = self.version_of(path)
        ensure(version is not None, f"{path!r} has a version, as the backend has versions")
        return cast(Version, version)

    def both_ways(self, name: str, *arguments: Any, **options: Any) -> Any:
        """Call a primitive about settled files synchronously and asynchronously; the results have to agree."""
        self.settle()
        results = [self.run(getattr(self.bridge, f"a{name}")(*arguments, **options))]
        if self._can_sync:
            results.append(getattr(self.bridge, name)(*arguments, **options))
        expect(results[-1], results[0], f"{name} called synchronously against asynchronously")
        return results[0]

    def call(self, name: str, *arguments: Any, **options: Any) -> Any:
        """Call a primitive of the bridge once."""
        if self._can_sync:
            return getattr(self.bridge, name)(*arguments, **options)
        return self.run(getattr(self.bridge, f"a{name}")(*arguments, **options))

    @cached_property
    def _can_sync(self) -> bool:
        try:
            self.bridge.check_sync()
        except UsageError:
            return False
        return True

    def _halves(self) -> dict[str, Callable[[Sequence[Question | Marker], Limits], Sequence[Answer]]]:
        provider, runtime = self.provider, Runtime(self.fs)
        halves: dict[str, Callable[[Sequence[Question | Marker], Limits], Sequence[Answer]]] = {}
        if hasattr(provider, "fetch") and self._can_sync:
            halves["fetch"] = provider.fetch
        if hasattr(provider, "afetch"):
            halves["afetch"] = lambda batch, limits: self.run(runtime.arun(provider.afetch, batch, limits))
        if self._can_sync:
            halves["bridged fetch"] = self.bridge.fetch
        halves["bridged afetch"] = lambda batch, limits: self.run(self.bridge.afetch(batch, limits))
        return halves


def _essence(answers: Sequence[Answer]) -> list[object]:
    """What two halves have to agree on; a size may be left out, and a failure may be worded differently."""
    essence: list[object] = []
    for answer in answers:
        match answer:
            case TooLarge(version):
                essence.append(TooLarge(version, None))
            case Unavailable():
                essence.append(Unavailable)
            case _:
                essence.append(answer)
    return essence
