"""The two drivers that carry out the requests of a file tool."""

from __future__ import annotations

from concurrent.futures import CancelledError as FutureCancelledError
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, TypeVar, assert_never, cast

from guidefs.tools.request import ReadRequest, Reply, Request, StatRequest, Steps, WriteRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from guidefs.storage.provider import AsyncPrimitives, Primitives

__all__ = ["arun", "run"]

Result = TypeVar("Result")

_FAILURES = (OSError, FutureCancelledError)
"""What a primitive may raise to say that it failed; a bridge from an event loop raises the second when the work
there was cancelled. Everything else (wrong use, cancellation of this very task) passes by the tool."""


def run(steps: Steps[Result], primitives: Primitives) -> Result:
    """Carry out a procedure in an ordinary thread.

    Args:
        steps: the procedure; it is closed in the end, whatever happens.
        primitives: who answers the requests. What they raise as failure is raised inside the procedure.
    """
    with closing(steps):
        resume: Callable[[], Request] = partial(next, steps)
        while True:
            try:
                request = resume()
            except StopIteration as end:
                return cast(Result, end.value)
            try:
                reply = _answer(request, primitives)
            except _FAILURES as error:
                resume = partial(steps.throw, error)
            else:
                resume = partial(steps.send, reply)


async def arun(steps: Steps[Result], primitives: AsyncPrimitives) -> Result:
    """Carry out a procedure on an event loop as `run` does; cancellation closes it where it stands."""
    with closing(steps):
        resume: Callable[[], Request] = partial(next, steps)
        while True:
            try:
                request = resume()
            except StopIteration as end:
                return cast(Result, end.value)
            try:
                reply = await _aanswer(request, primitives)
            except _FAILURES as error:
                resume = partial(steps.throw, error)
            else:
                resume = partial(steps.send, reply)


def _answer(request: Request, primitives: Primitives) -> Reply:
    match request:
        case StatRequest(address):
            return primitives.stat(address)
        case ReadRequest(address, offset, max_bytes):
            return primitives.read(address, offset=offset, max_bytes=max_bytes)
        case WriteRequest(address, data, guard):
            return primitives.write(address, data, guard)
        case _:
            assert_never(request)


async def _aanswer(request: Request, primitives: AsyncPrimitives) -> Reply:
    match request:
        case StatRequest(address):
            return await primitives.astat(address)
        case ReadRequest(address, offset, max_bytes):
            return await primitives.aread(address, offset=offset, max_bytes=max_bytes)
        case WriteRequest(address, data, guard):
            return await primitives.awrite(address, data, guard)
        case _:
            assert_never(request)
