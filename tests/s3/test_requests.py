"""How many requests a batch costs, in how many waves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from guidefs.testing.latency import LatencyProxy
from guidefs.testing.mischief import Request
from guidefs.values.answer import Absent, Exists, Marker, Question, Text, Unchanged, Version

Connect = Callable[..., Any]

NAMES = ("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md")


def kind(request: Request) -> str:
    """The method of a request, or `LIST`."""
    return "LIST" if "list-type" in parse_qs(urlsplit(request.target).query) else request.method


class Counted:
    """A connection through a proxy that groups requests into waves."""

    def __init__(self, proxy: LatencyProxy, connection: Any) -> None:
        self.proxy = proxy
        self.connection = connection

    def fetch(self, *questions: Question | Marker, waves: Sequence[int], **limits: int) -> Any:
        """Ask one batch that is expected to make waves of these sizes, and count anew."""
        self.proxy.reset(*waves)
        return self.connection.fetch(*questions, **limits)

    @property
    def cost(self) -> tuple[int, dict[str, int]]:
        """The number of waves, with how many requests of each kind."""
        return self.proxy.waves, dict(Counter(kind(request) for request in self.proxy.requests))


@pytest.fixture
def count(connect: Connect, bucket: Any, engine: str) -> Iterator[Callable[..., Counted]]:
    """Connects through a counting proxy, which waits for the expected requests however slow the machine is."""
    with LatencyProxy(bucket.store.url, settle_seconds=1.5) as proxy:
        yield lambda **settings: Counted(proxy, connect(bucket, url=proxy.url, engine=engine, **settings))


def tree(bucket: Any, directories: int, *, existing: int = 1) -> list[Question]:
    """Questions for all candidates of some directories, with `existing` files in each of the first four."""
    for n in range(min(directories, 4)):
        for name in NAMES[:existing]:
            bucket.put(f"d{n}/{name}", f"{n} {name}")
    return [Question(bucket.path(f"d{n}/{name}")) for n in range(directories) for name in NAMES]


def known(questions: list[Question], answers: list[Any]) -> list[Question]:
    """The same questions by someone who has seen the answers."""
    return [Question(q.path, getattr(answer, "version", None)) for q, answer in zip(questions, answers, strict=True)]


def test_a_small_batch_is_one_wave_of_one_get_each(count: Callable[..., Counted], bucket: Any) -> None:
    """Up to the threshold a batch costs one GET a candidate at once and nothing else, new, unchanged or changed."""
    counted = count()
    questions = tree(bucket, 6)
    answers = counted.fetch(*questions, waves=[24])
    assert (sum(isinstance(answer, Text) for answer in answers), counted.cost) == (4, (1, {"GET": 24}))
    again = counted.fetch(*known(questions, answers), waves=[24])
    assert ({type(answer) for answer in again}, counted.cost) == ({Unchanged, Absent}, (1, {"GET": 24}))
    bucket.put("d1/AGENTS.md", "changed")
    bucket.delete("d2/AGENTS.md")
    changed = counted.fetch(*known(questions, answers), waves=[24])
    assert (changed[4].text, changed[8], counted.cost) == ("changed", Absent(), (1, {"GET": 24}))


def test_a_large_batch_lists_each_directory_once(count: Callable[..., Counted], bucket: Any) -> None:
    """Above the threshold an unchanged batch costs one wave of one LIST a directory, and no GET."""
    counted = count(list_above=40)
    questions = tree(bucket, 11)
    answers = counted.fetch(*questions, waves=[11, 4])
    assert (sum(isinstance(answer, Text) for answer in answers), counted.cost) == (4, (2, {"LIST": 11, "GET": 4}))
    again = counted.fetch(*known(questions, answers), waves=[11])
    assert ({type(answer) for answer in again}, counted.cost) == ({Unchanged, Absent}, (1, {"LIST": 11}))


def test_a_large_batch_gets_only_what_changed(count: Callable[..., Counted], bucket: Any) -> None:
    """Above the threshold what changed costs one more wave of one GET each; what became absent costs nothing."""
    counted = count(list_above=40)
    questions = tree(bucket, 11, existing=2)
    answers = counted.fetch(*questions, waves=[11, 8])
    bucket.put("d1/AGENTS.md", "changed")
    bucket.put("d7/CLAUDE.md", "new")
    bucket.delete("d2/AGENTS.md")
    changed = counted.fetch(*known(questions, answers), waves=[11, 2])
    assert (changed[4].text, changed[29].text, changed[8]) == ("changed", "new", Absent())
    assert counted.cost == (2, {"LIST": 11, "GET": 2})


def test_an_unchanged_batch_transfers_no_body(count: Callable[..., Counted], bucket: Any) -> None:
    """Each GET for a known version is conditional on it, and bounded."""
    counted = count()
    etag = bucket.put("d/AGENTS.md", "text")
    assert counted.fetch(Question(bucket.path("d/AGENTS.md"), Version(etag)), waves=[1], max_source_bytes=100) == [
        Unchanged()
    ]
    (request,) = counted.proxy.requests
    assert (request.head.get("if-none-match"), request.head.get("range")) == (f'"{etag}"', "bytes=0-103")


def test_the_default_threshold_lists_a_very_large_batch(count: Callable[..., Counted], bucket: Any) -> None:
    """Without any setting, 200 candidates of 50 directories are listed."""
    counted = count()
    answers = counted.fetch(*tree(bucket, 50), waves=[50, 4])
    assert (sum(isinstance(answer, Text) for answer in answers), counted.cost) == (4, (2, {"LIST": 50, "GET": 4}))


def test_listing_can_be_switched_off(count: Callable[..., Counted], bucket: Any) -> None:
    """With `list_above=None` a batch of any size is one wave of GETs."""
    counted = count(list_above=None)
    counted.fetch(*tree(bucket, 15), waves=[60])
    assert counted.cost == (1, {"GET": 60})


def test_single_candidates_of_a_directory_are_not_listed(count: Callable[..., Counted], bucket: Any) -> None:
    """A directory with one candidate costs one request either way, so it is the one that brings the text too."""
    counted = count(list_above=0)
    bucket.put("d0/AGENTS.md", "text")
    counted.fetch(*(Question(bucket.path(f"d{n}/AGENTS.md")) for n in range(5)), waves=[5])
    assert counted.cost == (1, {"GET": 5})


def test_crowded_directories_are_listed_only_once(count: Callable[..., Counted], bucket: Any) -> None:
    """A directory whose listing costs more than its candidates is asked for candidate by candidate from then on."""
    counted = count(list_above=0)
    for n in range(30):
        bucket.put(f"d/{n}", "1")
    questions = [Question(bucket.path(f"d/{name}")) for name in NAMES[:2]]
    assert counted.fetch(*questions, waves=[1]) == [Absent(), Absent()]
    assert counted.cost == (1, {"LIST": 1})
    assert counted.fetch(*questions, waves=[2]) == [Absent(), Absent()]
    assert counted.cost == (1, {"GET": 2})


def test_an_empty_object_costs_a_second_request_only_when_new(count: Callable[..., Counted], bucket: Any) -> None:
    """No range of an empty object exists, so its version takes another request; once known it does not."""
    counted = count()
    bucket.put("d/AGENTS.md", "")
    question = Question(bucket.path("d/AGENTS.md"))
    (answer,) = counted.fetch(question, waves=[1, 1, 1])
    assert answer.text == ""
    assert counted.fetch(Question(question.path, answer.version), waves=[1]) == [Unchanged()]
    assert counted.cost == (1, {"GET": 1})


@pytest.mark.parametrize("depth", [1, 5, 12])
def test_a_baseline_is_two_waves_from_any_depth(count: Callable[..., Counted], bucket: Any, depth: int) -> None:
    """The markers of all directories up to the bucket are one wave of one LIST each, the chain's files another."""
    counted = count()
    chain = [f"{'x/' * n}" for n in range(depth + 1)]
    bucket.put(".git/HEAD", "ref")
    bucket.put(f"{chain[-1]}AGENTS.md", "deep")
    answers = counted.fetch(
        *(Marker(bucket.path(f"{directory}.git")) for directory in reversed(chain)), waves=[depth + 1]
    )
    assert (answers[-1], counted.cost) == (Exists(), (1, {"LIST": depth + 1}))
    counted.fetch(*(Question(bucket.path(f"{directory}AGENTS.md")) for directory in chain), waves=[depth + 1])
    assert counted.cost == (1, {"GET": depth + 1})


@pytest.mark.parametrize("bounded_by", ["pool", "setting"])
def test_concurrency_is_bounded(connect: Connect, moto_bucket: Any, bounded_by: str) -> None:
    """No more requests are under way at once than the filesystem has connections, or than `max_concurrency`."""
    with LatencyProxy(moto_bucket.store.url, settle_seconds=0.2) as proxy:
        options = {"config_kwargs": {"max_pool_connections": 4 if bounded_by == "pool" else 64}}
        settings = {} if bounded_by == "pool" else {"max_concurrency": 4}
        connection = connect(moto_bucket, url=proxy.url, engine="s3fs", options=options, **settings)
        connection.fetch(*(Question(moto_bucket.path(f"{n}")) for n in range(12)))
        assert max(Counter(request.wave for request in proxy.requests).values()) == 4


def test_a_large_file_is_told_by_its_size(connect: Connect, moto_bucket: Any, engine: str) -> None:
    """A file beyond the bound is known to be too large from the reply's head; no more than the range is sent."""
    moto_bucket.put("d/a", b"x" * 5_000_000)
    with LatencyProxy(moto_bucket.store.url) as proxy:
        connection = connect(moto_bucket, url=proxy.url, engine=engine)
        (answer,) = connection.fetch(Question(moto_bucket.path("d/a")), max_source_bytes=1_000)
        (request,) = proxy.requests
    assert (answer.size, request.head.get("range")) == (5_000_000, "bytes=0-1003")


def test_recent_checks_stand_in_where_they_may(count: Callable[..., Counted], bucket: Any) -> None:
    """With `max_age_seconds`, only files on the touched chain and files never checked before are asked for."""
    counted = count(max_age_seconds=3_600)
    etag = Version(bucket.put("d/AGENTS.md", "text"))
    paths = bucket.path("d/AGENTS.md"), bucket.path("d/CLAUDE.md")
    counted.fetch(*(Question(path) for path in paths), waves=[2])
    bucket.put("d/AGENTS.md", "changed")
    assert counted.fetch(Question(paths[0], etag, may_lag=True), Question(paths[1], may_lag=True), waves=[]) == [
        Unchanged(),
        Absent(),
    ]
    assert counted.cost == (0, {})
    (answer,) = counted.fetch(Question(paths[0], etag), waves=[1])
    assert (answer.text, counted.cost) == ("changed", (1, {"GET": 1}))
    assert counted.fetch(Question(paths[0], answer.version, may_lag=True), waves=[]) == [Unchanged()]
    assert counted.cost == (0, {})
