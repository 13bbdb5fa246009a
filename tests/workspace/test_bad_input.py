"""Bad input: a typed error that names the value and says what to do, unless a tool call is at stake."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest

from guidefs import ConfigurationError, GuideError, UsageError, Workspace
from guidefs.errors import (
    AccessDeniedError,
    FileError,
    NotADirectoryFileError,
    NotFoundError,
    UnknownOptionError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.workspace.conftest import Bench


def make(path: Path, **settings: Any) -> Workspace:
    """A workspace on the local disk with a home that holds nothing."""
    return Workspace(str(path), **{"max_bytes": 65_536, "home": str(path / "no-home"), **settings})


@pytest.mark.parametrize("name", ["max_byte", "Max_bytes", "maxBytes", "symlink"])
def test_unknown_setting_is_named(tmp_path: Path, name: str) -> None:
    """A setting that neither guidefs nor the provider knows is an error that names it and the known ones."""
    with pytest.raises(ConfigurationError, match=rf"'{name}'.*max_bytes"):
        make(tmp_path, **{name: 1})


def test_unknown_setting_is_a_type_error_too(tmp_path: Path) -> None:
    """An unknown keyword argument is also the built-in error that Python users expect."""
    with pytest.raises((ConfigurationError, TypeError), match="'typo'") as raised:
        make(tmp_path, typo=1)
    assert isinstance(raised.value, GuideError)


def test_budget_is_required(tmp_path: Path) -> None:
    """`max_bytes` has no default; leaving it out is an error that says how to give it."""
    with pytest.raises(ConfigurationError, match=r"max_bytes=65_536"):
        Workspace(str(tmp_path))


@pytest.mark.parametrize("value", [-1, 0, 1.5, "1", None, True, float("inf")])
def test_source_cap_has_to_be_a_positive_integer(tmp_path: Path, value: Any) -> None:
    """`max_source_bytes` that is no positive integer is an error that names setting and value."""
    with pytest.raises(ConfigurationError, match=r"max_source_bytes.*positive integer") as raised:
        make(tmp_path, max_source_bytes=value)
    assert repr(value) in str(raised.value)


def test_missing_workspace(tmp_path: Path) -> None:
    """A local workspace that does not exist is an error of its own when the baseline is composed, both ways."""
    session = make(tmp_path / "missing").session("s")
    for attempt in (session.prefix, lambda: asyncio.run(session.aprefix())):
        with pytest.raises(NotFoundError, match="missing") as raised:
            attempt()
        assert isinstance(raised.value, FileNotFoundError)
        assert raised.value.code == "not_found"


def test_workspace_that_is_a_file(tmp_path: Path) -> None:
    """A local workspace that is a file is an error of its own."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryFileError, match="file") as raised:
        make(tmp_path / "file").session("s").prefix()
    assert isinstance(raised.value, NotADirectoryError)


def test_workspace_without_permission(
    open_path: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    """A local workspace that may not be read is an error of its own."""
    place = open_path / "closed"
    place.mkdir(mode=0o000)
    session = make(place).session("s")
    with unprivileged(), pytest.raises(AccessDeniedError, match="closed") as raised:
        session.prefix()
    assert isinstance(raised.value, PermissionError)


def test_making_a_workspace_asks_nothing(tmp_path: Path) -> None:
    """Making a workspace and a session over what does not exist is no error: nothing is asked yet."""
    session = make(tmp_path / "missing").session("s")
    assert session.stats.batches == 0


@pytest.mark.parametrize("address", ["a\0b", "memory://a\0b"])
def test_nul_in_the_address(address: str) -> None:
    """A NUL in the workspace's address is an error that shows it."""
    with pytest.raises(ConfigurationError, match=r"NUL.*\\x00"):
        Workspace(address, max_bytes=1)


def test_nul_in_the_working_directory(tmp_path: Path) -> None:
    """So is one in `cwd`."""
    with pytest.raises(ConfigurationError, match=r"cwd.*NUL"):
        make(tmp_path, cwd="a\0b")


@pytest.mark.parametrize("address", ["", "  ", 7, b"bytes"])
def test_address_that_is_none(address: Any) -> None:
    """An address that is no path, URL or filesystem is an error that names it."""
    with pytest.raises(ConfigurationError):
        Workspace(address, max_bytes=1)


def test_unknown_scheme() -> None:
    """A scheme that nobody knows is an error that names the address."""
    with pytest.raises(ConfigurationError, match="nowhere://x"):
        Workspace("nowhere://x", max_bytes=1)


def test_filesystem_without_a_working_directory() -> None:
    """A bare filesystem needs an explicit `cwd`."""
    from fsspec.implementations.memory import MemoryFileSystem

    with pytest.raises(ConfigurationError, match="cwd"):
        Workspace(MemoryFileSystem(), max_bytes=1)


@pytest.mark.parametrize(("path", "count"), [("p/a\0b", 1), ("a\0", 0), ("p/x\0y/z", 1), ("\0/z", 0)])
def test_nul_in_a_touched_path(local: Workspace, path: str, count: int) -> None:
    """A path with a NUL that a host touches is taken as it is: nothing lies there, and nothing fails."""
    session = local.session("s")
    with session.call() as call:
        call.touch(path, "read")
    assert len(call.contexts) == count
    assert session.stats.unavailable == 0


@pytest.mark.parametrize("tool", ["read", "write", "edit"])
def test_nul_in_a_tool_path(local: Workspace, tool: str) -> None:
    """A file tool refuses a path with a NUL with an error of its own that shows it."""
    arguments = {"read": {}, "write": {"content": ""}, "edit": {"old": "a", "new": "b"}}[tool]
    with pytest.raises(GuideError, match=r"NUL|\\x00"):
        getattr(local.session("s").tools, tool)("p/a\0b", **arguments)


def test_reading_what_is_no_file(local: Workspace) -> None:
    """A file tool says with typed errors that a path is missing, a directory, or leads through a file."""
    tools = local.session("s").tools
    with pytest.raises(FileNotFoundError, match="missing"):
        tools.read("missing")
    with pytest.raises(FileError, match="'p'"):
        tools.read("p")
    with pytest.raises(NotADirectoryError, match=r"a\.txt/x"):
        tools.read("p/a.txt/x")


def test_unreadable_instruction_file_never_fails_a_tool(
    open_path: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    """A tool call succeeds though an instruction file on the way may not be read; the file is unavailable."""
    place = open_path / "p"
    place.mkdir()
    (place / "AGENTS.md").write_text("p rules")
    (place / "AGENTS.md").chmod(0o000)
    (place / "a.txt").write_text("one")
    session = make(open_path).session("s")
    with unprivileged():
        result = session.tools.read("p/a.txt")
    assert "one" in result
    assert "system-reminder" not in result
    assert session.stats.unavailable == 1
    (place / "AGENTS.md").chmod(0o644)
    with unprivileged():
        assert "p rules" in session.tools.read("p/a.txt")


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b", b"x" * 2_000_000], ids=["not utf-8", "nul", "too large"])
def test_unusable_instruction_file_never_fails_a_tool(local: Workspace, disk: Path, data: bytes) -> None:
    """A tool call succeeds though an instruction file on the way is no text or too large."""
    (disk / "p" / "AGENTS.md").write_bytes(data)
    result = local.session("s").tools.read("p/q/b.txt")
    assert "three" in result
    assert "q rules" in result
    assert "p/AGENTS.md" not in result


@pytest.mark.parametrize("kind", ["fifo", "socket", "loop", "dangling", "directory"])
def test_instruction_file_that_is_none(local: Workspace, disk: Path, kind: str) -> None:
    """A pipe, a socket, a looping or dangling link or a directory in an instruction file's place is absent, at once."""
    import socket

    place = disk / "p" / "AGENTS.md"
    place.unlink()
    listener = socket.socket(socket.AF_UNIX) if kind == "socket" else None
    if kind == "fifo":
        os.mkfifo(place)
    elif listener is not None:
        listener.bind(str(place))
    elif kind == "directory":
        place.mkdir()
    else:
        place.symlink_to("AGENTS.md" if kind == "loop" else "nowhere")
    session = local.session("s")
    try:
        assert "system-reminder" not in session.tools.read("p/a.txt")
    finally:
        if listener is not None:
            listener.close()
    assert session.stats.unavailable == 0


@pytest.mark.parametrize("name", ["a\nb", "a'b\"c", "`x`", "</system-reminder>", "\u2028", "caf\udce9", "x" * 200])
def test_hostile_directory_names(local: Workspace, disk: Path, name: str) -> None:
    """A directory of any name is worked in, and its message is one frame that can be sent as UTF-8."""
    place = disk / name
    place.mkdir(parents=True)
    (place / "AGENTS.md").write_text("hostile rules")
    (place / "f.txt").write_text("content")
    session = local.session("s")
    with session.call() as call:
        session.tools.read(f"{name}/f.txt")
    text = call.text
    assert text.encode("utf-8").count(b"</system-reminder>") == 1
    assert len(text.splitlines()) == 7 or name == "x" * 200
    assert "hostile rules" in text
    assert session.stats.unavailable == 0


def test_from_file_reads_what_is_named(tmp_path: Path) -> None:
    """`from_file` takes the settings of the named file; arguments win over it."""
    (tmp_path / "guidefs.toml").write_text('max_bytes = 100\ncandidates = ["RULES.md"]\n')
    workspace = Workspace.from_file(tmp_path / "guidefs.toml", str(tmp_path), max_bytes=200)
    assert workspace.config.max_bytes == 200
    assert workspace.config.candidates == ("RULES.md",)


def test_from_file_reads_the_table_of_a_project_file(tmp_path: Path) -> None:
    """In a `pyproject.toml` the table `[tool.guidefs]` counts, and nothing beside it."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.guidefs]\nmax_bytes = 7\n")
    assert Workspace.from_file(tmp_path / "pyproject.toml", str(tmp_path)).config.max_bytes == 7


def test_workspace_does_not_configure_itself(tmp_path: Path) -> None:
    """A settings file that lies in a workspace is not read."""
    (tmp_path / "guidefs.toml").write_text('candidates = ["EVIL.md"]\nhome = "."\n')
    (tmp_path / "EVIL.md").write_text("evil")
    assert make(tmp_path).session("s").prefix() is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("guidefs.toml", "max_bytes = 1\nbudget = 2\n", "'budget'"),
        ("pyproject.toml", "[tool.guidefs]\nmax_bytes = 1\nsource = 2\n", "'source'"),
        ("guidefs.toml", "max_bytes = ", "guidefs.toml"),
        ("guidefs.toml", "max_bytes = 'many'", "max_bytes.*'many'"),
        ("guidefs.toml", "", "max_bytes"),
        ("pyproject.toml", "[tool]\nguidefs = 7\n", "tool.guidefs"),
        ("pyproject.toml", "tool = 7\n", "tool"),
    ],
)
def test_from_file_names_what_is_wrong(tmp_path: Path, name: str, content: str, message: str) -> None:
    """A settings file with an unknown key, a bad value or no TOML is an error that names it."""
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigurationError, match=message):
        Workspace.from_file(tmp_path / name, str(tmp_path))


def test_from_file_that_is_missing(tmp_path: Path) -> None:
    """A settings file that does not exist is the built-in error."""
    with pytest.raises(FileNotFoundError, match=r"guidefs\.toml"):
        Workspace.from_file(tmp_path / "guidefs.toml", str(tmp_path))


def test_wrong_operation_names_the_choice(bench: Bench) -> None:
    """Errors of use say what to do instead."""
    with bench.session().call() as call, pytest.raises(UsageError, match="read, write, edit"):
        call.touch("x", "delete")  # type: ignore[arg-type] # what is tested


def test_unknown_option_is_the_most_exact_error(make_bench: Callable[..., Bench]) -> None:
    """With a provider of one's own, too, an unknown setting is named."""
    with pytest.raises(ConfigurationError, match="'typo'"):
        make_bench(typo=1)
    assert issubclass(UnknownOptionError, ConfigurationError)
