"""How the touched paths of one finished operation are found."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from glob import has_magic
from typing import Any, Self

from fsspec.asyn import AsyncFileSystem
from fsspec.spec import AbstractFileSystem
from fsspec.utils import stringify_path

from guidefs.filesystem.operations import FileOperation, Found
from guidefs.values.touch import Operation, Touch

__all__ = ["Argument", "Call", "each_path", "is_local_directory", "located", "remembering", "touches_of"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a method of the inner filesystem.

    Args:
        function: the inner method; for an asynchronous half over a synchronous filesystem its synchronous one.
        args: the positional arguments.
        kwargs: the keyword arguments.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument, by its place in fsspec's own signature.

    Args:
        name: its name there.
        position: its 0-based position there, `self` left out.
    """

    name: str
    position: int

    def of(self, call: Call) -> Any:
        """The value in one call, or `None` where it was left out.

        A backend may have another name at the same position, as `LocalFileSystem.get_file(path1, path2)` has.
        """
        if len(call.args) > self.position:
            return call.args[self.position]
        if self.name in call.kwargs:
            return call.kwargs[self.name]
        return call.kwargs.get(_name_at(call.function, self.position))

    def replaced(self, call: Call, value: Any) -> Call:
        """The same call with another value for this argument."""
        if len(call.args) > self.position:
            args = (*call.args[: self.position], value, *call.args[self.position + 1 :])
            return Call(call.function, args, call.kwargs)
        name = self.name if self.name in call.kwargs else _name_at(call.function, self.position)
        return Call(call.function, call.args, {**call.kwargs, name if name in call.kwargs else self.name: value})


def _name_at(function: Callable[..., Any], position: int) -> str:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # methods of extension modules may show no signature
        return ""
    return names[position] if len(names) > position else ""


@cache
def _argument(method: str, name: str) -> Argument:
    """Look an argument up in fsspec's signature of a method; backend methods are taken to begin with it."""
    template = getattr(AbstractFileSystem, method, None) or getattr(AsyncFileSystem, f"_{method}", None)
    if template is None:
        return Argument(name, {"symlink": 1, "link": 1}.get(method, 0))
    return Argument(name, list(inspect.signature(template).parameters).index(name) - 1)


class _Remembered:
    """An iterator of paths that keeps what was taken from it, because it can be taken only once."""

    def __init__(self, paths: Iterator[Any]) -> None:
        self._paths = paths
        self.taken: list[Any] = []

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        path = next(self._paths)
        self.taken.append(path)
        return path


def remembering(operation: FileOperation, call: Call) -> Call:
    """The call to make so that its paths are still known when it has ended."""
    for name in filter(None, (operation.reads, operation.writes, operation.edits)):
        argument = _argument(operation.method, name)
        if isinstance(paths := argument.of(call), Iterator):
            call = argument.replaced(call, _Remembered(paths))
    return call


def each_path(value: Any) -> Iterable[Any]:
    """The paths in one argument: itself, its items, or its keys."""
    if isinstance(value, _Remembered):
        return value.taken
    if isinstance(value, Collection) and not isinstance(value, str | bytes | os.PathLike):
        return list(value)
    return () if value is None else (value,)


def touches_of(operation: FileOperation, call: Call, answer: Any) -> Iterator[Touch]:
    """Find what a finished operation touched, duplicates included.

    Paths are in the form in which the caller or the backend wrote them.

    Args:
        operation: the row of the method.
        call: the call that was made.
        answer: what it returned.
    """
    effects: tuple[tuple[str, Operation], ...] = (
        (operation.edits, "edit"),
        (operation.reads, "read"),
        (operation.writes, "write"),
    )
    if operation.edits and operation.writes and _stays_put(operation, call):
        return
    for name, effect in effects:
        if name:
            yield from (Touch(path, effect) for path in _found(operation, call, name, answer))


def located(fs: Any, touches: Iterable[Touch]) -> Iterator[Touch]:
    """Bring touches into the form that a filesystem uses for its own paths; what is no path is left out."""
    for touch in touches:
        path = stringify_path(touch.path)
        if isinstance(path, str):
            yield Touch(fs._strip_protocol(path), touch.operation)


def _stays_put(operation: FileOperation, call: Call) -> bool:
    """Whether a move has one path as source and destination, so that fsspec moves nothing."""
    source = _argument(operation.method, operation.edits).of(call)
    return bool(source == _argument(operation.method, operation.writes).of(call))


def _found(operation: FileOperation, call: Call, name: str, answer: Any) -> Iterable[Any]:
    given = _argument(operation.method, name).of(call)
    match operation.found:
        case Found.ANSWER_KEYS if isinstance(answer, Mapping):
            return [path for path, content in answer.items() if not isinstance(content, BaseException)]
        case Found.ANSWER_ITEMS:
            contents = zip(each_path(given), answer, strict=False)
            return [path for path, content in contents if not isinstance(content, BaseException)]
        case Found.TRANSFER:
            return () if is_local_directory(_argument(operation.method, operation.local).of(call)) else (given,)
        case Found.COPY if name == operation.writes:
            source = _argument(operation.method, operation.reads or operation.edits).of(call)
            return _destinations(source, given)
        case _:
            return each_path(given)


def _destinations(source: Any, target: Any) -> Iterable[Any]:
    """Where copies end up, as far as the arguments tell: in the target itself, or under their own names in it."""
    source, target = stringify_path(source), stringify_path(target)
    many = not isinstance(source, str) or has_magic(source)
    if not isinstance(target, str) or not (many or target.endswith("/")):
        return each_path(target)
    names = (str(stringify_path(path)).rstrip("/").rsplit("/", 1)[-1] for path in each_path(source))
    return [f"{target.rstrip('/')}/{name}" for name in names]


def is_local_directory(value: Any) -> bool:
    """Whether the local end of a transfer is a directory; open files and missing names are none."""
    return isinstance(value, str | os.PathLike) and os.path.isdir(value)
