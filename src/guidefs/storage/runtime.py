"""Where the coroutines of a provider run, seen from either side."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Awaitable, Callable
from typing import Any

from fsspec.asyn import get_loop, sync

from guidefs.errors import UsageError
from guidefs.storage.unwrap import is_caching, layers

__all__ = ["Runtime"]


class Runtime:
    """Runs coroutines of a provider where its filesystem lives.

    A filesystem that is async inside but used synchronously keeps its connections on fsspec's own loop, in a thread
    of its own; one made with `asynchronous=True` lives on the caller's loop.

    Args:
        filesystem: the filesystem that the provider was made from.
    """

    def __init__(self, filesystem: Any) -> None:
        chain = list(layers(filesystem))
        innermost = chain[-1]
        self._kind = type(filesystem).__name__
        self._asynchronous = any(getattr(layer, "asynchronous", False) is True for layer in chain)
        is_async = getattr(innermost, "async_impl", False) is True and not is_caching(innermost)
        self._owner = innermost if is_async and not self._asynchronous else None

    def check_sync(self) -> None:
        """Make sure that a synchronous call can work at all.

        Raises:
            UsageError: the filesystem was made for a running event loop, or this is fsspec's own loop.
        """
        if self._asynchronous:
            raise UsageError(
                f"a synchronous call over {self._kind}(asynchronous=True) can never work: use `async with` and the "
                "a-methods, or make the filesystem without asynchronous=True"
            )
        if self._owner is not None and _running_loop() is self._owner.loop:
            raise UsageError(
                f"a synchronous call on the event loop that serves {self._kind} would wait for itself: "
                "use `async with` and the a-methods"
            )

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a coroutine function to its end from an ordinary thread.

        Raises:
            UsageError: as `check_sync` does, or this is the loop that it would have to run on.
            CancelledError: the work was cancelled on its loop.
        """
        self.check_sync()
        loop = get_loop() if self._owner is None else self._owner.loop
        if _running_loop() is loop:
            raise UsageError("a synchronous call on fsspec's event loop would wait for itself: use the a-methods")
        outcome = sync(loop, _boxed, function, arguments)
        if outcome is None:  # all that `sync` tells of a cancelled coroutine
            raise concurrent.futures.CancelledError("the work was cancelled on the filesystem's event loop")
        return outcome[0]

    async def arun(self, function: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Await a coroutine function on the loop that its filesystem lives on; cancellation reaches it there."""
        loop = None if self._owner is None else self._owner.loop
        if loop is None or loop is asyncio.get_running_loop():
            return await function(*arguments)
        return (await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_boxed(function, arguments), loop)))[0]


async def _boxed(function: Callable[..., Awaitable[Any]], arguments: tuple[Any, ...]) -> tuple[Any]:
    return (await function(*arguments),)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
