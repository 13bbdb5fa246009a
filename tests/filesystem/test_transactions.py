"""Transactions of the inner filesystem: touches come with the commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem

from guidefs.filesystem import GuideFileSystem


@pytest.fixture
def fs(recorder: Any) -> GuideFileSystem:
    """The wrapped local disk, always in a call."""
    return GuideFileSystem(LocalFileSystem(skip_instance_cache=True), recorder=recorder)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file that does not exist."""
    return str(tmp_path / "f")


def write(fs: Any, path: str) -> None:
    """Write a file in two steps."""
    with fs.open(path, "wb") as file:
        file.write(b"new")


def abort(fs: Any, path: str) -> None:
    """Write a file in a transaction that fails."""
    with fs.transaction:
        write(fs, path)
        raise ZeroDivisionError


def test_touches_wait_for_the_commit(fs: Any, path: str, recorder: Any) -> None:
    """Nothing is touched before the files have their names."""
    with fs.transaction:
        write(fs, path)
        fs.pipe_file(f"{path}2", b"new")
        assert recorder.touches == []
        assert not fs.exists(path)
    assert recorder.touches == [(path, "write"), (f"{path}2", "write")]
    assert fs.fs.cat_file(path) == b"new"


def test_an_aborted_transaction_touches_nothing(fs: Any, path: str, recorder: Any) -> None:
    """Files that are thrown away were never written, and later ones are not held up."""
    with pytest.raises(ZeroDivisionError):
        abort(fs, path)
    assert not fs.fs.exists(path)
    assert recorder.touches == []
    write(fs, path)
    assert recorder.touches == [(path, "write")]


def test_a_transaction_without_block_is_delegated(fs: Any, path: str, recorder: Any) -> None:
    """`start_transaction` and `end_transaction` are the inner filesystem's."""
    fs.start_transaction()
    assert fs.fs._intrans
    assert fs._intrans
    write(fs, path)
    assert recorder.touches == []
    fs.end_transaction()
    assert recorder.touches == [(path, "write")]


def test_a_commit_of_the_inner_filesystem_counts(fs: Any, path: str, recorder: Any) -> None:
    """It does not matter on which of the two objects the transaction is ended."""
    with fs.fs.transaction:
        write(fs, path)
    assert recorder.touches == [(path, "write")]


def test_a_failed_commit_touches_nothing(fs: Any, path: str, recorder: Any, tmp_path: Path) -> None:
    """A transaction whose files cannot be moved into place leaves no touch."""
    directory = tmp_path / "dir"
    directory.mkdir()
    fs.start_transaction()
    write(fs, str(directory / "f"))
    directory.rmdir()
    with pytest.raises(OSError, match="dir"):
        fs.end_transaction()
    assert recorder.touches == []
    assert not fs.fs._intrans


def test_a_transaction_started_anew_forgets_what_the_first_gathered(fs: Any, path: str, recorder: Any) -> None:
    """fsspec drops the files of the outer transaction when one is nested, so they are not touched."""
    outer = fs.transaction
    with outer:
        write(fs, path)
        outer.start()
        write(fs, f"{path}2")
    assert recorder.touches == [(f"{path}2", "write")]
    assert not fs.fs.exists(path)


def test_what_takes_effect_at_once_counts_at_once(fs: Any, path: str, recorder: Any) -> None:
    """Reads and removals do not wait for a commit."""
    fs.fs.pipe_file(path, b"old")
    with fs.transaction:
        fs.cat_file(path)
        fs.rm(path)
        assert recorder.touches == [(path, "read"), (path, "edit")]


def test_whole_contents_of_coroutines_count_at_once(native: Any, recorder: Any) -> None:
    """On filesystems of coroutines `pipe_file` does not take part in a transaction."""
    fs = GuideFileSystem(native({}), recorder=recorder)
    with fs.transaction:
        fs.pipe_file("/f", b"new")
        assert recorder.touches == [("/f", "write")]


def test_a_transaction_of_a_directory_filesystem_counts_what_it_does(tmp_path: Path, recorder: Any) -> None:
    """`DirFileSystem` does not hand its transactions on: files are written at once, and counted then."""
    fs = GuideFileSystem(DirFileSystem(str(tmp_path), LocalFileSystem(skip_instance_cache=True)), recorder=recorder)
    with fs.transaction:
        write(fs, "f")
        assert (tmp_path / "f").read_bytes() == b"new"
        assert recorder.touches == [("f", "write")]


def test_the_file_that_was_closed_after_the_commit_counts_once(fs: Any, path: str, recorder: Any) -> None:
    """A commit closes open files; closing them again adds nothing."""
    with fs.transaction:
        file = fs.open(path, "wb")
        file.write(b"new")
    file.close()
    assert recorder.touches == [(path, "write")]


def test_a_transaction_on_an_object_store(s3: Any, bucket: str, recorder: Any) -> None:
    """Files of an object store are completed by the commit or thrown away, and counted accordingly."""
    fs = GuideFileSystem(s3, recorder=recorder)
    with fs.transaction:
        write(fs, f"{bucket}/a")
        assert recorder.touches == []
        assert not s3.exists(f"{bucket}/a")
    assert recorder.touches == [(f"{bucket}/a", "write")]
    with pytest.raises(ZeroDivisionError):
        abort(fs, f"{bucket}/b")
    s3.invalidate_cache()
    assert not s3.exists(f"{bucket}/b")
    assert recorder.touches == [(f"{bucket}/a", "write")]
