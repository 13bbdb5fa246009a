"""Foreign failures in the library's own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidefs.errors import (
    AbortedError,
    AccessDeniedError,
    AlreadyExistsError,
    ConfigurationError,
    FileError,
    FileInputOutputError,
    NotADirectoryFileError,
    NotFoundError,
    NotRegularFileError,
)
from guidefs.storage import describe, file_error, fingerprint, translated
from guidefs.storage.text import stream_fingerprint


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (FileNotFoundError(2, "No such file"), NotFoundError),
        (FileExistsError(17, "File exists"), AlreadyExistsError),
        (IsADirectoryError(21, "Is a directory"), NotRegularFileError),
        (NotADirectoryError(20, "Not a directory"), NotADirectoryFileError),
        (PermissionError(13, "Permission denied"), AccessDeniedError),
        (InterruptedError(4, "Interrupted"), AbortedError),
        (OSError(28, "No space left"), FileInputOutputError),
        (TimeoutError("slow"), FileInputOutputError),
        (ValueError("embedded null byte"), FileInputOutputError),
    ],
)
def test_each_kind_has_its_type(error: Exception, kind: type[FileError]) -> None:
    """A foreign failure becomes the typed error of its kind, which names the path and the original."""
    found = file_error(error, "/a\nb")
    assert type(found) is kind
    assert found.path == "/a\nb"
    assert "'/a\\nb'" in str(found)
    assert describe(error) in str(found)


def test_our_own_errors_stay() -> None:
    """What the library raised itself is not wrapped again, whatever else it is."""
    for error in (NotFoundError("gone", path="/a"), ConfigurationError("bad value")):
        with pytest.raises(type(error)) as caught, translated("/b"):
            raise error
        assert caught.value is error


def test_translation_keeps_the_cause() -> None:
    """The original is chained, and kinds that were not named pass."""
    with pytest.raises(NotFoundError) as caught, translated("/a"):
        raise FileNotFoundError("x")
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    with pytest.raises(KeyError), translated("/a"):
        raise KeyError("x")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError(), "ValueError"),
        (ValueError("two\nlines\tof  text"), "ValueError: two lines of text"),
        (ValueError("x" * 1_000), "ValueError: " + "x" * 488),
    ],
)
def test_descriptions_are_short(error: Exception, text: str) -> None:
    """A description is one line of bounded length."""
    assert describe(error) == text


@given(st.lists(st.binary(max_size=50)))
def test_pieces_have_the_fingerprint_of_the_whole(pieces: list[bytes]) -> None:
    """However content is cut, its fingerprint is the same."""
    assert stream_fingerprint(pieces) == fingerprint(b"".join(pieces))
