"""The comparison of a wrapped filesystem with its inner one in suites that were written for any filesystem."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Generator, Iterator

import pytest

_failing_alone: set[str] = set()
"""The tests that an unwrapped filesystem was seen to fail."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "differential(*tests): these tests run on `inner` first; `wrapped` may fail where that was seen to fail",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test on the wrapped filesystem, those that the inner one is said to fail on that one too."""
    if "twin" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("differential")
        alone = marker is not None and metafunc.definition.originalname in marker.args
        metafunc.parametrize("twin", ["inner", "wrapped"] if alone else ["wrapped"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Excuse a wrapped filesystem from the tests that its inner one fails."""
    report = yield
    call = getattr(item, "callspec", None)
    if report.when != "call" or report.outcome != "failed" or call is None or "twin" not in call.params:
        return report
    if call.params["twin"] == "inner":
        _failing_alone.add(item.nodeid)
    if item.nodeid.replace("wrapped", "inner") in _failing_alone:
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
