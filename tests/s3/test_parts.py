"""The parts of the provider that send nothing."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from s3fs import S3FileSystem

from guidefs.errors import ConfigurationError, UsageError
from guidefs.storage import Limits
from guidefs.storage.batch import bounded
from guidefs.values.answer import Absent, Answer, Question, Text, TooLarge, Unavailable, Unchanged, Version
from guidefs_s3 import S3Provider
from guidefs_s3.address import Address, Directory, is_plain, locate
from guidefs_s3.body import size_of
from guidefs_s3.freshness import Freshness
from guidefs_s3.plan import REMEMBERED_DIRECTORIES, Candidate, Directories, plan
from guidefs_s3.reply import Entry, Listed
from guidefs_s3.shares import Shares
from guidefs_s3.version import etag_of, same_content, same_object, version_of

OPTIONS: dict[str, Any] = {"key": "k", "secret": "s", "endpoint_url": "http://127.0.0.1:9", "skip_instance_cache": True}

answers = st.lists(st.one_of(st.text(max_size=6).map(lambda t: Text(None, t)), st.just(Absent())), max_size=8)


@given(answers=answers, bound=st.integers(1, 24), data=st.data())
def test_answers_in_any_order_end_as_in_a_bounded_batch(answers: list[Answer], bound: int, data: st.DataObject) -> None:
    """Whatever order the answers come in, the texts that are kept are those that a bounded batch keeps."""
    limits = Limits(max_batch_bytes=bound)
    shares = Shares(len(answers), limits)
    for position in data.draw(st.permutations(range(len(answers)))):
        answer = answers[position]
        if isinstance(answer, Text) and not shares.reserve(position, len(answer.text.encode())):
            shares.refuse(position)
        else:
            shares.settle(position, answer)
    assert list(shares.answers()) == bounded(answers, limits)


@given(answers=answers, bound=st.integers(1, 24), data=st.data())
def test_what_is_held_never_exceeds_the_bound(answers: list[Answer], bound: int, data: st.DataObject) -> None:
    """At no moment do the texts that are held exceed the bound of the batch."""
    shares = Shares(len(answers), Limits(max_batch_bytes=bound))
    for position in data.draw(st.permutations(range(len(answers)))):
        shares.settle(position, answers[position])
        assert sum(len(a.text.encode()) for a in shares.answers() if isinstance(a, Text)) <= bound


def test_a_text_smaller_than_its_share_gives_room_back() -> None:
    """A share is given back to the size that the text turned out to have."""
    shares = Shares(2, Limits(max_batch_bytes=10))
    assert shares.reserve(1, 10)
    shares.settle(1, Text(None, "a"))
    assert shares.reserve(0, 9)


@pytest.mark.parametrize(
    ("etag", "version_id", "version"),
    [
        ('"abc"', None, "abc"),
        ("abc", None, "abc"),
        ('"abc-3"', "null", "abc-3"),
        ('"abc"', "v1", "abc v1"),
        ('W/"abc"', None, None),
        ('""', None, None),
        ("", None, None),
        (None, "v1", None),
    ],
)
def test_versions_are_entity_tags(etag: str | None, version_id: str | None, version: str | None) -> None:
    """A version is the entity tag without quotes, with the id of the version behind it; a weak tag makes none."""
    assert version_of(etag, version_id) == version


def test_versions_are_compared_by_content_and_by_write() -> None:
    """Equal tags are equal content; a write is the same one unless both sides name different ids."""
    plain, first, second = Version("abc"), Version("abc v1"), Version("abc v2")
    assert (etag_of(plain), etag_of(first)) == ('"abc"', '"abc"')
    assert same_content(first, second)
    assert not same_content(first, Version("abd v1"))
    assert not same_content(None, None)
    assert same_object(plain, first)
    assert same_object(first, first)
    assert not same_object(first, second)
    assert not same_object(first, Version("abd"))
    assert not same_object(None, None)


@pytest.mark.parametrize(
    ("path", "located"),
    [
        ("bucket/a/b", Address("bucket", "a/b")),
        ("s3://bucket/a", Address("bucket", "a")),
        ("bucket", Address("bucket", "")),
        ("bucket/a?versionId=1", Address("bucket", "a?versionId=1")),
        ("bucket/a/", Address("bucket", "a/")),
        ("bucket/..x/a", Address("bucket", "..x/a")),
        (
            "arn:aws:s3:eu-west-1:123456789012:accesspoint/ap/a/b",
            Address("arn:aws:s3:eu-west-1:123456789012:accesspoint/ap", "a/b"),
        ),
        ("bucket/a\udcff", Absent()),
    ],
)
def test_paths_have_addresses(path: str, located: object) -> None:
    """A path is a bucket or an access point, and a key that is taken as it is."""
    assert locate(S3FileSystem(**OPTIONS), path) == located


def test_directories_of_addresses() -> None:
    """A key lies in the directory before its last component, and would be a directory with a slash behind it."""
    assert Address("b", "a/c").directory == Directory("b", "a/")
    assert Address("b", "c").directory == Directory("b", "")
    assert Address("b", "a/c").below == Directory("b", "a/c/")
    assert Address("b", "").below == Directory("b", "")


@pytest.mark.parametrize(
    ("key", "plain"), [("a/b", True), ("ü/.x", True), ("a//b", False), ("a\\b", False), ("a\n", False)]
)
def test_odd_keys_are_told(key: str, *, plain: bool) -> None:
    """Keys that some stores rewrite are told from those that all agree on."""
    assert is_plain(key) is plain


def listed(names: int, *, complete: bool = True) -> Listed:
    """A listing of so many names."""
    return Listed({str(n): Entry(None, 0) for n in range(names)}, frozenset(), complete)


def candidates(*keys: str) -> dict[int, Candidate]:
    """Candidates for keys of one bucket."""
    return {n: Candidate(Question(f"b/{key}"), Address("b", key)) for n, key in enumerate(keys)}


def test_plans_list_above_the_threshold() -> None:
    """Exactly as many candidates as the threshold are asked one by one; one more and directories are listed."""
    asked = candidates("d/a", "d/b", "e/a")
    assert plan(asked, list_above=3, directories=Directories()).listed == {}
    chosen = plan(asked, list_above=2, directories=Directories())
    assert (list(chosen.single), list(chosen.listed)) == ([2], [Directory("b", "d/")])
    assert plan(asked, list_above=None, directories=Directories()).listed == {}


def test_plans_leave_odd_keys_and_costly_directories_out() -> None:
    """Odd keys, crowded directories and buckets that cannot be listed are asked one by one."""
    directories = Directories()
    asked = candidates("d/a", "d/b", "d/\n", "e/a", "e/b", "f/a", "f/b")
    directories.learn(Directory("b", "e/"), listed(21))
    directories.learn(Directory("b", "f/"), listed(20))
    chosen = plan(asked, list_above=0, directories=directories)
    assert {d.prefix: list(group) for d, group in chosen.listed.items()} == {"d/": [0, 1], "f/": [5, 6]}
    directories.learn(Directory("b", "f/"), listed(1, complete=False))
    assert [d.prefix for d in plan(asked, list_above=0, directories=directories).listed] == ["d/"]
    directories.close("b")
    assert plan(asked, list_above=0, directories=directories).listed == {}


def test_what_is_known_of_directories_is_bounded() -> None:
    """The oldest knowledge is dropped, and only makes the next plan less well informed."""
    directories = Directories()
    for n in range(REMEMBERED_DIRECTORIES + 1):
        directories.learn(Directory("b", f"{n}/"), listed(3))
    assert directories.expected_names(Directory("b", "0/")) is None
    assert directories.expected_names(Directory("b", "1/")) == 3


class Clock:
    """A clock that stands still unless it is set."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.seconds


def test_checks_stand_in_for_as_long_as_allowed() -> None:
    """A check answers a question that may lag, until it is too old, and never one that may not."""
    clock = Clock()
    freshness = Freshness(10, clock=clock)
    lagging, fresh = Question("a", Version("1"), may_lag=True), Question("a", Version("1"))
    assert freshness.recall(lagging) is None
    freshness.learn(fresh, Unchanged())
    clock.seconds = 9.9
    assert (freshness.recall(lagging), freshness.recall(fresh)) == (Unchanged(), None)
    assert freshness.recall(Question("a", Version("2"), may_lag=True)) is None
    assert freshness.recall(Question("a", None, may_lag=True)) is None
    clock.seconds = 10.0
    assert freshness.recall(lagging) is None


def test_checks_are_replaced_by_what_comes_after() -> None:
    """Texts, absences, failures and writes each end what an earlier check said."""
    freshness = Freshness(10, clock=Clock())
    question = Question("a", Version("1"), may_lag=True)
    freshness.learn(question, Unchanged())
    freshness.learn(question, TooLarge(Version("2"), 5))
    assert freshness.recall(question) is None
    assert freshness.recall(Question("a", Version("2"), may_lag=True)) == Unchanged()
    freshness.learn(question, Absent())
    assert freshness.recall(question) == Absent()
    freshness.learn(question, Unavailable("no"))
    assert freshness.recall(question) is None
    freshness.learn(question, Absent())
    freshness.forget("a")
    assert freshness.recall(question) is None


def test_without_an_age_nothing_is_remembered() -> None:
    """By default every question is asked."""
    freshness = Freshness(0, clock=Clock())
    freshness.learn(Question("a"), Absent())
    assert freshness.recall(Question("a", may_lag=True)) is None


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_age_seconds", -1),
        ("max_age_seconds", math.inf),
        ("max_age_seconds", math.nan),
        ("max_age_seconds", "1"),
        ("max_age_seconds", True),
        ("list_above", -1),
        ("list_above", 1.5),
        ("list_above", "never"),
        ("engine", "boto"),
        ("preconditions", "hope"),
        ("max_concurrency", 0),
        ("max_concurrency", True),
        ("clock", 5),
        ("max_agee_seconds", 1),
    ],
)
def test_wrong_settings_are_named(setting: str, value: object) -> None:
    """A setting that does not exist or cannot be used is an error that names it."""
    with pytest.raises(ConfigurationError, match=setting):
        S3Provider(S3FileSystem(**OPTIONS), **{setting: value})


@pytest.mark.parametrize("settings", [{}, {"max_age_seconds": 2.5, "list_above": None, "max_concurrency": 4}])
def test_sensible_settings_are_taken(settings: dict[str, Any]) -> None:
    """Defaults and values within bounds are taken, and each name is declared."""
    S3Provider(S3FileSystem(**OPTIONS), **settings)
    assert set(settings) <= S3Provider.SETTINGS


def test_other_filesystems_are_refused() -> None:
    """A filesystem that is not one of s3fs cannot be served, whatever its protocol."""
    with pytest.raises(ConfigurationError, match="s3fs"):
        S3Provider(object())


@pytest.mark.parametrize("method", ["afetch", "astat", "aread", "awrite"])
def test_the_wrong_event_loop_is_a_usage_error(method: str) -> None:
    """A call off the filesystem's own event loop can never work, and says so instead of passing for a failure."""
    provider = S3Provider(S3FileSystem(**OPTIONS))
    calls: dict[str, Any] = {
        "afetch": lambda: provider.afetch([Question("b/a")], Limits()),
        "astat": lambda: provider.astat("b/a"),
        "aread": lambda: provider.aread("b/a", offset=0, max_bytes=1),
        "awrite": lambda: provider.awrite("b/a", b"", None),  # type: ignore[arg-type] # never looked at
    }
    with pytest.raises(UsageError, match="event loop"):
        asyncio.run(calls[method]())


@pytest.mark.parametrize(
    ("reply", "size"),
    [
        ({"ContentRange": "bytes 0-4/10"}, 10),
        ({"ContentRange": "bytes 0-4/*"}, None),
        ({"ContentLength": 7}, 7),
        ({}, None),
    ],
)
def test_the_stated_size_is_that_of_the_whole_object(reply: dict[str, Any], size: int | None) -> None:
    """The size comes from the range where there is one."""
    assert size_of(reply, first=0) == size


@pytest.mark.parametrize("stated", ["bytes 1-4/10", "octets 0-4/10", "bytes */10", "bytes 0-4/ten"])
def test_other_ranges_are_errors(stated: str) -> None:
    """A reply that holds another part than asked for is not taken for it."""
    with pytest.raises(OSError, match="asked for"):
        size_of({"ContentRange": stated}, first=0)
