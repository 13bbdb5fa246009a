"""The observation of tool functions that someone already has."""

from __future__ import annotations

import asyncio
import functools
import inspect
import pathlib
import typing
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from guidefs.errors import ConfigurationError, UsageError
from guidefs.tools import observed_tool

if TYPE_CHECKING:
    from tests.tools.conftest import MemoryHost, Mode

    from guidefs.values.touch import Operation

Tool = Callable[..., Any]


@pytest.fixture
def call(mode: Mode) -> Callable[..., Any]:
    """Decorate a plain function, or its `async` twin, and call it."""

    def run(tool: Callable[[Tool], Tool], function: Tool, *args: object, **kwargs: object) -> object:
        if mode == "sync":
            return tool(function)(*args, **kwargs)

        @functools.wraps(function)
        async def twin(*args: object, **kwargs: object) -> object:
            await asyncio.sleep(0)
            return function(*args, **kwargs)

        return asyncio.run(tool(twin)(*args, **kwargs))

    return run


def show(path: str, limit: int = 10) -> str:
    """Show a file."""
    return f"{path} up to {limit}"


@pytest.mark.parametrize(
    ("args", "kwargs"), [(("a",), {}), (("a", 5), {}), ((), {"path": "a"}), ((), {"limit": 5, "path": "a"})]
)
def test_path_in_any_way_of_calling(
    host: MemoryHost, call: Tool, args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    """The path is found by position or by keyword, and the function gets its arguments as they were."""
    assert call(observed_tool(host), show, *args, **kwargs) == show(*args, **kwargs)  # type: ignore[arg-type] # a table
    assert host.touches == [("read", "a")]


def test_default_path(host: MemoryHost, call: Tool) -> None:
    """A path that is left out is the default one."""

    def notes(path: str = "NOTES.md") -> str:
        return path

    call(observed_tool(host), notes)
    assert host.touches == [("read", "NOTES.md")]


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ("a", ["a"]),
        (b"a\xff", ["a\udcff"]),
        (pathlib.PurePosixPath("d/a"), ["d/a"]),
        (["a", "b"], ["a", "b"]),
        (("a", pathlib.PurePosixPath("b")), ["a", "b"]),
        ({"a"}, ["a"]),
        ([], []),
        (None, []),
        (["a", None], ["a"]),
    ],
)
def test_values_of_a_path_parameter(host: MemoryHost, call: Tool, value: object, paths: list[str]) -> None:
    """A path parameter may hold a path of any kind, several paths, or none."""

    def tool(path: object) -> str:
        return "done"

    assert call(observed_tool(host), tool, value) == "done"
    assert [path for _, path in host.touches] == paths


def test_variable_arguments(host: MemoryHost, call: Tool) -> None:
    """The paths may be what a starred parameter gathers."""

    def tool(*paths: str) -> str:
        return "done"

    call(observed_tool(host, path="paths"), tool, "a", "b")
    assert [path for _, path in host.touches] == ["a", "b"]


@pytest.mark.parametrize(
    ("operation", "touches"),
    [
        ("edit", [("edit", "a"), ("edit", "b")]),
        ({"src": "read", "dst": "write"}, [("read", "a"), ("write", "b")]),
        ({"dst": "write", "src": "edit"}, [("edit", "a"), ("write", "b")]),
    ],
)
def test_several_paths(
    host: MemoryHost,
    call: Tool,
    operation: Operation | dict[str, Operation],
    touches: list[tuple[str, str]],
) -> None:
    """Several parameters may take paths, with one operation for all or one for each."""

    def copy(src: str, dst: str) -> str:
        return "copied"

    call(observed_tool(host, path=["src", "dst"], operation=operation), copy, dst="b", src="a")
    assert host.touches == touches


def test_list_is_taken_as_it_was_given(host: MemoryHost, call: Tool) -> None:
    """A function that empties its list has still accessed what was in it."""

    def take(path: list[str]) -> int:
        taken = len(path)
        path.clear()
        return taken

    call(observed_tool(host), take, ["a", "b"])
    assert [path for _, path in host.touches] == ["a", "b"]


def test_text_follows_a_string(host: MemoryHost, call: Tool) -> None:
    """Outside an open call the text of the tool's own call follows a string after an empty line."""
    host.news = "news"
    assert call(observed_tool(host), show, "a") == "a up to 10\n\nnews"
    assert host.kept == []


def test_empty_string_is_followed_by_nothing_empty(host: MemoryHost, call: Tool) -> None:
    """An empty result becomes the text alone."""
    host.news = "news"
    assert call(observed_tool(host), lambda path: "", "a") == "news"


@pytest.mark.parametrize("result", [{"content": "x"}, None, 5, b"x", ["x"]])
def test_other_results_stay(host: MemoryHost, call: Tool, result: object) -> None:
    """A result that is no string is returned as the very object, and the session keeps the text."""
    host.news = "news"
    assert call(observed_tool(host), lambda path: result, "a") is result
    assert host.kept == ["news"]


@pytest.mark.parametrize("result", ["text", 5])
def test_inside_a_call_it_only_touches(host: MemoryHost, call: Tool, result: object) -> None:
    """Inside an open call the result is the very object, and the call has the text."""
    host.news = "news"
    host.inside_call = True
    assert call(observed_tool(host), lambda path: result, "a") is result
    assert (host.touches, host.kept) == ([("read", "a")], [])


def test_raising_function_touches_nothing(host: MemoryHost, call: Tool) -> None:
    """The exception of the function comes through, and no access counts."""
    failure = LookupError("no such thing")

    def fail(path: str) -> str:
        raise failure

    with pytest.raises(LookupError) as caught:
        call(observed_tool(host), fail, "a")
    assert caught.value is failure
    assert (host.touches, host.running) == ([], 0)


def test_cancelled_function_touches_nothing(host: MemoryHost) -> None:
    """Cancellation comes through, and no access counts."""

    @observed_tool(host)
    async def hang(path: str) -> str:
        await asyncio.Event().wait()
        return path

    async def scenario() -> None:
        async with asyncio.timeout(0):
            await hang("a")

    with pytest.raises(TimeoutError):
        asyncio.run(scenario())
    assert (host.touches, host.running) == ([], 0)


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), (("a", 1, 2), {}), (("a",), {"path": "b"}), ((), {"file": "a"})]
)
def test_arguments_that_do_not_fit(
    host: MemoryHost, call: Tool, args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    """Arguments that the function does not take are the usual `TypeError`."""
    with pytest.raises(TypeError):
        call(observed_tool(host), show, *args, **kwargs)
    assert host.touches == []


@pytest.mark.parametrize("value", [5, {"a": b""}, [["a"], 5], object()])
def test_argument_that_is_no_path(host: MemoryHost, call: Tool, value: object) -> None:
    """Something that is no path is refused before the function runs, naming parameter and type."""
    ran: list[object] = []

    def tool(path: object) -> None:
        ran.append(path)

    with pytest.raises(UsageError, match=r"^the argument 'path' of tool is of type \w+: a path parameter takes"):
        call(observed_tool(host), tool, value)
    assert ran == []


def test_everything_a_schema_is_made_of_is_kept(host: MemoryHost, mode: Mode) -> None:
    """Name, docstring, module, annotations, signature and kind of function are those of the function."""

    async def ashow(path: str, limit: int = 10) -> str:
        """Show a file."""
        return path

    original: Tool = show if mode == "sync" else ashow
    tool = observed_tool(host)(original)
    assert (tool.__name__, tool.__qualname__, tool.__module__) == (
        original.__name__,
        original.__qualname__,
        original.__module__,
    )
    assert tool.__doc__ == "Show a file."
    assert inspect.signature(tool, follow_wrapped=False) == inspect.signature(original)
    assert typing.get_type_hints(tool) == {"path": str, "limit": int, "return": str}
    assert inspect.iscoroutinefunction(tool) is (mode == "async")


def test_method(host: MemoryHost) -> None:
    """A method in a class body may be decorated."""

    class Tools:
        @observed_tool(host)
        def show(self, path: str) -> str:
            return f"{type(self).__name__} {path}"

    assert Tools().show("a") == "Tools a"
    assert host.touches == [("read", "a")]


def test_object_that_is_called_like_an_async_function(host: MemoryHost) -> None:
    """An object with an `async` call is awaited, as is a partial application of an `async` function."""

    class Show:
        async def __call__(self, path: str) -> str:
            return f"shown {path}"

    async def prefixed(prefix: str, path: str) -> str:
        return prefix + path

    assert asyncio.run(observed_tool(host)(Show())("a")) == "shown a"
    assert asyncio.run(observed_tool(host)(functools.partial(prefixed, "b/"))(path="a")) == "b/a"
    assert host.touches == [("read", "a"), ("read", "a")]


@pytest.mark.parametrize("names", ["file", ["path", "file"]])
def test_unknown_parameter(host: MemoryHost, names: str | list[str]) -> None:
    """A parameter that the function does not have is refused at once, naming those that it has."""
    with pytest.raises(ConfigurationError, match=r"^show has no parameter 'file': use one of path, limit\.$"):
        observed_tool(host, path=names)(show)


def test_function_without_parameters(host: MemoryHost) -> None:
    """The refusal is worded for a function that has no parameters."""
    with pytest.raises(ConfigurationError, match=r"use one of \(it has none\)"):
        observed_tool(host)(lambda: "x")


@pytest.mark.parametrize(
    ("path", "operation", "message"),
    [
        ([], "read", r"^path is \[\]: name the parameter that takes the path"),
        ("path", "delete", "^the operation of 'path' is 'delete': use one of read, write, edit"),
        ("path", {"file": "read"}, r"^operation names \['file'\], but path names \['path'\]"),
        (["a", "b"], {"a": "read"}, r"^operation names \['a'\], but path names \['a', 'b'\]"),
    ],
)
def test_settings_that_do_not_fit(host: MemoryHost, path: Any, operation: Any, message: str) -> None:
    """Settings that cannot be meant are refused at once, with what can be used."""
    with pytest.raises(ConfigurationError, match=message):
        observed_tool(host, path=path, operation=operation)


def test_generators_are_refused(host: MemoryHost) -> None:
    """A generator's work is not done when it returns, so it is refused at once."""

    def lines(path: str) -> Iterator[str]:
        yield path

    async def alines(path: str) -> AsyncIterator[str]:
        yield path

    for function in (lines, alines):
        with pytest.raises(UsageError, match=f"^{function.__name__} is a generator"):
            observed_tool(host)(function)


def test_plain_function_that_returns_a_coroutine(host: MemoryHost) -> None:
    """A plain function that hides a coroutine is refused before the coroutine runs."""
    ran: list[str] = []

    async def work(path: str) -> None:
        ran.append(path)

    def hidden(path: str) -> object:
        return work(path)

    tool = observed_tool(host)(hidden)
    with pytest.raises(UsageError, match=r"^hidden is a plain function that returned a coroutine: declare it with"):
        tool("a")
    assert (ran, host.touches) == ([], [])


def test_object_without_a_signature(host: MemoryHost) -> None:
    """Something that tells no signature is refused at once, saying what to do."""
    with pytest.raises(UsageError, match=r"^dict tells no signature .*: wrap it in a function"):
        observed_tool(host)(dict)
