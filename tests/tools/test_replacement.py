"""The replacement of a piece of text, without any file."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from guidefs.tools.replacement import Ambiguous, NoMatch, Replaced, on_lf, replacement


@pytest.mark.parametrize(
    ("text", "old", "new", "result"),
    [
        pytest.param("a\nb\nc\n", "b", "x", "a\nx\nc\n", id="inside a line"),
        pytest.param("a\nb\nc\n", "b\nc", "x\ny\nz", "a\nx\ny\nz\n", id="over lines"),
        pytest.param("a\nb", "b", "x", "a\nx", id="no final line end"),
        pytest.param("a\nb\n", "b\n", "", "a\n", id="deleting a line"),
        pytest.param("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", id="CR LF, asked in LF"),
        pytest.param("a\r\nb\r\nc\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\nc\r\n", id="CR LF, asked in CR LF"),
        pytest.param("a\r\nb\r\n", "\nb", "\nx\ny", "a\r\nx\r\ny\r\n", id="match begins at a line end"),
        pytest.param("a\r\nb\r\n", "a\n", "x\n", "x\r\nb\r\n", id="match ends with a line end"),
        pytest.param("a\nb\n", "b", "x\r\ny", "a\nx\ny\n", id="LF, given CR LF"),
        pytest.param("a\r\nb\nc\r\nd\n\r\n", "b", "x\ny", "a\r\nx\r\ny\nc\r\nd\n\r\n", id="mixed, mostly CR LF"),
        pytest.param("a\nb\r\nc\nd", "b", "x\ny", "a\nx\ny\r\nc\nd", id="mixed, mostly LF"),
        pytest.param("a\r\nb\n", "b", "x\ny", "a\r\nx\ny\n", id="mixed, as many of either"),
        pytest.param("ab", "b", "x\r\ny", "ax\r\ny", id="no line end to go by"),
        pytest.param("a\rb\rc", "b", "x", "a\rx\rc", id="lone CR is an ordinary character"),
        pytest.param("a\r\r\nb", "\r\r\nb", "x\n", "ax\r\n", id="CR before CR LF"),
        pytest.param("\n", "\n", "x\n", "x\n", id="the line end itself"),
        pytest.param("a.c abc", "a.c", "x", "x abc", id="no pattern"),
        pytest.param("abc", "b", r"\g<0>\n", r"a\g<0>\nc", id="no template"),
    ],
)
def test_replaced_once(text: str, old: str, new: str, result: str) -> None:
    """The match is replaced in the file's dominant line end, and everything else stays."""
    assert replacement(text, old, new, replace_all=False) == Replaced(result, 1)


@pytest.mark.parametrize(
    ("text", "old", "new", "result", "count"),
    [
        ("aXbXc", "X", "", "abc", 2),
        ("aaaa", "aa", "b", "bb", 2),
        ("aaa", "aa", "b", "ba", 1),
        ("a\r\na\r\na", "a\n", "b\n", "b\r\nb\r\na", 2),
        ("a\na\r\na\r\n", "a\n", "b\nc\n", "b\r\nc\r\nb\r\nc\r\nb\r\nc\r\n", 3),
        ("one", "one", "two", "two", 1),
        ("\r\n\r\n\n", "\n", "x", "xxx", 3),
    ],
)
def test_replaced_everywhere(text: str, old: str, new: str, result: str, count: int) -> None:
    """With `replace_all` every match is replaced from left to right, and they are counted."""
    assert replacement(text, old, new, replace_all=True) == Replaced(result, count)


@pytest.mark.parametrize("replace_all", [False, True])
@pytest.mark.parametrize(
    ("text", "old"), [("", "a"), ("abc", "d"), ("a\rb", "a\nb"), ("a\r\nb", "a\r"), ("a\r\r\nb", "a\r\n")]
)
def test_no_match(text: str, old: str, *, replace_all: bool) -> None:
    """A text that does not occur is no match; half a line end is none either."""
    assert replacement(text, old, "x", replace_all=replace_all) == NoMatch()


@pytest.mark.parametrize(
    ("text", "old", "lines", "more"),
    [
        ("a\nb\na\n", "a", (1, 3), False),
        ("a a", "a", (1, 1), False),
        ("aaa", "aa", (1, 1), False),
        ("x\r\na\r\na\r\n", "a\n", (2, 3), False),
        ("a\n" * 5, "a", (1, 2, 3, 4, 5), False),
        ("a\n" * 6, "a", (1, 2, 3, 4, 5), True),
    ],
)
def test_ambiguous(text: str, old: str, lines: tuple[int, ...], *, more: bool) -> None:
    """More than one match, overlapping ones counted, is refused with the lines of the first five."""
    assert replacement(text, old, "x", replace_all=False) == Ambiguous(lines, more)


pieces = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r", "\N{SNOWMAN}"]), max_size=30).map("".join)


@settings(deadline=None)
@given(before=pieces, old=pieces, after=pieces, new=pieces)
def test_nothing_outside_the_match_changes(before: str, old: str, after: str, new: str) -> None:
    """What stands before and after the one match is there afterwards, byte for byte."""
    assume(old)
    # Where a CR ends one part and an LF begins the next, the parts are not what the text is made of.
    assume(not any(left.endswith("\r") and right.startswith("\n") for left, right in ((before, old), (old, after))))
    outcome = replacement(before + old + after, old, new, replace_all=False)
    if isinstance(outcome, Replaced):
        assert outcome.text.startswith(before)
        assert outcome.text.endswith(after)
        middle = outcome.text[len(before) : len(outcome.text) - len(after)]
        assert middle in {new, on_lf(new), on_lf(new).replace("\n", "\r\n")}
    else:
        assert isinstance(outcome, Ambiguous)


# A lone CR before what becomes an LF would read as one line end in the comparison.
plain_pieces = pieces.filter(lambda text: "\r\r\n" not in text)


@settings(deadline=None)
@given(text=pieces, old=pieces, new=plain_pieces)
def test_replacing_everywhere_agrees_with_plain_text(text: str, old: str, new: str) -> None:
    """Seen on LF, replacing everywhere is what `str.replace` does; the kept line ends stay as they were."""
    assume(old)
    outcome = replacement(text, old, "N" + new + "N", replace_all=True)
    if isinstance(outcome, Replaced):
        assert on_lf(outcome.text) == on_lf(text).replace(on_lf(old), on_lf("N" + new + "N"))
        assert outcome.count == on_lf(text).count(on_lf(old))
    else:
        assert outcome == NoMatch()
        assert on_lf(old) not in on_lf(text)


@settings(deadline=None)
@given(text=pieces, old=pieces, new=pieces)
def test_undone_by_the_opposite(text: str, old: str, new: str) -> None:
    """An edit between texts without line ends, done backwards, gives the same bytes again."""
    assume("\n" not in old + new)
    assume("\r" not in old + new)
    outcome = replacement(text, old or "a", "X" + new, replace_all=False)
    if isinstance(outcome, Replaced):
        assert replacement(outcome.text, "X" + new, old or "a", replace_all=False) == Replaced(text, 1)
