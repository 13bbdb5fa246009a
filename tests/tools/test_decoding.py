"""The strict decoding of bytes that arrive in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guidefs.errors import NotTextError
from guidefs.storage.provider import Limits
from guidefs.storage.text import decode
from guidefs.tools.decoding import StrictDecoder
from guidefs.values.answer import NotText, Text


def decoded(data: bytes, sizes: list[int]) -> str | NotText:
    """What the decoder makes of bytes cut into pieces of these sizes."""
    decoder = StrictDecoder("'f'", "f")
    parts = []
    try:
        for size in sizes:
            parts.append(decoder.feed(data[:size]))
            data = data[size:]
        parts.append(decoder.feed(data, final=True))
    except NotTextError:
        return NotText(None)
    return "".join(parts)


bytestrings = (
    st.binary(max_size=40)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(str.encode)
    | st.binary(max_size=5).map(lambda data: b"\xef\xbb\xbf" + data)
    | st.integers(8_185, 8_195).map(lambda size: b"x" * size + b"\0\xc3\xa4")
    | st.sampled_from(
        [b"\xef", b"\xef\xbb", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80"]
    )
)


@settings(deadline=None)
@given(data=bytestrings, sizes=st.lists(st.integers(0, 9_000) | st.integers(0, 4), max_size=6))
def test_pieces_decode_like_the_whole(data: bytes, sizes: list[int]) -> None:
    """However the bytes are cut, they are text or not by the rules for instruction files."""
    whole = decode(data, None, Limits())
    assert decoded(data, sizes) == (whole.text if isinstance(whole, Text) else NotText(None))


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ([b"ab\0"], "the byte at offset 2 is a NUL"),
        ([b"x" * 8_000, b"y" * 191 + b"\0"], "the byte at offset 8191 is a NUL"),
        ([b"ab", b"c\xff"], "the byte at offset 3 is not UTF-8"),
        ([b"ab\xe2", b"\x98x"], "the byte at offset 2 is not UTF-8"),
        ([b"ab\xe2\x98"], "the byte at offset 2 is not UTF-8"),
    ],
)
def test_refusal_names_the_place(pieces: list[bytes], reason: str) -> None:
    """The refusal names the file and the offset in the whole file, also where a piece ends inside a character."""
    decoder = StrictDecoder("'a.bin'", "a.bin")
    for piece in pieces[:-1]:
        decoder.feed(piece)
    with pytest.raises(NotTextError, match=f"^'a.bin' is not text: {reason}") as caught:
        decoder.feed(pieces[-1], final=True)
    assert caught.value.path == "a.bin"


def test_nul_after_the_window_is_kept() -> None:
    """A NUL after the first 8,192 bytes is a character like any other."""
    assert decoded(b"x" * 8_192 + b"\0", [8_192]) == "x" * 8_192 + "\0"


@pytest.mark.parametrize(("data", "mark"), [(b"\xef\xbb\xbfa", True), (b"a\xef\xbb\xbf", False), (b"", False)])
def test_byte_order_mark_is_noted(data: bytes, *, mark: bool) -> None:
    """Only a leading byte-order mark is noted and dropped, even where it arrives byte by byte."""
    decoder = StrictDecoder("'f'", "f")
    for byte in data:
        decoder.feed(bytes([byte]))
    decoder.feed(b"", final=True)
    assert decoder.byte_order_mark is mark
