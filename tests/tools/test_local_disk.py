"""The file tools on the local disk, through its provider."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from guidefs.errors import (
    AccessDeniedError,
    NotADirectoryFileError,
    NotFoundError,
    NotObservedError,
    NotRegularFileError,
    StaleVersionError,
)

if TYPE_CHECKING:
    import pathlib

    from tests.tools.conftest import Workbench


def settle(path: pathlib.Path) -> None:
    """Make a file look old enough that its times are trusted as a version, its change time too."""
    os.utime(path, (1_700_000_000, 1_700_000_000))
    time.sleep(0.02)


@pytest.mark.parametrize("settled", [True, False], ids=["settled", "fresh"])
def test_read_edit_write(disk: Workbench, tmp_path: pathlib.Path, *, settled: bool) -> None:
    """A file is read, edited and replaced, whether its version is trusted yet or not."""
    file = tmp_path / "a.py"
    file.write_bytes(b"import os\r\nprint(os)\r\n")
    if settled:
        settle(file)
    disk.read("a.py")
    disk.edit("a.py", "print(os)\n", "print(os)\nprint(1)\n")
    assert file.read_bytes() == b"import os\r\nprint(os)\r\nprint(1)\r\n"
    disk.write("a.py", "done\n")
    assert file.read_bytes() == b"done\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.py"]


def test_directories_are_made(disk: Workbench, tmp_path: pathlib.Path) -> None:
    """A file is created along with the directories that it needs."""
    disk.write("new/deep/a", "x")
    assert (tmp_path / "new/deep/a").read_text() == "x"


def test_mode_bits_survive(disk: Workbench, tmp_path: pathlib.Path) -> None:
    """Edit and write keep the mode bits, and new mode bits need no new reading."""
    file = tmp_path / "run.sh"
    file.write_text("echo 1\n")
    file.chmod(0o640)
    disk.read("run.sh")
    file.chmod(0o750)
    disk.edit("run.sh", "1", "2")
    assert file.stat().st_mode & 0o777 == 0o750
    file.chmod(0o700)
    disk.write("run.sh", "echo 3\n")
    assert file.stat().st_mode & 0o777 == 0o700


def test_link(disk: Workbench, tmp_path: pathlib.Path) -> None:
    """Writing through a link changes its target and leaves the link."""
    target = tmp_path / "target"
    target.write_text("old")
    (tmp_path / "link").symlink_to("target")
    disk.read("link")
    disk.edit("link", "old", "new")
    disk.write("link", "newer")
    assert target.read_text() == "newer"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("settled", [True, False], ids=["settled", "fresh"])
def test_change_behind_the_back(disk: Workbench, tmp_path: pathlib.Path, *, settled: bool) -> None:
    """A change by someone else is noticed, also one of equal size and times."""
    file = tmp_path / "a"
    file.write_text("old")
    if settled:
        settle(file)
    disk.read("a")
    before = file.stat()
    file.write_text("odd")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(StaleVersionError, match="Read 'a' again"):
        disk.write("a", "new")
    with pytest.raises(StaleVersionError, match="Read 'a' again"):
        disk.edit("a", "o", "x")
    assert file.read_text() == "odd"


def test_existing_file_that_was_not_read(disk: Workbench, tmp_path: pathlib.Path) -> None:
    """An existing file is not replaced unread."""
    (tmp_path / "a").write_text("old")
    with pytest.raises(NotObservedError):
        disk.write("a", "new")


@pytest.mark.parametrize("target", ["missing", "link"], ids=["dangling", "loop"])
def test_link_that_leads_nowhere(disk: Workbench, tmp_path: pathlib.Path, target: str) -> None:
    """A dangling or looping link is a file that does not exist."""
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(NotFoundError):
        disk.read("link")


def test_path_through_a_file(disk: Workbench, tmp_path: pathlib.Path) -> None:
    """A path through a regular file is refused as such, for reading and for writing."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotADirectoryFileError):
        disk.read("file/a")
    with pytest.raises(NotADirectoryFileError):
        disk.write("file/a", "x")


def test_no_regular_file(disk: Workbench, tmp_path: pathlib.Path) -> None:
    """A directory and a pipe are refused, and nobody waits for the pipe."""
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("directory", "pipe"):
        with pytest.raises(NotRegularFileError):
            disk.read(name)


def test_refused_file(disk: Workbench, tmp_path: pathlib.Path) -> None:
    """A file that may not be read is refused with the operating system's words."""
    file = tmp_path / "a"
    file.write_text("x")
    file.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65_534)  # root may read everything, so the test goes on as nobody
    try:
        with pytest.raises(AccessDeniedError, match=r"^The backend refused to read 'a' \(PermissionError: Permission"):
            disk.read("a")
    finally:
        os.seteuid(user)


def test_file_of_the_kernel(disk: Workbench) -> None:
    """A file that states no size has content all the same."""
    assert "Linux version" in disk.read("/proc/version")
