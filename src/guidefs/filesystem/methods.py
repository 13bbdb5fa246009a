"""The methods of the wrapper, made from the table in both their halves."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from functools import partial, wraps
from typing import Any

from fsspec.asyn import AsyncFileSystem
from fsspec.spec import AbstractFileSystem

from guidefs.filesystem.arguments import Call
from guidefs.filesystem.observation import Observation
from guidefs.filesystem.opening import opened, opened_async
from guidefs.filesystem.operations import OPERATIONS, FileOperation, Found

__all__ = ["asynchronous_half", "generated_methods", "synchronous_half"]


def generated_methods() -> dict[str, Callable[..., Any]]:
    """Every method of the wrapper that the table asks for, by name, with fsspec's own signatures and docstrings."""
    methods: dict[str, Callable[..., Any]] = {}
    for operation in OPERATIONS:
        name = operation.method
        if operation.found is Found.MODE:
            methods[name] = _open_async(name) if name == "open_async" else _open(name)
            continue
        if template := getattr(AbstractFileSystem, name, None):
            methods[name] = wraps(template)(synchronous_half(operation))
        if template := getattr(AsyncFileSystem, f"_{name}", None):
            generates = inspect.isasyncgenfunction(template)
            methods[f"_{name}"] = wraps(template)(_generator(name) if generates else asynchronous_half(operation))
    return methods


def synchronous_half(operation: FileOperation) -> Callable[..., Any]:
    """The method that calls the synchronous method of the inner filesystem.

    Args:
        operation: the row of the method.
    """
    name = operation.method

    def passed(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.fs, name)(*args, **kwargs)

    def observed(self: Any, *args: Any, **kwargs: Any) -> Any:
        function = getattr(self.fs, name)
        sink = self._sink()
        if sink is None:
            return function(*args, **kwargs)
        observation = Observation(self.fs, sink, operation, Call(function, args, kwargs))
        answer = function(*observation.call.args, **observation.call.kwargs)
        observation.succeed(answer)
        return answer

    return observed if operation.observed else passed


def asynchronous_half(operation: FileOperation) -> Callable[..., Any]:
    """The coroutine method that awaits the asynchronous method of the inner filesystem.

    Where that has no coroutines its synchronous method is run in a worker thread, context variables included. The
    call to report to is asked for when the coroutine is first awaited.

    Args:
        operation: the row of the method.
    """
    bridge = operation.bridge or operation.method

    def target(self: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
        if self._native:
            function = getattr(self.fs, f"_{operation.method}")
            return function, function
        function = getattr(self.fs, bridge)
        return partial(_in_thread, function), function

    async def passed(self: Any, *args: Any, **kwargs: Any) -> Any:
        return await target(self)[0](*args, **kwargs)

    async def observed(self: Any, *args: Any, **kwargs: Any) -> Any:
        function, original = target(self)
        sink = self._sink()
        if sink is None:
            return await function(*args, **kwargs)
        observation = Observation(self.fs, sink, operation, Call(original, args, kwargs))
        answer = await function(*observation.call.args, **observation.call.kwargs)
        observation.succeed(answer)
        return answer

    return observed if operation.observed else passed


async def _in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    kwargs.pop("batch_size", None)  # only the asynchronous methods of fsspec work in batches
    return await asyncio.to_thread(function, *args, **kwargs)


def _generator(name: str) -> Callable[..., Any]:
    async def passed(self: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        if self._native:
            async for item in getattr(self.fs, f"_{name}")(*args, **kwargs):
                yield item
            return
        items = iter(getattr(self.fs, name)(*args, **kwargs))
        end = object()
        while (item := await asyncio.to_thread(next, items, end)) is not end:
            yield item

    return passed


def _open(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        function = getattr(self.fs, name)
        sink = self._sink()
        if sink is None:
            return function(*args, **kwargs)
        return opened(self, sink, Call(function, args, kwargs), layered=name == "open")

    return wraps(getattr(AbstractFileSystem, name))(method)


def _open_async(name: str) -> Callable[..., Any]:
    template = getattr(AsyncFileSystem, name)

    async def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        function = getattr(self.fs, name) if self._native else partial(template, self)
        sink = self._sink()
        if sink is None:
            return await function(*args, **kwargs)
        return await opened_async(self, sink, Call(function, args, kwargs))

    return wraps(template)(method)
