"""The tool `read` over a backend in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from guidefs.errors import ArgumentError, NotTextError, StaleVersionError

if TYPE_CHECKING:
    from tests.tools.conftest import MakeBench, Primitive

MIB = 1 << 20


def test_small_file(bench: MakeBench) -> None:
    """A file is shown with numbered lines and a footer, for one stat and one read."""
    desk = bench({"a.py": b"import os\r\n\r\nprint(os)\r\n"})
    assert desk.read("a.py") == "     1\timport os\n     2\t\n     3\tprint(os)\n[end of the file: 3 lines]"
    assert [name for name, _, _ in desk.host.requests] == ["stat", "read"]


def test_empty_file(bench: MakeBench) -> None:
    """An empty file says that it is empty."""
    assert bench({"a": b""}).read("a") == "[the file is empty]"


def test_byte_order_mark_is_not_shown(bench: MakeBench) -> None:
    """The byte-order mark is not part of the first line."""
    assert bench({"a": b"\xef\xbb\xbfx\n"}).read("a").startswith("     1\tx\n")


def test_going_on(bench: MakeBench) -> None:
    """The footer's offset shows the next lines."""
    desk = bench({"a": b"".join(b"%d\n" % number for number in range(1, 2_502))})
    assert desk.read("a").endswith("\n  2000\t2000\n[lines 1 to 2000 of 2501; go on with offset=2001]")
    assert desk.read("a", 2_001).startswith("  2001\t2001\n")


@pytest.mark.parametrize("size", [MIB - 1, MIB, MIB + 1, 10 * MIB])
def test_file_of_up_to_ten_mebibytes_is_one_read(bench: MakeBench, size: int) -> None:
    """Up to 10 MiB a file takes one read, which also shows that it ends there."""
    desk = bench({"a": b"x" * size})
    desk.read("a")
    assert len(desk.host.asked("read")) == 1


def large(lines: int) -> bytes:
    """A file of lines that are 1 KiB long."""
    return b"".join(b"%08d" % number + b"x" * 1_015 + b"\n" for number in range(1, lines + 1))


def test_large_file_is_left_when_the_window_is_full(bench: MakeBench) -> None:
    """A file over 10 MiB is read in pieces of 1 MiB, no further than the window needs."""
    desk = bench({"a": large(11 * 1_024)})
    assert desk.read("a", 1_500, 3).endswith("\n[lines 1500 to 1502; go on with offset=1503]")
    assert desk.host.asked("read") == [MIB, MIB]


def test_large_file_is_read_on_to_the_window(bench: MakeBench) -> None:
    """The last lines of a large file are found, with the number of all lines."""
    desk = bench({"a": large(11 * 1_024)})
    shown = desk.read("a", 11_264).split("\n")
    assert shown[0].startswith(" 11264\t00011264xx")
    assert shown[1] == "[end of the file: 11264 lines]"
    assert set(desk.host.asked("read")) == {MIB}


def test_large_file_past_the_end(bench: MakeBench) -> None:
    """An offset past the end of a large file is refused with the number of its lines."""
    with pytest.raises(ArgumentError, match=r"^offset is 20000, but 'a' has only 11264 lines: use an offset from 1"):
        bench({"a": large(11 * 1_024)}).read("a", 20_000)


def test_without_versions_a_large_file_is_read_to_its_end(bench: MakeBench) -> None:
    """Without versions only the whole content identifies a file, so all of it passes, 1 MiB at a time."""
    desk = bench({"a": large(11 * 1_024)}, versioned=False)
    assert desk.read("a", 1, 1).endswith("\n[lines 1 to 1 of 11264; go on with offset=2]")
    assert desk.host.asked("read") == [MIB] * 12
    assert desk.write("a", "new\n") == "Replaced the content of 'a' (4 bytes)."


def test_file_of_unknown_size_is_read_in_pieces(bench: MakeBench) -> None:
    """A file of unknown size is read in pieces of 1 MiB, whatever its size."""
    desk = bench({"a": large(2_100)}, sized=False)
    assert desk.read("a", 2_100).endswith("\n[end of the file: 2100 lines]")
    assert desk.host.asked("read") == [MIB] * 3


def test_character_across_pieces(bench: MakeBench) -> None:
    """A character that lies across the border of two pieces is shown whole."""
    content = b"x" * 1_000 + b"\n"
    content = content * (MIB // len(content))
    content += b"y" * (MIB - 1 - len(content)) + "\N{SNOWMAN}\n".encode()
    desk = bench({"a": content}, sized=False)
    assert "y\N{SNOWMAN}\n" in desk.read("a", content.count(b"\n"))


@pytest.mark.parametrize(
    ("content", "sized"),
    [(b"a\0b", True), (b"\xff\xfea\0", True), (b"caf\xe9", True), (b"x" * MIB + b"\xff", False), (b"a\xe2\x98", False)],
)
def test_not_text(bench: MakeBench, content: bytes, *, sized: bool) -> None:
    """A NUL near the beginning or bytes that are not UTF-8 are refused, wherever they arrive."""
    with pytest.raises(NotTextError, match=r"'a' is not text: .* UTF-8 text only"):
        bench({"a": content}, sized=sized).read("a")


@pytest.mark.parametrize(
    ("offset", "limit", "message"),
    [
        (0, 1, "offset is 0: lines are counted from 1"),
        (-3, 1, "offset is -3"),
        (1.0, 1, r"offset is 1\.0"),
        (True, 1, "offset is True"),
        ("2", 1, "offset is '2'"),
        (1, 0, "limit is 0: give a whole number of lines from 1 to 2000"),
        (1, 2_001, "limit is 2001: give a whole number of lines from 1 to 2000"),
        (1, None, "limit is None"),
        (3, 1, "offset is 3, but 'a' has only 2 lines: use an offset from 1 to 2"),
    ],
)
def test_argument_out_of_range(bench: MakeBench, offset: int, limit: int, message: str) -> None:
    """An offset or limit out of range is refused with the values that can be used."""
    with pytest.raises(ArgumentError, match=f"^{message}"):
        bench({"a": b"1\n2\n"}).read("a", offset, limit)


@pytest.mark.parametrize(("content", "message"), [(b"1", "has only 1 line:"), (b"", "is empty: use offset=1")])
def test_offset_past_a_short_file(bench: MakeBench, content: bytes, message: str) -> None:
    """The refusal is worded for files of one line and of none."""
    with pytest.raises(ArgumentError, match=message):
        bench({"a": content}).read("a", 5)


def test_file_that_grows_between_stat_and_read(bench: MakeBench) -> None:
    """A file larger than its stat said is read to its real end."""
    desk = bench({"a": b"1\n"})

    def grow(primitive: Primitive, address: str) -> None:
        if primitive == "read" and len(desk.host.asked("read")) == 1:
            desk.host.files[address] = b"1\n" * MIB

    desk.host.before = grow
    assert desk.read("a", MIB).endswith(f"[end of the file: {MIB} lines]")


def test_file_that_grows_very_large(bench: MakeBench) -> None:
    """A file that proves larger than 10 MiB is left when the window is full, whatever its stat said."""
    desk = bench({"a": b"1\n"})

    def grow(primitive: Primitive, address: str) -> None:
        if desk.host.asked("read") == [MIB]:
            desk.host.files[address] = b"1\n" * (8 * MIB)

    desk.host.before = grow
    assert desk.read("a").endswith("[lines 1 to 2000; go on with offset=2001]")
    assert desk.host.asked("read") == [MIB] * 11


def test_file_that_changes_between_pieces(bench: MakeBench) -> None:
    """A file that changes while it is read is shown with a warning, and an edit of it is refused."""
    desk = bench({"a": large(3 * 1_024)}, sized=False)

    def append(primitive: Primitive, address: str) -> None:
        if desk.host.asked("read") == [MIB, MIB]:
            desk.host.files[address] += b"more\n"

    desk.host.before = append
    shown = desk.read("a", 3_073)
    assert shown.startswith("  3073\tmore\n[end of the file: 3073 lines]\n[the file was changed while it was being")
    assert len(shown.rpartition("more\n")[2].encode()) <= 256
    with pytest.raises(StaleVersionError):
        desk.edit("a", "more", "less")


def test_file_that_turns_into_no_text_between_pieces(bench: MakeBench) -> None:
    """Pieces that do not fit together because the file changed are a change, not a file that is no text."""
    desk = bench({"a": large(3 * 1_024)}, sized=False)

    def replace(primitive: Primitive, address: str) -> None:
        if desk.host.asked("read") == [MIB, MIB]:
            desk.host.files[address] = b"\xff" * 3 * MIB

    desk.host.before = replace
    with pytest.raises(StaleVersionError, match=r"^'a' was changed while it was being read\. Read 'a' again\.$"):
        desk.read("a", 3_000)


def test_name_cannot_forge_a_line(bench: MakeBench) -> None:
    """A message shows a name quoted, so that a line end or an undecodable byte in it stays inside the quotes."""
    with pytest.raises(NotTextError, match=r"^'a\\nb\\udcff' is not text"):
        bench({"a\nb\udcff": b"\0"}).read("a\nb\udcff")
