"""Edits by other clients, and what is left of the filesystem's own listing cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from guidefs.values.answer import Absent, Exists, Marker, Question, Text, Version

Connect = Callable[..., Any]


@pytest.fixture(params=[None, 0], ids=["one by one", "by listing"])
def connection(connect: Connect, bucket: Any, engine: str, request: pytest.FixtureRequest) -> Any:
    """A connection for each store, engine and plan."""
    return connect(bucket, engine=engine, list_above=request.param)


def test_edits_after_a_listing_are_noticed(connection: Any, bucket: Any) -> None:
    """Files made, changed and deleted by another client right after the user's own `ls` are noticed."""
    kept, changed = Version(bucket.put("d/gone", "gone")), Version(bucket.put("d/old", "old"))
    connection.fs.ls(bucket.path("d"))
    bucket.put("d/new", "new")
    bucket.delete("d/gone")
    etag = bucket.put("d/old", "changed")
    assert not connection.fs.exists(bucket.path("d/new"))  # the filesystem itself believes its cache
    answers = connection.fetch(
        Question(bucket.path("d/new")), Question(bucket.path("d/gone"), kept), Question(bucket.path("d/old"), changed)
    )
    assert (answers[0].text, answers[1:]) == ("new", [Absent(), Text(Version(etag), "changed")])


def test_markers_and_stats_look_past_the_cache(connection: Any, bucket: Any) -> None:
    """A marker and a stat see what was made after the user's own `ls`."""
    bucket.put("d/a", "1")
    connection.fs.ls(bucket.path("d"))
    bucket.put("d/.git/HEAD", "ref")
    etag = bucket.put("d/b", "22")
    assert connection.fetch(Marker(bucket.path("d/.git"))) == [Exists()]
    found = connection.stat(bucket.path("d/b"))
    assert (found.kind, found.size, found.version) == ("file", 2, etag)


def test_the_users_cache_stays_as_it_was(connection: Any, bucket: Any) -> None:
    """Asking neither drops, mends nor fills the filesystem's listing cache."""
    bucket.put("d/a", "1")
    connection.fs.ls(bucket.path("d"))
    before = {path: list(entries) for path, entries in connection.fs.dircache._cache.items()}
    bucket.put("d/b", "1")
    bucket.put("e/a", "1")
    connection.fetch(*(Question(bucket.path(name)) for name in ("d/a", "d/b", "e/a", "e/b")), Marker(bucket.path("d")))
    connection.stat(bucket.path("d/b"))
    connection.read(bucket.path("d/b"))
    assert {path: list(entries) for path, entries in connection.fs.dircache._cache.items()} == before


def test_a_guarded_write_shows_in_the_users_listings(connect: Connect, bucket: Any) -> None:
    """A write through the provider takes back what the filesystem's cache says about its directory."""
    from guidefs.storage import CreateOnly

    connection = connect(bucket)
    bucket.put("d/a", "1")
    connection.fs.ls(bucket.path("d"))
    connection.write(bucket.path("d/b"), b"2", CreateOnly())
    assert connection.fs.ls(bucket.path("d")) == [bucket.path("d/a"), bucket.path("d/b")]
