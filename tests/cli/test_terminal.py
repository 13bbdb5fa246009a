"""Text that cannot do anything to a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidefs.cli.terminal import shown, shown_lines


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain, tab\tand Grüße ☂", "plain, tab\tand Grüße ☂"),
        ("\x1b[31m", "\\u001b[31m"),
        ("\x9b31m", "\\u009b31m"),
        ("a\r\nb", "a\\u000d\\u000ab"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("caf\udce9", "caf\\udce9"),
    ],
)
def test_what_could_act_is_shown(text: str, safe: str) -> None:
    """Controls, reordering and bytes that are not UTF-8 are written out; all else stays."""
    assert shown(text) == safe


@given(st.text(st.characters()))
def test_nothing_that_acts_gets_through(text: str) -> None:
    """Whatever the text, no control but the tab, no override of direction and no lone surrogate is left."""
    safe = shown(text)
    assert not [c for c in safe if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} and c != "\t"]
    assert not [c for c in safe if unicodedata.bidirectional(c) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI"}]
    assert shown_lines(text).count("\n") == text.count("\n")
