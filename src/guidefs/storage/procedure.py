"""Procedures that say which filesystem calls they need, with one driver for each kind of filesystem.

A procedure is a generator: it yields a `Call`, and is sent the result or has the exception thrown into it. So the logic
is written once, whether the calls are awaited or not.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar, cast

__all__ = ["Call", "Procedure", "arun", "run"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a filesystem.

    Args:
        method: the public name; an async filesystem has the coroutine under this name with an underscore before it.
        path: the first positional argument.
        options: the keyword arguments.
        content: the second positional argument of a write, to which backends give different names. What else there
            is some backends order differently, so it goes by keyword.
    """

    method: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)
    content: bytes | None = None

    def on(self, method: Callable[..., Any]) -> Any:
        """Make the call with the method of one filesystem."""
        content = () if self.content is None else (self.content,)
        return method(self.path, *content, **self.options)


Procedure: TypeAlias = Generator[Call, Any, T]


def run(procedure: Procedure[T], filesystem: Any) -> T:
    """Run a procedure with the synchronous methods of a filesystem."""
    resume, value = procedure.send, None
    while True:
        try:
            call = resume(value)
        except StopIteration as stop:
            return cast(T, stop.value)
        try:
            resume, value = procedure.send, call.on(getattr(filesystem, call.method))
        except Exception as error:  # noqa: BLE001 - the procedure judges it
            resume, value = procedure.throw, error


async def arun(procedure: Procedure[T], filesystem: Any) -> T:
    """Run a procedure with the coroutines of an async filesystem."""
    resume, value = procedure.send, None
    while True:
        try:
            call = resume(value)
        except StopIteration as stop:
            return cast(T, stop.value)
        try:
            resume, value = procedure.send, await call.on(getattr(filesystem, f"_{call.method}"))
        except Exception as error:  # noqa: BLE001 - the procedure judges it
            resume, value = procedure.throw, error
