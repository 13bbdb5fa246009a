"""The window of numbered lines, without any file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guidefs.tools.page import MAX_FOOTER_BYTES, MAX_LINE_CHARACTERS, MAX_PAGE_BYTES, Page, PastEnd
from guidefs.tools.window import LineWindow


def window(text: str, *, offset: int = 1, limit: int = 2_000, piece: int | None = None) -> Page | PastEnd:
    """The window over a whole text that arrives in pieces of one length."""
    lines = LineWindow(offset=offset, limit=limit)
    for start in range(0, len(text), piece or len(text) or 1):
        lines.feed(text[start : start + (piece or len(text))])
    return lines.finish(at_end=True)


def page(text: str, *, offset: int = 1, limit: int = 2_000, piece: int | None = None) -> Page:
    """The window, which has to be a page."""
    shown = window(text, offset=offset, limit=limit, piece=piece)
    assert isinstance(shown, Page)
    return shown


def lines_of(text: str) -> list[str]:
    """The lines of a text by another way: split at LF, one CR before it dropped."""
    *ended, last = text.split("\n")
    return [line.removesuffix("\r") for line in ended] + ([last] if last else [])


@pytest.mark.parametrize("piece", [None, 1, 2, 3])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "[the file is empty]"),
        ("\n", "     1\t\n[end of the file: 1 line]"),
        ("a", "     1\ta\n[end of the file: 1 line, no line end after the last]"),
        ("a\n", "     1\ta\n[end of the file: 1 line]"),
        ("a\nb", "     1\ta\n     2\tb\n[end of the file: 2 lines, no line end after the last]"),
        ("a\r\nb\r\n", "     1\ta\n     2\tb\n[end of the file: 2 lines]"),
        ("a\r\nb\n", "     1\ta\n     2\tb\n[end of the file: 2 lines]"),
        ("a\rb\n", "     1\ta\rb\n[end of the file: 1 line]"),
        ("a\r", "     1\ta\r\n[end of the file: 1 line, no line end after the last]"),
        ("\r\n", "     1\t\n[end of the file: 1 line]"),
        ("\n\na\n", "     1\t\n     2\t\n     3\ta\n[end of the file: 3 lines]"),
        ("a\u2028b\x0bc\x85d\n", "     1\ta\u2028b\x0bc\x85d\n[end of the file: 1 line]"),
    ],
)
def test_whole_text(text: str, shown: str, piece: int | None) -> None:
    """A text that fits is shown with numbers and its end, however it arrives."""
    assert page(text, piece=piece).text() == shown


@pytest.mark.parametrize("piece", [None, 1, 5])
@pytest.mark.parametrize(
    ("offset", "limit", "first_row", "footer"),
    [
        (1, 3, "     1\tline 1", "[lines 1 to 3 of 9; go on with offset=4]"),
        (4, 3, "     4\tline 4", "[lines 4 to 6 of 9; go on with offset=7]"),
        (7, 3, "     7\tline 7", "[end of the file: 9 lines]"),
        (9, 3, "     9\tline 9", "[end of the file: 9 lines]"),
        (1, 9, "     1\tline 1", "[end of the file: 9 lines]"),
        (1, 8, "     1\tline 1", "[lines 1 to 8 of 9; go on with offset=9]"),
    ],
)
def test_part_of_a_text(offset: int, limit: int, first_row: str, footer: str, piece: int | None) -> None:
    """A part of a text begins at the offset and ends with the exact offset to go on with."""
    text = "".join(f"line {number}\n" for number in range(1, 10))
    rows = page(text, offset=offset, limit=limit, piece=piece).text().split("\n")
    assert (rows[0], rows[-1]) == (first_row, footer)


@pytest.mark.parametrize(
    ("text", "offset", "total"), [("", 2, 0), ("a", 2, 1), ("a\n", 2, 1), ("a\nb", 3, 2), ("a\nb\n", 900, 2)]
)
def test_offset_past_the_end(text: str, offset: int, total: int) -> None:
    """A window past the end is no page; it says how many lines there are."""
    assert window(text, offset=offset) == PastEnd(total)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
@pytest.mark.parametrize(
    ("length", "mark"),
    [(1_999, ""), (2_000, ""), (2_001, " [cut: 2000 of 2001 characters]"), (9_000, " [cut: 2000 of 9000 characters]")],
)
def test_long_line(length: int, mark: str, ending: str) -> None:
    """A line is cut at 2,000 characters, its line end not counted, and says how long it is."""
    row = page("\N{SNOWMAN}" * length + ending, piece=700).rows[0]
    assert row == "     1\t" + "\N{SNOWMAN}" * min(length, 2_000) + mark


def test_page_full_at_its_bytes() -> None:
    """A page ends before the line that would carry it over 51,200 bytes, and says why."""
    row_bytes = 6 + 1 + 1_000 + 1
    shown = page(("x" * 1_000 + "\n") * 100)
    assert len(shown.rows) == MAX_PAGE_BYTES // row_bytes == 50
    assert shown.text().endswith("\n[lines 1 to 50 of 100, as many as 51200 bytes hold; go on with offset=51]")


def test_bytes_count_and_not_characters() -> None:
    """The bound of a page is in bytes of UTF-8."""
    assert len(page(("\N{SNOWMAN}" * 1_000 + "\n") * 100).rows) == MAX_PAGE_BYTES // (6 + 1 + 3_000 + 1)


def test_text_not_read_to_its_end() -> None:
    """A window that is left as soon as it has enough does not pretend to know how many lines there are."""
    lines = LineWindow(offset=2, limit=2)
    lines.feed("a\nb\nc\n")
    assert not lines.enough()
    lines.feed("d")
    assert lines.enough()
    shown = lines.finish(at_end=False)
    assert isinstance(shown, Page)
    assert shown.text() == "     2\tb\n     3\tc\n[lines 2 to 3; go on with offset=4]"


texts = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=12)
    | st.sampled_from(["", "x" * 900, "\N{SNOWMAN}" * 1_900]),
    max_size=40,
).flatmap(
    lambda lines: st.lists(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), min_size=len(lines), max_size=len(lines)).map(
        lambda ends: "".join(line + end for line, end in zip(lines, ends, strict=True))
    )
)


@settings(deadline=None)
@given(text=texts, limit=st.integers(3, 40), piece=st.integers(100, 5_000))
def test_pages_reconstruct_every_line(text: str, limit: int, piece: int) -> None:
    """Going on with the offset of each footer shows every line once, in order, and none else."""
    shown: list[str] = []
    offset: int | None = 1
    while offset is not None:
        part = page(text, offset=offset, limit=limit, piece=piece)
        shown += [row.partition("\t")[2].partition(" [cut: ")[0] for row in part.rows]
        offset = part.next_offset
    assert shown == [line[:MAX_LINE_CHARACTERS] for line in lines_of(text)]


@settings(deadline=None)
@given(text=texts, offset=st.integers(1, 50), limit=st.integers(1, 2_000))
def test_numbers_are_those_of_the_lines(text: str, offset: int, limit: int) -> None:
    """Each row has the number that the line has in the whole text; past the end there is no page."""
    lines = lines_of(text)
    shown = window(text, offset=offset, limit=limit, piece=64)
    if offset > max(1, len(lines)):
        assert shown == PastEnd(len(lines))
        return
    assert isinstance(shown, Page)
    for row in shown.rows:
        number, _, line = row.partition("\t")
        assert line.startswith(lines[int(number) - 1][:MAX_LINE_CHARACTERS])


@settings(deadline=None)
@given(
    line=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    repeat=st.integers(1, 4_000),
    count=st.integers(1, 60),
    offset=st.integers(1, 20),
    limit=st.integers(1, 2_000),
)
def test_page_stays_within_its_bytes(line: str, repeat: int, count: int, offset: int, limit: int) -> None:
    """No text makes a page larger than its bound and that of the footer."""
    shown = window((line * repeat + "\n") * count, offset=offset, limit=limit)
    if isinstance(shown, Page):
        assert len("".join(f"{row}\n" for row in shown.rows).encode()) <= MAX_PAGE_BYTES
        assert len(shown.text().encode()) <= MAX_PAGE_BYTES + MAX_FOOTER_BYTES


def test_footer_of_enormous_numbers_stays_within_its_bytes() -> None:
    """The footer keeps to its bound at numbers that no file reaches."""
    shown = Page(rows=("x",), first=10**18, total=10**18 + 5, closed_by="bytes", final_newline=True)
    assert len(shown.text().encode()) <= 2 + MAX_FOOTER_BYTES
