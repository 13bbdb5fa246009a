"""The comparison of a wrapped filesystem with its inner one in suites that were written for any filesystem."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_failing_alone: set[str] = set()
"""The tests that an unwrapped filesystem fails, without the parameter that says which twin is tested."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "differential(*tests): these tests run on `inner` first, and `wrapped` may fail where that was seen to fail",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Test an unwrapped filesystem only where it is said to fail, which has to be shown."""
    alone = [item for item in items if _is_alone(item) and getattr(item, "originalname", "") not in _excuses(item)]
    config.hook.pytest_deselected(items=alone)
    items[:] = [item for item in items if item not in alone]


def _is_alone(item: pytest.Item) -> bool:
    call = getattr(item, "callspec", None)
    return item.path.is_relative_to(_HERE) and call is not None and call.params.get("fs") == "inner"


def _excuses(item: pytest.Item) -> set[str]:
    marker = item.get_closest_marker("differential")
    return set() if marker is None else set(marker.args)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Excuse a wrapped filesystem from the tests that its inner one fails."""
    report = yield
    if report.when != "call" or report.outcome != "failed" or item.get_closest_marker("differential") is None:
        return report
    twin = item.nodeid.replace("wrapped", "inner")
    if "inner" in item.nodeid:
        _failing_alone.add(twin)
    if twin in _failing_alone:
        report.outcome = "skipped"
        report.wasxfail = "reason: the inner filesystem fails it by itself"
    return report


@pytest.fixture(scope="session")
def event_loop_runner() -> Iterator[asyncio.Runner]:
    """The one event loop of the suites, because clients of object stores belong to a loop."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the coroutine tests of foreign suites, which bring no plugin along."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    runner: asyncio.Runner = pyfuncitem._request.getfixturevalue("event_loop_runner")
    runner.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
