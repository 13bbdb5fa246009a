"""Comparisons that do not depend on who runs the tests."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["ensure", "expect", "expect_failure"]


def expect(actual: object, expected: object, what: str) -> None:
    """Compare, independently of how the tests are run.

    Args:
        actual: what was found.
        expected: what it has to equal.
        what: what is compared, for the message.

    Raises:
        AssertionError: they differ.
    """
    if actual != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {actual!r}")


def ensure(condition: object, what: str) -> None:
    """Check that something holds.

    Args:
        condition: what has to be true.
        what: what it says, for the message.

    Raises:
        AssertionError: it is not.
    """
    if not condition:
        raise AssertionError(f"it does not hold that {what}")


def expect_failure(kind: type[Exception], function: Callable[[], object], what: str) -> Exception:
    """Call a function that has to fail, and return how it did.

    Raises:
        AssertionError: it did not fail, or otherwise.
    """
    try:
        result = function()
    except kind as error:
        return error
    except Exception as error:
        raise AssertionError(f"{what}: expected {kind.__name__}, got {type(error).__name__}: {error}") from error
    raise AssertionError(f"{what}: expected {kind.__name__}, got {result!r}")
