"""The observation of a tool that runs commands, whose accesses no path of its arguments tells."""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from guidefs.tools.decorator import concluded, is_async, refuse_coroutine, refuse_generator
from guidefs.watch.sweep import Swept

if TYPE_CHECKING:
    from guidefs.tools.host import ToolCall, ToolHost

__all__ = ["Sweep", "observed_shell"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Sweep = Callable[[int], Swept]
"""Finds what changed since a moment, in nanoseconds since the epoch."""

_WHATEVER = "*"
"""Stands for what changed in a directory: only the directory counts."""

_log = logging.getLogger("guidefs")


def observed_shell(
    host: ToolHost, sweep: Sweep
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Make the decorator `session.shell`: what changed while the function ran counts as touched when it returns.

    Args:
        host: the session.
        sweep: finds what changed.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        refuse_generator(function)
        wrapped = (
            _async_wrapper(host, cast(Callable[Parameters, Awaitable[object]], function), sweep)
            if is_async(function)
            else _sync_wrapper(host, function, sweep)
        )
        return cast(Callable[Parameters, Result], wrapped)

    return decorate


def _sync_wrapper(host: ToolHost, function: Callable[Parameters, object], sweep: Sweep) -> Callable[Parameters, object]:
    @functools.wraps(function)
    def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> object:
        since = time.time_ns()
        with host.observing("write", ".") as call:
            result = function(*args, **kwargs)
            refuse_coroutine(result, getattr(function, "__name__", repr(function)))
            _touch(call, sweep(since))
        return concluded(host, call, result)

    return wrapper


def _async_wrapper(
    host: ToolHost, function: Callable[Parameters, Awaitable[object]], sweep: Sweep
) -> Callable[Parameters, Awaitable[object]]:
    @functools.wraps(function)
    async def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> object:
        since = time.time_ns()
        async with host.observing("write", ".") as call:
            result = await function(*args, **kwargs)
            _touch(call, await asyncio.to_thread(sweep, since))
        return concluded(host, call, result)

    return wrapper


def _touch(call: ToolCall, swept: Swept) -> None:
    if not swept.complete:
        _log.warning(
            "a command changed more than is looked at; %d directories count as touched", len(swept.directories)
        )
    for directory in swept.directories:
        call.touch(f"{directory}/{_WHATEVER}", "write")
