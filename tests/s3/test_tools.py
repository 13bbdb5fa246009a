"""The file tools of sessions over S3."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from s3fs import S3FileSystem

from guidefs import Session, Workspace
from guidefs.errors import (
    FileInputOutputError,
    GuardUnsupportedError,
    NotFoundError,
    NotObservedError,
    StaleVersionError,
)
from guidefs.testing.objectstores import free_ports

Open = Callable[..., Session]

WRITERS = 8
INCREMENTS = 10


@pytest.fixture(params=["options", "environment"])
def opened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens a session at an `s3://` address, by storage options or by the usual environment variables."""

    def make(bucket: Any) -> Session:
        options: dict[str, Any] = {"skip_instance_cache": True}
        if request.param == "options":
            options = bucket.store.options()
        else:
            for name, value in bucket.store.environment().items():
                monkeypatch.setenv(name, value)
        address = f"s3://{bucket.path('repo')}"
        home = f"s3://{bucket.path('home')}"
        return Workspace(address, max_bytes=65_536, home=home, storage_options=options).session("s")

    return make


def test_reading_writing_and_editing(opened: Open, moto_bucket: Any) -> None:
    """The tools read, create, replace and edit objects, and their results bring the instructions on the way."""
    moto_bucket.put("home/AGENTS.md", "global rules")
    moto_bucket.put("repo/.git/HEAD", "ref")
    moto_bucket.put("repo/p/AGENTS.md", "p rules")
    moto_bucket.put("repo/p/a.py", "one\ntwo\n")
    session = opened(moto_bucket)
    prefix = session.prefix()
    assert prefix is not None
    assert "global rules" in prefix.text
    shown = session.tools.read("p/a.py")
    assert shown.startswith("     1\tone\n     2\ttwo\n")
    assert "p rules" in shown
    assert session.tools.edit("p/a.py", "two", "three") == "Replaced 1 occurrence in 'p/a.py'."
    session.tools.write("p/q/new.py", "new")
    session.tools.write("p/a.py", "")
    assert (moto_bucket.get("repo/p/a.py"), moto_bucket.get("repo/p/q/new.py")) == (b"", b"new")


def test_long_files_are_shown_in_part(opened: Open, moto_bucket: Any) -> None:
    """A long object is shown up to the bound, and the last line says how to go on."""
    moto_bucket.put("repo/long.txt", "".join(f"line {n}\n" for n in range(1, 5_001)))
    tools = opened(moto_bucket).tools
    first = tools.read("long.txt")
    assert "\tline 2000\n" in first
    assert "\tline 2001\n" not in first
    assert "offset" in first.splitlines()[-1]
    assert "\tline 4999\n" in tools.read("long.txt", offset=4_999)


def test_what_was_not_seen_is_not_overwritten(opened: Open, moto_bucket: Any) -> None:
    """Neither a file that was not read nor one that changed since is written, and one that went is not edited."""
    moto_bucket.put("repo/a", "one")
    tools = opened(moto_bucket).tools
    with pytest.raises(NotObservedError):
        tools.edit("a", "one", "two")
    with pytest.raises(NotObservedError):
        tools.write("a", "two")
    tools.read("a")
    moto_bucket.put("repo/a", "one, by somebody else")
    with pytest.raises(StaleVersionError):
        tools.edit("a", "one", "two")
    with pytest.raises(StaleVersionError):
        tools.write("a", "two")
    assert moto_bucket.get("repo/a") == b"one, by somebody else"
    tools.read("a")
    moto_bucket.delete("repo/a")
    with pytest.raises((StaleVersionError, NotFoundError)):
        tools.edit("a", "one", "two")
    assert moto_bucket.names() == []


def session_on(bucket: Any, sdk: Any, **options: Any) -> Session:
    """A session of a workspace of its own."""
    fs = S3FileSystem(**{**bucket.store.options(), "session": sdk, **options})
    return Workspace(fs, bucket.path("repo"), max_bytes=65_536, home=f"s3://{bucket.path('home')}").session("s")


def test_eight_sessions_lose_no_increment(bucket: Any, sdk: Any) -> None:
    """Eight sessions that each add one ten times by `edit`, reading again whenever refused, end at eighty."""
    bucket.put("repo/counter", "n=0.")
    sessions = [session_on(bucket, sdk) for _ in range(WRITERS)]

    def increment(session: Session) -> int:
        refusals = done = 0
        while done < INCREMENTS:
            shown = session.tools.read("counter")
            number = int(shown.partition("n=")[2].partition(".")[0])
            try:
                session.tools.edit("counter", f"n={number}.", f"n={number + 1}.")
            except StaleVersionError:
                refusals += 1
                time.sleep(random.uniform(0, 0.4))  # noqa: S311 - so that the writers get out of step
            else:
                done += 1
        return refusals

    with ThreadPoolExecutor(WRITERS) as pool:
        refusals = list(pool.map(increment, sessions))
    assert (bucket.get("repo/counter"), sum(refusals) > 0) == (b"n=80.", True)


def test_edits_on_a_heedless_store_are_refused(heedless_store: Any, bucket_of: Any, sdk: Any) -> None:
    """On a store that ignores conditions an edit is refused, and the object stays as it was."""
    bucket = bucket_of(heedless_store)
    bucket.put("repo/a", "one")
    # This store spoils the SDK's default check of partial replies.
    config = {"response_checksum_validation": "when_required"}
    tools = session_on(bucket, sdk, config_kwargs=config).tools
    tools.read("a")
    with pytest.raises(GuardUnsupportedError, match="conditional writes"):
        tools.edit("a", "one", "two")
    assert bucket.get("repo/a") == b"one"


def test_an_unreachable_store_is_a_typed_error(moto_bucket: Any, sdk: Any) -> None:
    """Where nobody listens, a tool raises an error of the library that says so, from threads and from loops."""
    session = session_on(moto_bucket, sdk, endpoint_url=f"http://127.0.0.1:{free_ports(1)[0]}")
    session.workspace.address.fs.retries = 1
    with pytest.raises(FileInputOutputError):
        session.tools.read("a")
    with pytest.raises(FileInputOutputError):
        asyncio.run(session.tools.aread("a"))
    assert session.prefix() is None
    assert session.stats.unavailable > 0
