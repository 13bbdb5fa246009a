"""The public fakes, faults and conformance class themselves."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from guidefs.errors import FileInputOutputError, NotFoundError, NotRegularFileError, UsageError
from guidefs.storage import (
    Absent,
    Bridge,
    CreateOnly,
    Exists,
    Limits,
    Marker,
    NotText,
    Question,
    Stat,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
    Version,
)
from guidefs.testing import Counts, FakeProvider, FaultPoint, FaultyProvider, ProviderTests
from guidefs.testing.expectation import ensure, expect, expect_failure

LIMITS = Limits(max_source_bytes=10, max_batch_bytes=100)


@pytest.fixture
def fake() -> FakeProvider:
    """A fake with one file of each kind."""
    fake = FakeProvider(omit_size=["/unsized"])
    fake.put("/text", "text")
    fake.put("/binary", b"\xff")
    fake.put("/large", b"x" * 11)
    fake.put("/unsized", b"x" * 14)
    return fake


def _version(provider: Any, path: str) -> Version:
    found = provider.stat(path)
    assert isinstance(found, Stat)
    assert found.version is not None
    return found.version


def test_the_fake_counts_what_it_is_asked(fake: FakeProvider) -> None:
    """Batches, questions and reads are counted; what needs no content is not read."""
    known = _version(fake, "/text")
    fake.fetch(
        [Question("/text", known), Question("/none"), Question("/large"), Marker("/text"), Question("/text")], LIMITS
    )
    assert fake.counts == Counts(batches=1, stats=5, reads=1)


def test_the_fake_implies_nothing() -> None:
    """A directory exists only once it was made, and paths are normalised as text."""
    fake = FakeProvider()
    fake.put("/sub//deep/../file", "text")
    assert fake.fetch([Marker("/sub"), Question("/sub/./file")], LIMITS)[0] == Absent()
    assert isinstance(fake.fetch([Question("/sub/./file")], LIMITS)[0], Text)
    fake.mkdir("/sub")
    assert fake.fetch([Marker("/sub")], LIMITS) == [Exists()]


def test_every_write_of_the_fake_has_a_new_version(fake: FakeProvider) -> None:
    """The same bytes again are another version, unless the version is kept on purpose."""
    first = _version(fake, "/text")
    fake.put("/text", "text")
    second = _version(fake, "/text")
    fake.put("/text", "other", same_version=True)
    assert first != second == _version(fake, "/text")
    fake.touch_version("/text")
    assert _version(fake, "/text") != second
    assert fake.read("/text", offset=0, max_bytes=9).data == b"other"


def test_a_size_that_is_left_out_is_found_by_reading(fake: FakeProvider) -> None:
    """Without a stated size only the content shows that a file is too large."""
    stated, unstated = fake.fetch([Question("/large"), Question("/unsized")], LIMITS)
    assert (stated, unstated) == (
        TooLarge(_version(fake, "/large"), 11),
        TooLarge(_version(fake, "/unsized"), None),
    )
    assert fake.counts.reads == 1


def test_lenient_reading_takes_any_bytes() -> None:
    """Lenient decoding replaces what is no UTF-8 and keeps byte-order marks and NULs."""
    fake = FakeProvider(lenient=True)
    fake.put("/a", b"\xef\xbb\xbf\0\xff")
    fake.put("/b", b"\xff" * 4)
    answers = fake.fetch([Question("/a"), Question("/b")], LIMITS)
    assert answers[0] == Text(_version(fake, "/a"), "\ufeff\0\ufffd")
    assert isinstance(answers[1], TooLarge)


def test_trees_of_the_fake_move_and_go() -> None:
    """A rename takes everything below along with its versions; a deletion ends it."""
    fake = FakeProvider()
    fake.mkdir("/a")
    fake.put("/a/file", "text")
    fake.put("/ab", "text")
    version = _version(fake, "/a/file")
    fake.rename("/a", "/b")
    assert _version(fake, "/b/file") == version
    assert fake.stat("/b") == Stat("directory", None, None)
    assert fake.stat("/a/file") == fake.stat("/a") == Absent()
    fake.delete("/b")
    assert fake.stat("/b") == fake.stat("/b/file") == Absent()
    assert isinstance(fake.stat("/ab"), Stat)


def test_reads_of_the_fake_fail_with_types(fake: FakeProvider) -> None:
    """A directory and a missing file are told apart."""
    fake.mkdir("/sub")
    with pytest.raises(NotRegularFileError):
        fake.read("/sub", offset=0, max_bytes=1)
    with pytest.raises(NotFoundError):
        fake.touch_version("/none")


@pytest.mark.parametrize("point", ["stat", "resolve"])
def test_a_fault_before_reading(fake: FakeProvider, point: FaultPoint) -> None:
    """Every question about the path is unavailable, known or not, and is not passed on."""
    faulty = FaultyProvider(fake)
    known = _version(faulty, "/text")
    faulty.fail("/text", at=point)
    answers = faulty.fetch([Question("/text", known), Marker("/text"), Question("/none")], LIMITS)
    assert [type(answer) for answer in answers] == [Unavailable, Unavailable, Absent]
    assert fake.counts == Counts(batches=1, stats=1)
    assert isinstance(faulty.stat("/text"), Unavailable)
    with pytest.raises(FileInputOutputError, match="injected"):
        faulty.read("/text", offset=0, max_bytes=1)
    faulty.heal("/text")
    assert faulty.fetch([Question("/text", known)], LIMITS) == [Unchanged()]


def test_a_fault_while_reading(fake: FakeProvider) -> None:
    """Only what takes a read is unavailable."""
    faulty = FaultyProvider(fake)
    for path in ("/text", "/binary", "/large", "/unsized", "/none"):
        faulty.fail(path, at="read")
    known = _version(faulty, "/text")
    paths = ["/text", "/binary", "/large", "/unsized", "/none"]
    answers = faulty.fetch([*(Question(path) for path in paths), Question("/text", known), Marker("/text")], LIMITS)
    kinds = [type(answer) for answer in answers]
    assert kinds == [Unavailable, Unavailable, TooLarge, Unavailable, Absent, Unchanged, Exists]
    with pytest.raises(FileInputOutputError):
        faulty.read("/text", offset=0, max_bytes=1)
    faulty.write("/new", b"", CreateOnly())


def test_a_fault_needs_a_known_point(fake: FakeProvider) -> None:
    """A misspelt point is wrong use, not a test that passes."""
    with pytest.raises(UsageError, match="resolve, stat, read"):
        FaultyProvider(fake).fail("/text", at="open")  # type: ignore[arg-type] # the mistake under test


def test_a_layer_has_the_halves_of_what_is_below(fake: FakeProvider) -> None:
    """A layer adds no half and hides none, so that the bridge chooses as without it."""

    class OnlyAsync:
        async def afetch(self, questions: Any, limits: Any) -> Any:
            return fake.fetch(questions, limits)

    assert not hasattr(FaultyProvider(OnlyAsync()), "fetch")
    assert not hasattr(FaultyProvider(OnlyAsync()), "stat")
    assert Bridge(FaultyProvider(OnlyAsync()), None).fetch([Marker("/none")], LIMITS) == [Absent()]


def test_a_layer_does_not_hide_a_wrong_number_of_answers() -> None:
    """Answers that cannot be told apart make the whole batch unavailable, refused questions included."""

    class Short:
        def fetch(self, questions: Any, limits: Any) -> Any:
            return []

    faulty = FaultyProvider(Short())
    faulty.fail("/b")
    answers = Bridge(faulty, None).fetch([Question("/a"), Question("/b")], LIMITS)
    assert [type(answer) for answer in answers] == [Unavailable, Unavailable]


class Silenced(ProviderTests):
    """Switches a test off."""

    test_markers = None  # type: ignore[assignment] # the mistake under test


class Excused(ProviderTests):
    """Says why a test cannot pass."""

    @pytest.mark.xfail(reason="the backend has no markers")
    def test_markers(self) -> None:
        """Fail, as announced."""


class Unexcused(ProviderTests):
    """Gives no reason."""

    @pytest.mark.xfail
    def test_markers(self) -> None:
        """Fail without saying why."""


class Inherited(Excused):
    """Inherits a good excuse."""


@pytest.mark.parametrize("kind", [Silenced, Unexcused])
def test_a_silent_override_is_caught(kind: type[ProviderTests]) -> None:
    """A subclass that replaces a test without a reason fails another one, which names it."""
    with pytest.raises(AssertionError, match=rf"{kind.__name__}.test_markers"):
        kind().test_no_test_is_switched_off()


@pytest.mark.parametrize("kind", [ProviderTests, Excused, Inherited])
def test_an_excused_override_passes(kind: type[ProviderTests]) -> None:
    """A subclass may announce a failure."""
    kind().test_no_test_is_switched_off()


def test_the_hooks_have_to_be_filled_in() -> None:
    """A conformance class without a backend fails instead of passing."""
    tests = ProviderTests()
    tests.root = "/"
    for hook in (tests.make_filesystem, lambda: tests.put("/a", b""), lambda: tests.symlink("/a", "b")):
        with pytest.raises(NotImplementedError):
            hook()


def test_comparisons_say_what_differs() -> None:
    """A failed expectation names what was compared, with both values."""
    with pytest.raises(AssertionError, match="the answer: expected 1, got 2"):
        expect(2, 1, "the answer")
    with pytest.raises(AssertionError, match="it holds"):
        ensure([], "it holds")
    with pytest.raises(AssertionError, match="expected KeyError, got 5"):
        expect_failure(KeyError, lambda: 5, "a call")
    with pytest.raises(AssertionError, match="expected KeyError, got ValueError"):
        expect_failure(KeyError, lambda: int("x"), "a call")


def test_it_is_importable_without_test_tools() -> None:
    """`guidefs.testing` needs neither pytest nor hypothesis."""
    code = (
        "import sys; sys.modules['pytest'] = sys.modules['hypothesis'] = None; "
        "from guidefs.testing import ProviderTests, FakeProvider; ProviderTests().test_no_test_is_switched_off()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_not_text_stays_not_text(fake: FakeProvider) -> None:
    """Without leniency the fake follows the rules for text."""
    assert fake.fetch([Question("/binary")], LIMITS) == [NotText(_version(fake, "/binary"))]
