"""What each kind of object is answered with, whatever the store, the engine and the plan."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from guidefs.values.answer import (
    Absent,
    NotText,
    Question,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
    Version,
)

Connect = Callable[..., Any]

CONTENTS: dict[str, bytes] = {
    "plain": b"Use tabs.\n",
    "empty": b"",
    "marked": b"\xef\xbb\xbfUse spaces.",
    "exactly as large as allowed": b"x" * 1_000,
    "one byte too large": b"x" * 1_001,
    "much too large": b"x" * 300_000,
    "with a NUL": b"a\0b",
    "not UTF-8": b"\xff\xfe",
    "not ASCII": "Grüße, 世界".encode(),
}


def expected(data: bytes, etag: str) -> Any:
    """What an object of `CONTENTS` is answered with."""
    version = Version(etag)
    if len(data) > 1_000:
        return TooLarge(version, len(data))
    if b"\0" in data or data == b"\xff\xfe":
        return NotText(version)
    return Text(version, data.decode("utf-8-sig"))


@pytest.fixture(params=[None, 0], ids=["one by one", "by listing"])
def list_above(request: pytest.FixtureRequest) -> Any:
    """Both plans."""
    return request.param


@pytest.fixture
def connection(connect: Connect, bucket: Any, engine: str, list_above: Any) -> Any:
    """A connection for each store, engine and plan."""
    return connect(bucket, engine=engine, list_above=list_above)


def test_new_files_are_answered_with_their_text(connection: Any, bucket: Any) -> None:
    """A file is answered with its text and version, or with why it has no text, the first time it is asked for."""
    etags = {name: bucket.put(f"d/{name}", data) for name, data in CONTENTS.items()}
    answers = connection.fetch(*(Question(bucket.path(f"d/{name}")) for name in CONTENTS), max_source_bytes=1_000)
    assert answers == [expected(data, etags[name]) for name, data in CONTENTS.items()]


def test_known_versions_are_unchanged(connection: Any, bucket: Any) -> None:
    """Every kind of file is unchanged for its own version, texts and others alike."""
    known = {name: Version(bucket.put(f"d/{name}", data)) for name, data in CONTENTS.items()}
    questions = [Question(bucket.path(f"d/{name}"), known[name]) for name in CONTENTS]
    for _ in range(2):
        assert connection.fetch(*questions, max_source_bytes=1_000) == [Unchanged()] * len(questions)


def test_other_versions_bring_the_new_text(connection: Any, bucket: Any) -> None:
    """A file that is another one now is answered with its new text, also if it became empty or was empty."""
    old = [Version(bucket.put("d/a", "old")), Version(bucket.put("d/b", "old")), Version(bucket.put("d/c", ""))]
    new = [bucket.put("d/a", "new"), bucket.put("d/b", ""), bucket.put("d/c", "new")]
    answers = connection.fetch(*(Question(bucket.path(f"d/{n}"), v) for n, v in zip("abc", old, strict=True)))
    assert answers == [Text(Version(e), t) for e, t in zip(new, ("new", "", "new"), strict=True)]


def test_what_is_no_object_is_absent(connection: Any, bucket: Any) -> None:
    """Missing keys, prefixes, keys below an object, the bucket itself and names that are not UTF-8 are absent."""
    bucket.put("d/sub/x", "1")
    bucket.put("d/file", "1")
    names = ["d/none", "d/sub", "d/file/AGENTS.md", "none/none/none", "d/\udcff"]
    questions = [*(Question(bucket.path(name)) for name in names), Question(bucket.name), Question(bucket.name + "/")]
    assert connection.fetch(*questions) == [Absent()] * len(questions)


def test_a_version_that_is_gone_is_absent(connection: Any, bucket: Any) -> None:
    """A file whose version was known is absent once it was deleted."""
    etag = bucket.put("d/a", "text")
    bucket.delete("d/a")
    assert connection.fetch(Question(bucket.path("d/a"), Version(etag)), Question(bucket.path("d/b"))) == [
        Absent(),
        Absent(),
    ]


def test_a_missing_bucket_is_unavailable(connection: Any, bucket: Any) -> None:
    """A bucket that does not exist is no edit of its files, so they are unavailable and not absent."""
    answers = connection.fetch(Question(f"{bucket.name}-none/d/a", Version("0")), Question(f"{bucket.name}-none/d/b"))
    assert all(isinstance(answer, Unavailable) and "bucket" in answer.error for answer in answers)


def test_names_are_taken_literally(connection: Any, bucket: Any) -> None:
    """Names that need quoting in URLs or XML are found as they are."""
    names = ["a b", "a+b", "100%", "a%20b", "é/ü", "世界", "#x", "q?versionId=1", "it's", "<&>", "~", "…"]
    etags = [bucket.put(f"{name}/AGENTS.md", name) for name in names]
    answers = connection.fetch(
        *(Question(bucket.path(f"{name}/{file}")) for file in ("AGENTS.md", "none") for name in names)
    )
    found = [Text(Version(etag), name) for name, etag in zip(names, etags, strict=True)]
    assert answers == [*found, *(Absent() for _ in names)]


def test_odd_names_are_never_taken_for_absent(connection: Any, bucket: Any) -> None:
    """Names that some servers rewrite are found or unavailable, but no listing makes them absent."""
    # SeaweedFS leaves empty components and backslashes out of listings.
    for name in ("a\tb", "a\\b", "a//b", "a\x7fb"):
        bucket.put(f"{name}/x", "1")
        outcome = connection.fetch(Question(bucket.path(f"{name}/x")), Question(bucket.path(f"{name}/y")))[0]
        assert isinstance(outcome, Text | Unavailable), name


def test_climbing_names_are_unavailable(connection: Any, bucket: Any) -> None:
    """Components `.` and `..` are not sent, because something on the way might resolve them."""
    answers = connection.fetch(Question(bucket.path("a/../b")), Question(bucket.path("./a")))
    assert all(isinstance(answer, Unavailable) for answer in answers)


def test_schemes_and_leading_slashes_are_dropped(connection: Any, bucket: Any) -> None:
    """The forms of a path that s3fs takes all lead to the same object."""
    etag = bucket.put("d/a", "text")
    for path in (f"{lead}{bucket.path('d/a')}" for lead in ("s3://", "s3a://", "/")):
        assert connection.fetch(Question(path), Question(bucket.path("d/b"))) == [Text(Version(etag), "text"), Absent()]


def test_compressed_objects_are_taken_as_stored(connection: Any, bucket: Any) -> None:
    """A `Content-Encoding` describes the bytes and never changes them on the way, so compressed text is no text."""
    etag = bucket.put("d/a", gzip.compress(b"Use tabs."), ContentEncoding="gzip")
    assert connection.fetch(Question(bucket.path("d/a")), Question(bucket.path("d/b"))) == [
        NotText(Version(etag)),
        Absent(),
    ]


def test_the_batch_bound_keeps_the_last_texts(connection: Any, bucket: Any) -> None:
    """Texts beyond `max_batch_bytes` are unavailable; the most specific ones, which come last, are kept."""
    for n in range(6):
        bucket.put(f"d/{n}", str(n) * 100)
    answers = connection.fetch(*(Question(bucket.path(f"d/{n}")) for n in range(6)), max_batch_bytes=350)
    assert [isinstance(answer, Text) for answer in answers] == [False, False, False, True, True, True]
    assert all(isinstance(answer, Unavailable) and "max_batch_bytes" in answer.error for answer in answers[:3])


def test_a_full_batch_still_tells_what_needs_no_text(connection: Any, bucket: Any) -> None:
    """When the batch is full, absences, unchanged versions and files that have no text are still told."""
    known = Version(bucket.put("d/same", "s" * 50))
    bucket.put("d/huge", "h" * 5_000)
    bucket.put("d/late", "l" * 500)
    names = [("d/same", known), ("d/huge", None), ("d/none", None), ("d/late", None)]
    answers = connection.fetch(
        *(Question(bucket.path(name), version) for name, version in names), max_batch_bytes=100, max_source_bytes=1_000
    )
    assert [type(answer) for answer in answers] == [Unchanged, TooLarge, Absent, Unavailable]


def test_an_empty_batch_asks_nothing(connection: Any) -> None:
    """No questions, no answers."""
    assert connection.fetch() == []
