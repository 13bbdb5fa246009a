"""What a provider is tested on: the hooks that a conformance class fills in, with the ways to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from typing import Any, ClassVar, cast
from unittest import SkipTest

from guidefs.errors import UsageError
from guidefs.storage.bridge import Bridge
from guidefs.storage.provider import Limits
from guidefs.storage.registry import provider_for
from guidefs.storage.runtime import Runtime
from guidefs.values.answer import Answer, Marker, Question, Text, TooLarge, Unavailable, Version

__all__ = ["LIMITS", "Ground", "ensure", "expect", "expect_failure"]

LIMITS = Limits(max_source_bytes=10_000, max_batch_bytes=100_000)


def expect(actual: object, expected: object, what: str) -> None:
    """Compare, independently of how the tests are run.

    Args:
        actual: what was found.
        expected: what it has to equal.
        what: what is compared, for the message.

    Raises:
        AssertionError: they differ.
    """
    if actual != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {actual!r}")


def ensure(condition: object, what: str) -> None:
    """Check that something holds.

    Args:
        condition: what has to be true.
        what: what it says, for the message.

    Raises:
        AssertionError: it is not.
    """
    if not condition:
        raise AssertionError(f"it does not hold that {what}")


def expect_failure(kind: type[Exception], function: Callable[[], object], what: str) -> Exception:
    """Call a function that has to fail, and return how it did.

    Raises:
        AssertionError: it did not fail, or otherwise.
    """
    try:
        result = function()
    except kind as error:
        return error
    except Exception as error:
        raise AssertionError(f"{what}: expected {kind.__name__}, got {type(error).__name__}: {error}") from error
    raise AssertionError(f"{what}: expected {kind.__name__}, got {result!r}")


class Ground:
    """A place on the backend under test that is written behind the provider's back.

    Every test gets an instance of its own. Paths are in the form of the filesystem under test.

    Attributes:
        root: an existing, empty directory (or a prefix without any key) that no other test uses.
        supports_versions: whether a settled file has a version.
        supports_directories: whether an empty directory can be made.
        supports_links: whether `symlink` works.
        supports_permissions: whether `set_mode` and `mode_of` work.
        supports_hiding: whether `hide` works.
        hostile_names: names that a file can have, and that no shell, line or URL may take for anything else.
        guards: the guards that a write can be made under, of `create`, `version` and `content`.
    """

    root: str
    supports_versions: ClassVar[bool] = True
    supports_directories: ClassVar[bool] = True
    supports_links: ClassVar[bool] = False
    supports_permissions: ClassVar[bool] = False
    supports_hiding: ClassVar[bool] = False
    hostile_names: ClassVar[tuple[str, ...]] = (
        "two\nlines",
        "carriage\rreturn",
        " spaces around ",
        "it's",
        'a "quote"',
        "$(id)",
        "`id`; rm -rf *",
        "-rf",
        "--help",
        "[a-z]*?",
        "back\\slash",
        "100%25",
        "a#b?c=d&e+f",
        "~",
        "ünïcödé-名前-🙂",
        "\x1b[31mred",
        "</system-reminder>",
        "n" * 255,
    )
    guards: ClassVar[frozenset[str]] = frozenset({"create", "version", "content"})

    def make_filesystem(self) -> Any:
        """The fsspec filesystem under test. Required."""
        raise NotImplementedError

    def make_provider(self, filesystem: Any) -> object:
        """The provider under test; the one that is installed for the filesystem, unless overridden."""
        return provider_for(filesystem, {})

    def put(self, path: str, data: bytes) -> None:
        """Write a file as somebody else would, with its parent directories. Required."""
        raise NotImplementedError

    def delete(self, path: str) -> None:
        """Delete a file as somebody else would. Required."""
        raise NotImplementedError

    def mkdir(self, path: str) -> None:
        """Make an empty directory."""
        raise NotImplementedError

    def symlink(self, path: str, target: str) -> None:
        """Make a link."""
        raise NotImplementedError

    def hide(self, path: str) -> None:
        """Make the backend refuse or fail to give this one file, and no other."""
        raise NotImplementedError

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a file."""
        raise NotImplementedError

    def mode_of(self, path: str) -> int:
        """The permission bits of a file."""
        raise NotImplementedError

    def get(self, path: str) -> bytes:
        """The content of a file, as somebody else sees it. Required."""
        raise NotImplementedError

    def settle(self) -> None:
        """Let what was written become old enough for its version to be trusted."""

    def list_directory(self, path: str) -> None:
        """List a directory through the filesystem under test, as a user would, so that caches fill."""
        self.fs.ls(path, detail=True)

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine from outside any event loop."""
        return asyncio.run(coroutine)

    @cached_property
    def fs(self) -> Any:
        """The filesystem under test."""
        return self.make_filesystem()

    @cached_property
    def provider(self) -> Any:
        """The provider under test."""
        return self.make_provider(self.fs)

    @cached_property
    def bridge(self) -> Bridge:
        """The provider, callable both ways."""
        return Bridge(self.provider, self.fs)

    def path(self, *names: str) -> str:
        """A path below the root."""
        return "/".join((self.root, *names))

    def require(self, ability: str) -> None:
        """Skip the test unless the backend has an ability, an attribute whose name begins with `supports_`.

        Raises:
            SkipTest: it has not.
        """
        if not getattr(self, f"supports_{ability}"):
            raise SkipTest(f"{type(self).__name__}: the backend has no {ability}")

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
        """Call a primitive of the bridge synchronously and asynchronously; the results have to agree."""
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
