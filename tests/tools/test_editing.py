"""The tool `edit` over a backend in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from guidefs.errors import (
    AmbiguousEditError,
    ArgumentError,
    EditNotFoundError,
    FileTooLargeError,
    NotFoundError,
    NotObservedError,
    NotTextError,
    StaleVersionError,
)
from guidefs.storage.provider import IfContent, IfVersion
from guidefs.storage.text import fingerprint

if TYPE_CHECKING:
    from tests.tools.conftest import MakeBench, Primitive

backends = pytest.mark.parametrize("versioned", [True, False], ids=["versions", "no versions"])
TEN_MIB = 10 << 20


@backends
@pytest.mark.parametrize(
    ("content", "old", "new", "result"),
    [
        pytest.param(b"a\nb\nc\n", "b", "x", b"a\nx\nc\n", id="LF"),
        pytest.param(b"a\nb", "b", "x", b"a\nx", id="no final line end"),
        pytest.param(b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n", id="CR LF"),
        pytest.param(b"a\r\nb\nc\r\nd", "b", "x\ny", b"a\r\nx\r\ny\nc\r\nd", id="mixed line ends"),
        pytest.param(b"a\rb\rc", "b", "x", b"a\rx\rc", id="lone CR"),
        pytest.param(b"\xef\xbb\xbfa\r\nb\r\n", "a\n", "x\n", b"\xef\xbb\xbfx\r\nb\r\n", id="byte-order mark"),
        pytest.param(b"\xef\xbb\xbfa", "a", "", b"\xef\xbb\xbf", id="byte-order mark alone is left"),
        pytest.param("\u00e9\u2028z".encode(), "z", "\U0001f600", "\u00e9\u2028\U0001f600".encode(), id="not ASCII"),
        pytest.param(b"x" * 8_192 + b"\0a", "a", "b", b"x" * 8_192 + b"\0b", id="late NUL is kept"),
    ],
)
def test_edit(bench: MakeBench, *, versioned: bool, content: bytes, old: str, new: str, result: bytes) -> None:
    """The match is replaced and every byte around it stays."""
    desk = bench({"a": content}, versioned=versioned)
    desk.read("a")
    version = desk.host.version("/w/a")
    assert desk.edit("a", old, new) == "Replaced 1 occurrence in 'a'."
    assert desk.content("a") == result
    assert desk.host.guards == [IfContent(fingerprint(content)) if version is None else IfVersion(version)]


def test_replace_all(bench: MakeBench) -> None:
    """With `replace_all` every match is replaced, and the result says how many there were."""
    desk = bench({"a": b"x y x\r\nx"})
    desk.read("a")
    assert desk.edit("a", "x", "z", replace_all=True) == "Replaced 3 occurrences in 'a'."
    assert desk.content("a") == b"z y z\r\nz"


@backends
def test_edits_follow_one_another(bench: MakeBench, *, versioned: bool) -> None:
    """What an edit leaves counts as observed."""
    desk = bench({"a": b"1"}, versioned=versioned)
    desk.read("a")
    for number in range(1, 6):
        desk.edit("a", str(number), str(number + 1))
    assert desk.content("a") == b"6"


@backends
def test_file_that_was_not_read(bench: MakeBench, *, versioned: bool) -> None:
    """A file that this session has not read is not edited, nor read for it."""
    desk = bench({"a": b"old"}, versioned=versioned)
    with pytest.raises(NotObservedError, match=r"Read 'a' first, then repeat the edit\.$"):
        desk.edit("a", "old", "new")
    assert desk.content("a") == b"old"
    assert desk.host.asked("read") == []


def test_unread_file_behind_a_failing_stat(bench: MakeBench) -> None:
    """A file that only the stat hides is still one that was not read."""
    desk = bench({"a": b"old"})
    desk.host.failures["stat", "/w/a"] = TimeoutError("late")
    with pytest.raises(NotObservedError):
        desk.edit("a", "old", "new")


def test_file_that_does_not_exist(bench: MakeBench) -> None:
    """A file that does not exist is not found, rather than not read."""
    with pytest.raises(NotFoundError):
        bench().edit("a", "old", "new")


@backends
def test_file_changed_since_it_was_read(bench: MakeBench, *, versioned: bool) -> None:
    """A file that changed since it was read is not edited, even where the match is still there."""
    desk = bench({"a": b"old"}, versioned=versioned)
    desk.read("a")
    desk.host.files["/w/a"] = b"old and more"
    with pytest.raises(StaleVersionError, match=r"Read 'a' again, then repeat the edit\.$"):
        desk.edit("a", "old", "new")
    assert desk.content("a") == b"old and more"


@backends
@pytest.mark.parametrize("moment", ["read", "write"])
def test_file_changed_in_the_last_moment(bench: MakeBench, *, versioned: bool, moment: str) -> None:
    """A change while the tool works is noticed, whenever it comes."""
    desk = bench({"a": b"old"}, versioned=versioned)
    desk.read("a")

    def interfere(primitive: Primitive, address: str) -> None:
        if primitive == moment:
            desk.host.files[address] = b"old, changed"

    desk.host.before = interfere
    with pytest.raises(StaleVersionError, match="Read 'a' again"):
        desk.edit("a", "old", "new")
    assert desk.content("a") == b"old, changed"


def test_file_changed_between_pieces(bench: MakeBench) -> None:
    """A file whose pieces do not belong together is not even attempted to be written."""
    content = b"x\n" * (1 << 20) + b"old"
    desk = bench({"a": content}, sized=False)
    desk.read("a", (1 << 20) + 1)
    desk.host.requests.clear()

    def interfere(primitive: Primitive, address: str) -> None:
        if len(desk.host.asked("read")) == 2:
            desk.host.files[address] = content.replace(b"x", b"y")

    desk.host.before = interfere
    with pytest.raises(StaleVersionError, match="Read 'a' again"):
        desk.edit("a", "old", "new")
    assert desk.host.asked("write") == []


def test_file_removed_in_the_last_moment(bench: MakeBench) -> None:
    """A file that is removed while the tool works is not made again."""
    desk = bench({"a": b"old"})
    desk.read("a")

    def interfere(primitive: Primitive, address: str) -> None:
        if primitive == "write":
            del desk.host.files[address]

    desk.host.before = interfere
    with pytest.raises(StaleVersionError, match="was changed or removed"):
        desk.edit("a", "old", "new")
    assert desk.host.files == {}


def test_refused_edit_leaves_the_observation(bench: MakeBench) -> None:
    """After a refusal for its text, the next edit needs no new reading."""
    desk = bench({"a": b"old"})
    desk.read("a")
    with pytest.raises(EditNotFoundError):
        desk.edit("a", "odl", "new")
    desk.edit("a", "old", "new")
    assert desk.content("a") == b"new"


def test_new_mode_bits_are_no_change(bench: MakeBench) -> None:
    """Another version of the same content is still what was read."""
    desk = bench({"run.sh": b"old"})
    desk.read("run.sh")
    desk.host.change_mode("run.sh")
    desk.edit("run.sh", "old", "new")
    assert desk.content("run.sh") == b"new"


@pytest.mark.parametrize(
    ("old", "advice"),
    [
        ("missing", "Read the file again and copy the text exactly"),
        ("     1\tdef f():", "It begins with a line number: leave out the numbers"),
        ("def f(): ", "It does occur with other white space around it"),
        ("  \n \n", "Read the file again"),
    ],
)
def test_text_that_does_not_occur(bench: MakeBench, old: str, advice: str) -> None:
    """A text that does not occur is refused with advice that fits the usual slips."""
    desk = bench({"a.py": b"def f():\n    return 1\n"})
    desk.read("a.py")
    with pytest.raises(EditNotFoundError, match=f"does not occur in 'a.py', so nothing was written. {advice}"):
        desk.edit("a.py", old, "new")


@pytest.mark.parametrize(
    ("content", "places"), [(b"x\ny\nx\n", r"from lines 1, 3\)"), (b"x\n" * 9, r"from lines 1, 2, 3, 4, 5 and more\)")]
)
def test_text_that_occurs_more_than_once(bench: MakeBench, content: bytes, places: str) -> None:
    """A text that occurs more than once is refused with the places and both ways out."""
    desk = bench({"a": content})
    desk.read("a")
    with pytest.raises(AmbiguousEditError, match=f"{places}.*Give more of the text around it.*or set replace_all"):
        desk.edit("a", "x", "new")
    assert desk.content("a") == content


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "x", "^old is empty: give the exact text to replace, or use write"),
        ("x", "x", "^old and new are the same text"),
        ("x\r\ny", "x\ny", "^old and new are the same text"),
        (None, "x", "^old is of type NoneType"),
        ("x", 5, "^new is of type int"),
        ("x", "\ud800", r"^new holds '\\ud800' at character 0"),
    ],
)
def test_texts_that_cannot_be_used(bench: MakeBench, old: str, new: str, message: str) -> None:
    """Texts that no edit can be made of are refused before anything is asked."""
    desk = bench({"a": b"x"})
    with pytest.raises(ArgumentError, match=message):
        desk.edit("a", old, new)
    assert desk.host.requests == []


def test_largest_file(bench: MakeBench) -> None:
    """A file of exactly 10 MiB is edited."""
    desk = bench({"a": b"x" * (TEN_MIB - 1) + b"y"})
    desk.read("a")
    desk.edit("a", "y", "z")
    assert desk.content("a").endswith(b"xz")


def test_file_too_large(bench: MakeBench) -> None:
    """A file over 10 MiB is not held, so it is not edited."""
    desk = bench({"a": b"x" * (TEN_MIB + 1)})
    desk.read("a")
    reads = len(desk.host.asked("read"))
    with pytest.raises(
        FileTooLargeError, match=r"^'a' has 10485761 bytes, but an edit takes files of at most 10485760"
    ):
        desk.edit("a", "x", "z")
    assert len(desk.host.asked("read")) == reads


def test_file_too_large_of_unknown_size(bench: MakeBench) -> None:
    """A file whose size is unknown is left as soon as it proves too large."""
    desk = bench({"a": b"x" * (2 * TEN_MIB)}, sized=False)
    desk.read("a")
    before = len(desk.host.asked("read"))
    with pytest.raises(FileTooLargeError, match=r"^'a' has more than 10485760 bytes"):
        desk.edit("a", "x", "z")
    assert len(desk.host.asked("read")) - before == 11


def test_file_that_is_no_text_any_more(bench: MakeBench) -> None:
    """A file that was replaced by something that is no text is refused as such."""
    desk = bench({"a": b"old"})
    desk.read("a")
    desk.host.files["/w/a"] = b"\x89PNG\0"
    with pytest.raises(NotTextError):
        desk.edit("a", "old", "new")
