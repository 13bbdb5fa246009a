"""The tool `write` over a backend in memory."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import pytest

from guidefs.errors import AlreadyExistsError, ArgumentError, NotObservedError, StaleVersionError
from guidefs.storage.provider import CreateOnly, IfContent, IfVersion
from guidefs.storage.text import fingerprint

if TYPE_CHECKING:
    from tests.tools.conftest import MakeBench, Primitive

backends = pytest.mark.parametrize("versioned", [True, False], ids=["versions", "no versions"])


@backends
def test_create(bench: MakeBench, *, versioned: bool) -> None:
    """A file that does not exist is created, under a guard that nothing has its name."""
    desk = bench(versioned=versioned)
    assert desk.write("new/a.txt", "h\u00e9\r\n") == "Created 'new/a.txt' (5 bytes)."
    assert desk.content("new/a.txt") == "h\u00e9\r\n".encode()
    assert desk.host.guards == [CreateOnly()]


@backends
def test_replace_after_reading(bench: MakeBench, *, versioned: bool) -> None:
    """A file that was read is replaced, under a guard that it is still the same."""
    desk = bench({"a": b"old"}, versioned=versioned)
    desk.read("a")
    version = desk.host.version("/w/a")
    assert desk.write("a", "new") == "Replaced the content of 'a' (3 bytes)."
    assert desk.content("a") == b"new"
    assert desk.host.guards == [IfContent(fingerprint(b"old")) if version is None else IfVersion(version)]


def test_any_read_observes_the_whole_file(bench: MakeBench) -> None:
    """One line read is enough: it is the file's state that was observed."""
    desk = bench({"a": b"1\n2\n3\n"})
    desk.read("a", 2, 1)
    desk.write("a", "new")
    assert desk.content("a") == b"new"


@backends
def test_what_was_written_is_observed(bench: MakeBench, *, versioned: bool) -> None:
    """A file that the session wrote can be written and edited without reading it."""
    desk = bench(versioned=versioned)
    desk.write("a", "1\n")
    desk.write("a", "2\n")
    desk.edit("a", "2", "3")
    desk.write("a", "4\n")
    assert desk.content("a") == b"4\n"


@backends
def test_existing_file_that_was_not_read(bench: MakeBench, *, versioned: bool) -> None:
    """An existing file that this session has not read is not replaced."""
    desk = bench({"a": b"old"}, versioned=versioned)
    with pytest.raises(NotObservedError, match=r"has not read it, so nothing was written\. Read 'a' first, then rep"):
        desk.write("a", "new")
    assert desk.content("a") == b"old"
    assert desk.host.asked("write") == []


def test_other_sessions_observations_do_not_count(bench: MakeBench) -> None:
    """What another session has read is not what this one has read."""
    desk = bench({"a": b"old"})
    desk.read("a")
    other = bench()
    other.host.files = desk.host.files
    with pytest.raises(NotObservedError):
        other.write("a", "new")


@backends
def test_file_changed_since_it_was_read(bench: MakeBench, *, versioned: bool) -> None:
    """A file that changed since it was read is not replaced, until it is read again."""
    desk = bench({"a": b"old"}, versioned=versioned)
    desk.read("a")
    desk.host.files["/w/a"] = b"changed"
    with pytest.raises(StaleVersionError, match=r"Read 'a' again, then repeat the write\.$"):
        desk.write("a", "new")
    assert desk.content("a") == b"changed"
    desk.read("a")
    desk.write("a", "new")
    assert desk.content("a") == b"new"


@backends
def test_file_changed_in_the_last_moment(bench: MakeBench, *, versioned: bool) -> None:
    """A change between the tool's look and its write is caught by the guard."""
    desk = bench({"a": b"old"}, versioned=versioned)
    desk.read("a")

    def interfere(primitive: Primitive, address: str) -> None:
        if primitive == "write":
            desk.host.files[address] = b"changed"

    desk.host.before = interfere
    with pytest.raises(StaleVersionError, match="Read 'a' again") as caught:
        desk.write("a", "new")
    assert isinstance(caught.value.__cause__, StaleVersionError)
    assert desk.content("a") == b"changed"


@backends
def test_file_that_meanwhile_appeared(bench: MakeBench, *, versioned: bool) -> None:
    """A file that appears between the tool's look and its write is not overwritten."""
    desk = bench(versioned=versioned)

    def interfere(primitive: Primitive, address: str) -> None:
        if primitive == "write":
            desk.host.files[address] = b"theirs"

    desk.host.before = interfere
    with pytest.raises(AlreadyExistsError, match=r"exists by now, so nothing was written\. Read 'a'"):
        desk.write("a", "new")
    assert desk.content("a") == b"theirs"


@backends
def test_file_removed_since_it_was_read(bench: MakeBench, *, versioned: bool) -> None:
    """A file that is gone is created anew."""
    desk = bench({"a": b"old"}, versioned=versioned)
    desk.read("a")
    del desk.host.files["/w/a"]
    assert desk.write("a", "new") == "Created 'a' (3 bytes)."


def test_new_mode_bits_are_no_change(bench: MakeBench) -> None:
    """Another version of the same content is still what was read; the guard takes the newest version."""
    desk = bench({"a": b"old"})
    desk.read("a")
    desk.host.change_mode("a")
    version = desk.host.version("/w/a")
    desk.write("a", "new")
    assert version is not None
    assert desk.host.guards == [IfVersion(version)]


def test_new_mode_bits_of_a_file_of_unknown_size(bench: MakeBench) -> None:
    """The content of a file of unknown size is compared to its very end."""
    desk = bench({"a": b"x\n" * (3 << 19)}, sized=False)
    desk.read("a", 3 << 19)
    desk.host.change_mode("a")
    desk.write("a", "new")
    assert desk.content("a") == b"new"


def test_large_file_with_another_version(bench: MakeBench) -> None:
    """A large file that was not read to its end is known by version only, so another version is a change."""
    desk = bench({"a": b"x\n" * (6 << 20)})
    desk.read("a", 1, 1)
    desk.host.change_mode("a")
    with pytest.raises(StaleVersionError):
        desk.write("a", "new")


def test_version_that_came_to_be_trusted(bench: MakeBench) -> None:
    """A file read while its version was too fresh to be trusted can be written once it has one."""
    desk = bench({"a": b"old"}, versioned=False)
    desk.read("a")
    desk.host.versioned = True
    version = desk.host.version("/w/a")
    desk.write("a", "new")
    assert version is not None
    assert desk.host.guards == [IfVersion(version)]


def test_version_that_is_not_trusted_any_more(bench: MakeBench) -> None:
    """A file whose version is lost is guarded by its content."""
    desk = bench({"a": b"old"})
    desk.read("a")
    desk.host.versioned = False
    desk.write("a", "new")
    assert desk.host.guards == [IfContent(fingerprint(b"old"))]


def test_large_file_that_lost_its_version(bench: MakeBench) -> None:
    """A file known by a version alone is not replaced where there is no version to compare."""
    desk = bench({"a": b"x\n" * (6 << 20)})
    desk.read("a", 1, 1)
    desk.host.versioned = False
    with pytest.raises(StaleVersionError):
        desk.write("a", "new")


@pytest.mark.parametrize("observed", [False, True])
def test_stat_that_fails_alone(bench: MakeBench, *, observed: bool) -> None:
    """Where only the stat fails, the write goes ahead under the guard that cannot lose anything."""
    desk = bench({"a": b"old"} if observed else {})
    if observed:
        desk.read("a")
    version = desk.host.version("/w/a") if observed else None
    desk.host.failures["stat", "/w/a"] = PermissionError(13, "Permission denied")
    desk.write("a", "new")
    assert desk.content("a") == b"new"
    assert desk.host.guards == [CreateOnly() if version is None else IfVersion(version)]


def test_stat_that_fails_over_an_unread_file(bench: MakeBench) -> None:
    """Where the stat fails, an unread file is protected by the guard."""
    desk = bench({"a": b"old"})
    desk.host.failures["stat", "/w/a"] = TimeoutError("late")
    with pytest.raises(AlreadyExistsError):
        desk.write("a", "new")
    assert desk.content("a") == b"old"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ab\udc80c", r"^content holds '\\udc80' at character 2, which UTF-8 cannot express"),
        (b"bytes", "^content is of type bytes: give the text as a string"),
    ],
)
def test_content_that_is_no_text(bench: MakeBench, content: str, message: str) -> None:
    """Content that cannot be stored as UTF-8 is refused before anything is asked."""
    desk = bench()
    with pytest.raises(ArgumentError, match=message):
        desk.write("a", content)
    assert desk.host.requests == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (None, "^path is None: give the path of one file as a string"),
        (pathlib.PurePosixPath, "^path is <class 'pathlib.PurePosixPath'>: give"),
        ("", "^path is '': give"),
        ("a\0b", r"^path is 'a\\x00b', but no file has a NUL in its name: leave it out"),
    ],
)
def test_path_that_is_no_path(bench: MakeBench, path: str, message: str) -> None:
    """A path of a wrong type, or one that no file can have, is refused with its value before anything is asked."""
    desk = bench()
    with pytest.raises(ArgumentError, match=message):
        desk.write(path, "x")
    assert desk.host.requests == []


def test_path_object(bench: MakeBench) -> None:
    """A path object is as good as its text."""
    desk = bench()
    desk.write(pathlib.PurePosixPath("d/a"), "x")  # type: ignore[arg-type] # beyond what is promised, for convenience
    assert desk.content("d/a") == b"x"
