"""Fixtures of the provider tests."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

NOBODY = 65_534


@pytest.fixture
def common(tmp_path: Path) -> Iterator[Path]:
    """A directory that every user can enter, unlike pytest's own."""
    directory = Path(tempfile.mkdtemp(prefix="guidefs-test-"))
    directory.chmod(0o777)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def unprivileged() -> Callable[[], AbstractContextManager[None]]:
    """A context in which root, too, is subject to permissions."""

    @contextmanager
    def context() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    return context


@pytest.fixture
def settle() -> Callable[[], None]:
    """A wait after which no timestamp of an earlier write is too fresh to be trusted."""
    return lambda: time.sleep(0.025)
