"""Where a tool function has its paths, found by parameter name in any way of calling it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from guidefs.errors import ConfigurationError, UsageError
from guidefs.values.touch import Operation

__all__ = ["Access", "PathArguments", "path_operations"]

_OPERATIONS: tuple[Operation, ...] = get_args(Operation)


@dataclass(frozen=True, slots=True)
class Access:
    """What one call of a tool function does to one path.

    Args:
        path: the path as the caller gave it.
        operation: what the function does to it.
    """

    path: str
    operation: Operation


def path_operations(path: str | Sequence[str], operation: Operation | Mapping[str, Operation]) -> dict[str, Operation]:
    """The operation of each path parameter, in the order of the parameters given.

    Args:
        path: the name of the parameter that takes the path, or several names.
        operation: what the function does to its paths, or a mapping with one entry a parameter.

    Raises:
        ConfigurationError: no parameter is named, the mapping names others than `path`, or an operation is none of
            read, write and edit.
    """
    names = (path,) if isinstance(path, str) else tuple(path)
    if not names:
        raise ConfigurationError(f"path is {path!r}: name the parameter that takes the path.")
    operations = dict(operation) if isinstance(operation, Mapping) else dict.fromkeys(names, operation)
    if set(operations) != set(names):
        raise ConfigurationError(
            f"operation names {sorted(operations)!r}, but path names {sorted(names)!r}: give one operation for each."
        )
    for name, value in operations.items():
        if value not in _OPERATIONS:
            raise ConfigurationError(f"the operation of {name!r} is {value!r}: use one of {', '.join(_OPERATIONS)}.")
    return {name: operations[name] for name in names}


class PathArguments:
    """The path parameters of one function.

    Args:
        function: the function.
        operations: the operation of each path parameter.

    Raises:
        UsageError: the function tells no signature.
        ConfigurationError: the function has no parameter of a name.
    """

    def __init__(self, function: Callable[..., Any], operations: Mapping[str, Operation]) -> None:
        self.name = getattr(function, "__name__", repr(function))
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"{self.name} tells no signature ({error}): wrap it in a function whose parameters are named."
            ) from error
        self._operations = dict(operations)
        available = list(self.signature.parameters)
        for name in self._operations:
            if name not in available:
                raise ConfigurationError(
                    f"{self.name} has no parameter {name!r}: use one of {', '.join(available) or '(it has none)'}."
                )

    def accesses(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Access, ...]:
        """What a call with these arguments does to which paths, defaults included.

        Raises:
            TypeError: the arguments do not fit the signature.
            UsageError: a path argument holds something that is no path.
        """
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(
            Access(path, operation)
            for name, operation in self._operations.items()
            for path in self._paths(name, bound.arguments[name])
        )

    def _paths(self, name: str, value: object) -> Iterator[str]:
        """The paths in one argument; it is looked at before the call, which may change a list that it got.

        Raises:
            UsageError: there is something in it that is no path.
        """
        match value:
            case None:
                return
            case str() | bytes() | os.PathLike():
                yield os.fsdecode(value)
            case list() | tuple() | set() | frozenset():
                for item in value:
                    yield from self._paths(name, item)
            case _:
                raise UsageError(
                    f"the argument {name!r} of {self.name} is of type {type(value).__name__}: "
                    "a path parameter takes a path, or a list, tuple or set of paths, or None."
                )
