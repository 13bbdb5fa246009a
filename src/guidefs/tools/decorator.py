"""The observation of a tool function that someone already has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from guidefs.errors import UsageError
from guidefs.tools.attachment import attached
from guidefs.tools.path_argument import Access, PathArguments, path_operations

if TYPE_CHECKING:
    from guidefs.tools.host import Observing, ToolCall, ToolHost
    from guidefs.values.touch import Operation

__all__ = ["concluded", "is_async", "observed_tool", "refuse_coroutine", "refuse_generator"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def observed_tool(
    host: ToolHost,
    *,
    path: str | Sequence[str] = "path",
    operation: Operation | Mapping[str, Operation] = "read",
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Make the decorator `session.tool`.

    A decorated function does what it did, with the same signature, annotations, name and docstring. When it
    returns, each of its paths counts as accessed; when it raises, none does. Outside an open call of the session, the
    instructions that became relevant follow a result that is a string, after an empty line; a result of another type
    stays what it is, and the session's `take()` has the instructions.

    The decorator raises `ConfigurationError` for a parameter that the function does not have, and `UsageError` for
    what cannot be observed: a generator (its work is not done when it returns) or something that tells no signature.

    Args:
        host: the session.
        path: the parameter that takes a path, or a list, tuple or set of paths, or `None` for no path; a sequence of
            names if there are several.
        operation: what the function does to its paths; a mapping from parameter to operation if they differ.

    Raises:
        ConfigurationError: `operation` is none of read, write and edit, or does not fit the names in `path`.
    """
    operations = path_operations(path, operation)

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        refuse_generator(function)
        arguments = PathArguments(function, operations)
        wrapped = (
            _async_wrapper(host, cast(Callable[Parameters, Awaitable[object]], function), arguments)
            if is_async(function)
            else _sync_wrapper(host, function, arguments)
        )
        vars(wrapped)["__signature__"] = arguments.signature
        return cast(Callable[Parameters, Result], wrapped)

    return decorate


def _sync_wrapper(
    host: ToolHost, function: Callable[Parameters, object], arguments: PathArguments
) -> Callable[Parameters, object]:
    @functools.wraps(function)
    def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> object:
        accesses = arguments.accesses(args, kwargs)
        with _observing(host, accesses) as call:
            result = function(*args, **kwargs)
            refuse_coroutine(result, arguments.name)
            _touch(call, accesses)
        return concluded(host, call, result)

    return wrapper


def _async_wrapper(
    host: ToolHost, function: Callable[Parameters, Awaitable[object]], arguments: PathArguments
) -> Callable[Parameters, Awaitable[object]]:
    @functools.wraps(function)
    async def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> object:
        accesses = arguments.accesses(args, kwargs)
        async with _observing(host, accesses) as call:
            result = await function(*args, **kwargs)
            _touch(call, accesses)
        return concluded(host, call, result)

    return wrapper


def _observing(host: ToolHost, accesses: tuple[Access, ...]) -> Observing:
    first = accesses[0] if accesses else Access("", "read")
    return host.observing(first.operation, first.path)


def _touch(call: ToolCall, accesses: tuple[Access, ...]) -> None:
    for access in accesses:
        call.touch(access.path, access.operation)


def concluded(host: ToolHost, call: ToolCall, result: object) -> object:
    """The result of a tool with the instructions that it brought, or as it is where they find no place in it."""
    if not call.text:
        return result
    if isinstance(result, str):
        return attached(result, call.text)
    host.keep(call)
    return result


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a function, or an object that is called like one, is `async`."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - the method itself is looked at, not whether there is one
    )


def refuse_generator(function: Callable[..., Any]) -> None:
    """Refuse a function whose work is not done when it returns.

    Raises:
        UsageError: it is a generator.
    """
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise UsageError(
            f"{function.__name__} is a generator: decorate a function that returns its whole result instead."
        )


def refuse_coroutine(result: object, name: str) -> None:
    """Refuse the result of a plain function that leaves the work to a coroutine, before the work begins.

    Raises:
        UsageError: the result is a coroutine.
    """
    if inspect.iscoroutine(result):
        result.close()
        raise UsageError(f"{name} is a plain function that returned a coroutine: declare it with `async def`.")
