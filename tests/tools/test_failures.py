"""How failures of a backend reach the caller of a file tool."""

from __future__ import annotations

import errno
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

import pytest

import guidefs.errors
from guidefs.errors import FileError, GuardUnsupportedError, NotRegularFileError, SandboxDeniedError, UsageError
from guidefs.storage.failures import file_error
from guidefs.storage.provider import Chunk

if TYPE_CHECKING:
    from tests.tools.conftest import MakeBench, Primitive, Workbench

OPERATIONS = ("read", "write", "edit")


def run(desk: Workbench, operation: str) -> str:
    """Run one tool on the file `a`."""
    match operation:
        case "read":
            return desk.read("a")
        case "write":
            return desk.write("a", "new")
        case _:
            return desk.edit("a", "old", "new")


FAILURES: list[tuple[Exception, str, type[Exception], str]] = [
    (FileNotFoundError(2, "No such file"), "not_found", FileNotFoundError, "There is no file 'a'"),
    (OSError(errno.ELOOP, "Too many links"), "not_found", FileNotFoundError, "There is no file 'a'"),
    (NotADirectoryError(20, "Not a directory"), "not_a_directory", NotADirectoryError, "'a' leads through something"),
    (IsADirectoryError(21, "Is a directory"), "not_regular_file", IsADirectoryError, "'a' is a directory: name a file"),
    (PermissionError(13, "Denied"), "permission_denied", PermissionError, r"refused to .* \(PermissionError: Denied\)"),
    (PermissionError(1, "Denied"), "permission_denied", PermissionError, "Choose another file, or ask for access"),
    (OSError(errno.EROFS, "Read-only"), "permission_denied", PermissionError, r"\(OSError: Read-only\)"),
    (InterruptedError(4, "Interrupted"), "aborted", InterruptedError, "was aborted before it changed anything"),
    (OSError(errno.ECANCELED, "Cancelled"), "aborted", InterruptedError, "was aborted before it changed anything"),
    (CancelledError(), "aborted", InterruptedError, "was aborted before it changed anything"),
    (OSError(errno.EFBIG, "Too big"), "too_large", OSError, r"gets too large .* \(OSError: Too big\)"),
    (OSError(errno.EIO, "Bad\ndisk"), "io_error", OSError, r"failed to .* \(OSError: Bad disk\)\. Try again"),
    (OSError(errno.ENOSPC, "Full"), "io_error", OSError, r"\(OSError: Full\)"),
    (TimeoutError("late"), "io_error", OSError, r"\(TimeoutError: late\)"),
    (ConnectionResetError("gone"), "io_error", OSError, r"\(ConnectionResetError: gone\)"),
]


TOLD_ANEW = [row for row in FAILURES if row[1] != "not_regular_file"]
"""Storage knows better than a tool what kind of thing is no regular file."""


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("failure", "code", "builtin", "message"), FAILURES, ids=repr)
def test_failure_of_a_primitive(
    bench: MakeBench, operation: str, failure: Exception, code: str, builtin: type[Exception], message: str
) -> None:
    """A failure is the typed error with its code and built-in type, names the file, and chains its cause."""
    desk = bench({"a": b"old"})
    desk.read("a")
    desk.host.failures["write" if operation == "write" else "read", "/w/a"] = failure
    with pytest.raises(FileError, match=message) as caught:
        run(desk, operation)
    error = caught.value
    assert (error.code, error.path, error.__cause__) == (code, "a", failure)
    assert isinstance(error, builtin)
    assert "'a'" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("failure", "code", "builtin", "message"), TOLD_ANEW, ids=repr)
def test_failure_that_storage_has_typed(
    bench: MakeBench, operation: str, failure: Exception, code: str, builtin: type[Exception], message: str
) -> None:
    """A failure that storage has typed, under its own absolute path, is told to the caller like one it has not."""
    desk = bench({"a": b"old"})
    desk.read("a")
    typed = file_error(failure, "/w/a")
    typed.__cause__ = failure
    desk.host.failures["write" if operation == "write" else "read", "/w/a"] = typed
    with pytest.raises(FileError, match=message) as caught:
        run(desk, operation)
    assert (caught.value.code, caught.value.path, caught.value.__cause__) == (code, "a", typed)
    assert isinstance(caught.value, builtin)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", [SandboxDeniedError, GuardUnsupportedError, NotRegularFileError])
def test_typed_error_of_a_primitive(bench: MakeBench, operation: str, kind: type[FileError]) -> None:
    """An error that is typed already reaches the caller as it is."""
    error = kind("Stay inside.", path="/x")
    desk = bench({"a": b"old"})
    desk.read("a")
    desk.host.failures["write" if operation == "write" else "read", "/w/a"] = error
    with pytest.raises(FileError) as caught:
        run(desk, operation)
    assert caught.value is error


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("error", [UsageError("plain `with` over an asynchronous filesystem"), RuntimeError("a bug")])
def test_wrong_use_is_no_failure_of_a_file(bench: MakeBench, operation: str, error: Exception) -> None:
    """What is no failure of a backend passes through untouched, wherever it is raised."""
    desk = bench({"a": b"old"})
    desk.read("a")
    primitives: tuple[Primitive, ...] = ("stat", "read", "write")
    for primitive in primitives:
        desk.host.failures[primitive, "/w/a"] = error
    with pytest.raises(type(error)) as caught:
        run(desk, operation)
    assert caught.value is error


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("kind", "message"), [("directory", "is a directory: name a file"), ("other", "device, pipe")])
def test_no_regular_file(bench: MakeBench, operation: str, kind: str, message: str) -> None:
    """A directory, and a device, pipe or socket, is refused without being opened."""
    desk = bench()
    desk.host.kinds["/w/a"] = "directory" if kind == "directory" else "other"
    with pytest.raises(IsADirectoryError, match=message) as caught:
        run(desk, operation)
    assert caught.value.__class__.__name__ == "NotRegularFileError"
    assert [name for name, _, _ in desk.host.requests] == ["stat"]


@pytest.mark.parametrize("operation", ["read", "edit"])
def test_reason_for_a_missing_file(bench: MakeBench, operation: str) -> None:
    """A path through a file is told apart from a missing one, though a stat finds neither."""
    desk = bench()
    desk.host.failures["read", "/w/a"] = NotADirectoryError(20, "Not a directory")
    with pytest.raises(NotADirectoryError, match="leads through something that is not a directory"):
        run(desk, operation)


@pytest.mark.parametrize("operation", ["read", "edit"])
def test_reason_for_a_failing_stat(bench: MakeBench, operation: str) -> None:
    """A refused file is refused with its reason, though the stat is only unavailable."""
    desk = bench({"a": b"old"})
    desk.host.failures["stat", "/w/a"] = desk.host.failures["read", "/w/a"] = PermissionError(13, "Permission denied")
    with pytest.raises(PermissionError, match=r"refused to .* 'a' \(PermissionError: Permission denied\)"):
        run(desk, operation)


@pytest.mark.parametrize("operation", ["read", "edit"])
def test_backend_that_ignores_the_range(bench: MakeBench, monkeypatch: pytest.MonkeyPatch, operation: str) -> None:
    """A backend that sends more than was asked for is a failure, not an endless file."""
    desk = bench({"a": b"old"})
    desk.read("a")
    monkeypatch.setattr(desk.host, "read", lambda path, *, offset, max_bytes: Chunk(b"x" * (2 << 20), None, None))
    with pytest.raises(FileError, match=r"\(it sent 2097152 bytes where 1048576 were asked for\)") as caught:
        run(desk, operation)
    assert caught.value.code == "io_error"


def test_read_behind_a_failing_stat(bench: MakeBench) -> None:
    """A file that can be read is read, also where the stat fails."""
    desk = bench({"a": b"old"})
    desk.host.failures["stat", "/w/a"] = PermissionError(13, "Permission denied")
    assert desk.read("a").startswith("     1\told\n")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_failed_tool_is_no_touch(bench: MakeBench, operation: str) -> None:
    """A tool that fails counts as no access and ends its run."""
    desk = bench({"a": b"old"})
    desk.host.failures["read", "/w/a"] = OSError(5, "Input/output error")
    with pytest.raises(FileError):
        run(desk, operation)
    assert desk.host.touches == []
    assert desk.host.running == 0


def test_unresolvable_path_asks_nothing(bench: MakeBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that the session cannot resolve is refused before a run of the tool begins."""
    desk = bench()

    def resolve(path: str) -> str:
        raise guidefs.errors.NotFoundError(f"{path!r} is elsewhere", path=path)

    monkeypatch.setattr(desk.host, "resolve", resolve)
    with pytest.raises(FileNotFoundError, match="is elsewhere"):
        desk.read("s3://other/a")
    assert desk.host.requests == []
