"""Sessions over S3: what a baseline and a touch cost, what edits of others and outages come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from s3fs import S3FileSystem

from guidefs import Session, Workspace
from guidefs.testing.latency import LatencyProxy
from guidefs.testing.mischief import Answered, Cut, Dropped, Hung, Mischief

Open = Callable[..., Session]

HOME = 1
"""The user-global file is asked for in each batch."""

NAMES = 4
"""The candidates of one directory."""


@pytest.fixture
def opened(sdk: Any) -> Open:
    """Opens a session at `repo` of a bucket, with the home at `home`, through a proxy if `url` is given."""

    def make(
        bucket: Any,
        cwd: str = "repo",
        *,
        url: str | None = None,
        options: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Session:
        fs = S3FileSystem(**{**bucket.store.options(url=url, pool=128), "session": sdk, **(options or {})})
        fs.retries = 1
        home = f"s3://{bucket.path('home')}"
        return Workspace(fs, bucket.path(cwd), max_bytes=65_536, home=home, **settings).session("s")

    return make


def touched(session: Session, path: str) -> list[str]:
    """Touch one path in one call, and give what the call says, as `action path`."""
    with session.call() as call:
        call.touch(path, "read")
    return [f"{change.action} {change.path}" for context in call.contexts for change in context.changes]


def cost(proxy: LatencyProxy) -> tuple[int, dict[str, int]]:
    """The number of waves, with how many requests of each kind."""
    kinds = ("LIST" if "list-type" in parse_qs(urlsplit(r.target).query) else r.method for r in proxy.requests)
    return proxy.waves, dict(Counter(kinds))


@pytest.fixture
def waves(bucket: Any) -> Iterator[LatencyProxy]:
    """A proxy in front of each store that groups requests into waves."""
    with LatencyProxy(bucket.store.url, settle_seconds=1.5) as proxy:
        yield proxy


@pytest.mark.parametrize("depth", [0, 3, 20])
def test_a_baseline_is_two_waves_from_any_depth(
    opened: Open, bucket: Any, waves: LatencyProxy, engine: str, depth: int
) -> None:
    """One wave of a listing a directory finds the root, and one of a GET a candidate brings all texts."""
    bucket.put("repo/.git/HEAD", "ref")
    bucket.put("repo/AGENTS.md", "root rules")
    bucket.put("home/AGENTS.md", "global rules")
    cwd = "/".join(["repo", *("d" * depth)])
    bucket.put(f"{cwd}/CLAUDE.md", "deep rules")
    session = opened(bucket, cwd, url=waves.url, engine=engine)
    above = len(bucket.path(cwd).split("/"))
    waves.reset(above, HOME + NAMES * (depth + 1))
    prefix = session.prefix()
    assert prefix is not None
    assert all(text in prefix.text for text in ("global rules", "root rules", "deep rules"))
    assert cost(waves) == (2, {"LIST": above, "GET": HOME + NAMES * (depth + 1)})


def test_a_touch_is_one_wave_changed_or_not(opened: Open, bucket: Any, waves: LatencyProxy, engine: str) -> None:
    """Each touch is one wave of one conditional GET a candidate; what is unchanged is sent no body of."""
    bucket.put("repo/.git/HEAD", "ref")
    bucket.put("repo/AGENTS.md", "root rules")
    bucket.put("repo/p/AGENTS.md", "p rules")
    session = opened(bucket, url=waves.url, engine=engine)
    waves.reset(3, HOME + NAMES)
    session.prefix()
    for path, changes, edit in (
        ("p/x", ["set p/AGENTS.md"], None),
        ("p/y", [], None),
        ("p/x", ["replace p/AGENTS.md"], "other rules"),
        ("p/x", ["remove p/AGENTS.md"], ""),
    ):
        if edit is not None:
            bucket.put("repo/p/AGENTS.md", edit) if edit else bucket.delete("repo/p/AGENTS.md")
        waves.reset(HOME + NAMES * 2)
        assert touched(session, path) == changes
        assert cost(waves) == (1, {"GET": HOME + NAMES * 2})
    conditions = {r.head.get("if-none-match") for r in waves.requests if r.target.endswith("repo/AGENTS.md")}
    assert conditions == {bucket.head("repo/AGENTS.md")["ETag"]}


@pytest.mark.parametrize("list_above", [None, 0], ids=["one by one", "by listing"])
def test_edits_after_the_users_own_listing_are_told(
    opened: Open, bucket: Any, engine: str, list_above: int | None
) -> None:
    """Files made, changed and deleted by another client right after the user's own `ls` are told at the next touch."""
    bucket.put("repo/.git/HEAD", "ref")
    bucket.put("repo/AGENTS.md", "root rules")
    bucket.put("repo/p/AGENTS.md", "p rules")
    session = opened(bucket, engine=engine, list_above=list_above)
    session.prefix()
    assert touched(session, "p/q/x") == ["set p/AGENTS.md"]
    session.fs.ls(bucket.path("repo"))
    session.fs.ls(bucket.path("repo/p"))
    bucket.put("repo/p/q/CLAUDE.md", "q rules")
    bucket.put("repo/AGENTS.md", "newer root rules")
    bucket.delete("repo/p/AGENTS.md")
    assert session.fs.exists(bucket.path("repo/p/AGENTS.md"))  # the filesystem itself believes its cache
    assert touched(session, "p/q/x") == ["replace AGENTS.md", "remove p/AGENTS.md", "set p/q/CLAUDE.md"]
    assert touched(session, "p/q/x") == []


def failure(status: int, code: str) -> Answered:
    """A reply that reports an error as S3 does."""
    return Answered(status, f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>".encode())


FAULTS: dict[str, Mischief | None] = {
    "connection refused": None,
    "connection that breaks": Dropped(),
    "internal error": failure(500, "InternalError"),
    "slow down": failure(503, "SlowDown"),
    "expired credentials": failure(400, "ExpiredToken"),
    "no permission": failure(403, "AccessDenied"),
    "reply that is cut short": Cut(3),
    "no reply": Hung(),
}


@pytest.mark.parametrize("fault", [pytest.param(fault, id=name) for name, fault in FAULTS.items()])
def test_an_outage_removes_nothing_and_is_caught_up_with(
    opened: Open, moto_bucket: Any, engine: str, fault: Mischief | None
) -> None:
    """In the middle of a session a fault is unavailable, never a removal; the next healthy touch tells what changed."""
    moto_bucket.put("repo/.git/HEAD", "ref")
    for name in ("AGENTS.md", "p/AGENTS.md", "p/CLAUDE.md"):
        moto_bucket.put(f"repo/{name}", f"rules of {name}")
    patience = 1.5 if isinstance(fault, Hung) else 15
    config = {"read_timeout": patience, "connect_timeout": patience, "retries": {"max_attempts": 0}}
    with LatencyProxy(moto_bucket.store.url) as proxy:
        session = opened(moto_bucket, url=proxy.url, options={"config_kwargs": config}, engine=engine)
        port = urlsplit(proxy.url).port or 0
        session.prefix()
        assert touched(session, "p/x") == ["set p/AGENTS.md", "set p/CLAUDE.md"]
        moto_bucket.put("repo/AGENTS.md", "newer rules")
        moto_bucket.delete("repo/p/AGENTS.md")
        moto_bucket.put("repo/p/q/AGENTS.md", "q rules")
        if fault is not None:
            proxy.mischief = lambda _: fault
            meanwhile = touched(session, "p/q/x")
    if fault is None:
        meanwhile = touched(session, "p/q/x")
    assert (meanwhile, session.stats.unavailable > 0) == ([], True)
    with LatencyProxy(moto_bucket.store.url, port=port):
        assert touched(session, "p/q/x") == ["replace AGENTS.md", "remove p/AGENTS.md", "set p/q/AGENTS.md"]
        assert touched(session, "p/q/x") == []


def test_an_outage_at_the_start_is_caught_up_with(opened: Open, moto_bucket: Any, engine: str) -> None:
    """A baseline in an outage says nothing, and the first healthy touch brings what it would have said."""
    moto_bucket.put("repo/.git/HEAD", "ref")
    moto_bucket.put("repo/AGENTS.md", "root rules")
    with LatencyProxy(moto_bucket.store.url) as proxy:
        session = opened(moto_bucket, url=proxy.url, engine=engine)
        proxy.mischief = lambda _: failure(400, "ExpiredToken")
        assert session.prefix() is None
        proxy.mischief = lambda _: None
        assert touched(session, "p/x") == ["set AGENTS.md"]


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        """The present."""
        return self.seconds


def test_files_off_the_touched_chain_may_lag(opened: Open, moto_bucket: Any, engine: str) -> None:
    """With `max_age_seconds`, what lies off the touched chain is checked that often at most; the chain always."""
    moto_bucket.put("repo/.git/HEAD", "ref")
    for name in ("AGENTS.md", "p/AGENTS.md", "q/AGENTS.md"):
        moto_bucket.put(f"repo/{name}", f"rules of {name}")
    clock = Clock()
    with LatencyProxy(moto_bucket.store.url) as proxy:
        session = opened(moto_bucket, url=proxy.url, engine=engine, max_age_seconds=10, clock=clock)
        session.prefix()
        assert touched(session, "p/x") == ["set p/AGENTS.md"]
        assert touched(session, "q/x") == ["set q/AGENTS.md"]

        def requests_of_touch(path: str) -> tuple[list[str], int]:
            proxy.reset()
            return touched(session, path), len(proxy.requests)

        moto_bucket.put("repo/p/AGENTS.md", "newer rules")
        clock.seconds += 9.9
        # The home, the root and `q` are on the chain of this touch, `p` is not.
        assert requests_of_touch("q/x") == ([], HOME + 2 * NAMES)
        clock.seconds += 0.1
        assert requests_of_touch("q/x") == (["replace p/AGENTS.md"], HOME + 3 * NAMES)
        moto_bucket.delete("repo/p/AGENTS.md")
        assert requests_of_touch("q/x") == ([], HOME + 2 * NAMES)
        assert requests_of_touch("p/x") == (["remove p/AGENTS.md"], HOME + 2 * NAMES)
        moto_bucket.put("repo/q/AGENTS.md", "newest rules")
        for _ in range(3):
            assert requests_of_touch("p/x") == ([], HOME + 2 * NAMES)
        assert requests_of_touch("q/x") == (["replace q/AGENTS.md"], HOME + 2 * NAMES)


def test_a_failed_check_stands_in_for_nothing(opened: Open, moto_bucket: Any, engine: str) -> None:
    """A file that could not be checked is asked for again at the next touch, however young the failure."""
    moto_bucket.put("repo/.git/HEAD", "ref")
    moto_bucket.put("repo/p/AGENTS.md", "p rules")
    clock = Clock()
    with LatencyProxy(moto_bucket.store.url) as proxy:
        session = opened(moto_bucket, url=proxy.url, engine=engine, max_age_seconds=10, clock=clock)
        session.prefix()
        assert touched(session, "p/x") == ["set p/AGENTS.md"]
        clock.seconds += 10
        moto_bucket.delete("repo/p/AGENTS.md")
        proxy.mischief = lambda request: failure(503, "SlowDown") if "/p/" in request.target else None
        assert touched(session, "x") == []
        proxy.mischief = lambda _: None
        assert touched(session, "x") == ["remove p/AGENTS.md"]


def test_a_write_of_the_session_ends_what_was_checked(opened: Open, moto_bucket: Any) -> None:
    """An instruction file that the session itself writes is checked at once, however young the last check."""
    moto_bucket.put("repo/.git/HEAD", "ref")
    moto_bucket.put("repo/p/AGENTS.md", "p rules")
    session = opened(moto_bucket, max_age_seconds=3_600)
    session.prefix()
    session.tools.read("p/AGENTS.md")
    session.tools.write("p/AGENTS.md", "own rules")
    moto_bucket.put("repo/p/AGENTS.md", "outside rules")
    assert touched(session, "p/x") == ["replace p/AGENTS.md"]
