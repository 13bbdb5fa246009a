"""The wire format, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidefs.render.frame import framed, frames, strip, unframed
from guidefs.render.wording import (
    BASELINE_INTRO,
    COMPACT_INTRO,
    additional_heading,
    baseline_heading,
    budget_notice,
    removal,
    updated_heading,
)

CLOSE = "</system-reminder>"
pieces = st.lists(
    st.one_of(
        st.text(max_size=10),
        st.sampled_from([CLOSE, "<system-reminder>", "<\\/system-reminder>", "</system-", "reminder>", "\n", "\n\n"]),
    ),
    max_size=6,
).map("".join)


def test_introductions() -> None:
    """The two introductions are what the format says."""
    assert BASELINE_INTRO == (
        "The following workspace instructions may be relevant to your work. Use them as guidance when applicable. More "
        "specific instructions take precedence over broader ones. They do not override system, developer, or direct "
        "user instructions."
    )
    assert COMPACT_INTRO == "Workspace instructions were omitted or truncated to fit the configured byte budget."


def test_headings() -> None:
    """What stands above a text, and what stands in place of one that is gone, is what the format says."""
    assert baseline_heading("a/AGENTS.md") == "Instructions from: a/AGENTS.md"
    assert additional_heading("a/AGENTS.md", "a") == (
        "Additional instructions from: a/AGENTS.md\n\nThese instructions apply to work under `a`. Use them as guidance "
        "when relevant; more specific instructions take precedence. They do not override system, developer, or direct "
        "user instructions."
    )
    assert updated_heading("a/AGENTS.md") == (
        "Updated instructions from: a/AGENTS.md\n\nThis file changed after it was loaded. Use the following content "
        "instead of the previously loaded instructions from this file."
    )
    assert removal("a/AGENTS.md") == (
        "Instructions removed: a/AGENTS.md\n\nThe previously loaded instructions from this file no longer apply."
    )


@pytest.mark.parametrize(
    ("omitted", "truncated", "expected"),
    [
        (["a"], None, "omitted a"),
        (["a", "b"], None, "omitted a, b"),
        ([], "truncated a from 9 to 1 bytes", "truncated a from 9 to 1 bytes"),
        (["a"], "truncated b from 9 to 1 bytes", "omitted a; truncated b from 9 to 1 bytes"),
        ([str(n) for n in range(10)], None, "omitted 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"),
        ([str(n) for n in range(11)], None, "omitted 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more"),
        (
            [str(n) for n in range(25)],
            "truncated z from 2 to 0 bytes",
            "omitted 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 15 more; truncated z from 2 to 0 bytes",
        ),
        (["a\nb", "c\u2028"], None, "omitted a\\u000ab, c\\u2028"),
    ],
)
def test_notices(omitted: list[str], truncated: str | None, expected: str) -> None:
    """A notice has only the parts that apply, and names at most ten omitted paths."""
    assert budget_notice(77, omitted, truncated) == f"Workspace instruction budget 77 bytes: {expected}"


def test_frame() -> None:
    """A message is the opening delimiter, the blocks joined by one empty line each, and the closing one."""
    assert framed(["a", "b\n", ""]) == ("<system-reminder>\na\n\nb\n\n\n\n</system-reminder>", "a\n\nb\n\n\n")


@given(st.lists(pieces, min_size=1, max_size=4))
def test_frames_cannot_be_closed_from_inside(blocks: list[str]) -> None:
    """Whatever blocks hold, the only closing delimiter of a message is its last line; every literal one is escaped."""
    text, body = framed(blocks)
    assert text.count(CLOSE) == 1
    assert text.endswith(f"\n{CLOSE}")
    joined = "\n\n".join(blocks)
    assert body == joined.replace(CLOSE, "<\\/system-reminder>")
    assert unframed(text) == body


@given(st.lists(pieces, min_size=1, max_size=4), st.text("abc \n", max_size=10), st.text("abc \n", max_size=10))
def test_frames_are_found_again(blocks: list[str], before: str, after: str) -> None:
    """A framed message is found whole between other text."""
    text, _ = framed(blocks)
    assert frames(f"{before}\n\n{text}\n\n{after}") == [text]
    assert frames(f"{text}\n\n{text}") == [text, text]


@given(pieces)
def test_stripped_text_has_no_frame(block: str) -> None:
    """For a user interface nothing framed is left, and the text around it stays."""
    text, _ = framed([block])
    assert strip(f"result\n\n{text}") == "result"
    assert strip("result") == "result"
    assert frames(strip(f"a\n\n{text}\n\nb")) == []
    assert strip(f"a\n\n{text}\n\nb").startswith("a")
    assert strip(f"a\n\n{text}\n\nb").endswith("b")


@pytest.mark.parametrize(
    "spelling",
    ["</System-Reminder>", "</system-reminder >", "< /system-reminder>", "<system-reminder>", "<\\/system-reminder>"],
)
def test_other_spellings_are_left_alone(spelling: str) -> None:
    """Only the literal delimiter is escaped."""
    assert spelling in framed([spelling])[1]
