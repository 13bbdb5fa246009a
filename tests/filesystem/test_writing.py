"""Files: what is touched when, for every way to open and close one."""

from __future__ import annotations

import asyncio
import gc
import gzip
import io
import pickle
import threading
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest
from fsspec.core import OpenFile
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from guidefs.filesystem import GuideFileSystem

BACKENDS = ("memory", "local", "native")


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, memory: Any, native: Any) -> Any:
    """An inner filesystem."""
    return {"memory": memory, "local": LocalFileSystem(), "native": native({})}[request.param]


@pytest.fixture
def fs(backend: Any, recorder: Any) -> GuideFileSystem:
    """A wrapped filesystem that is always in a call."""
    return GuideFileSystem(backend, recorder=recorder)


@pytest.fixture
def path(backend: Any, tmp_path: Path) -> str:
    """A file that exists, with the content `old`."""
    name = str(tmp_path / "f")
    backend.pipe_file(name, b"old")
    return name


class FailingFile(io.BytesIO):
    """A file that cannot be closed."""

    autocommit = True

    def close(self) -> None:
        """Refuse once, as a buffered file does whose last block is not accepted."""
        if not self.closed:
            super().close()
            raise OSError("no space left")


class FailingFileSystem(MemoryFileSystem):  # type: ignore[misc]  # fsspec ships no types
    """A filesystem whose written files fail to close."""

    cachable = False

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        return FailingFile()


def write_half(fs: Any, path: str) -> None:
    """Write a part of a file, then fail."""
    with fs.open(path, "wb") as file:
        file.write(b"part")
        raise ZeroDivisionError


@pytest.mark.parametrize("mode", ["rb", "r", "rt"])
def test_reading_is_touched_when_the_file_is_opened(fs: Any, path: str, recorder: Any, mode: str) -> None:
    """A file opened for reading counts at once."""
    fs.open(path, mode).close()
    assert recorder.touches == [(path, "read")]


def test_a_file_opened_for_reading_is_the_inner_object(fs: Any, path: str) -> None:
    """Nothing stands in front of a file that is read."""
    with fs.open(path, "rb") as file, fs.fs.open(path, "rb") as plain:
        assert type(file) is type(plain)
        assert getattr(file, "fs", fs.fs) is fs.fs


@pytest.mark.parametrize(
    ("mode", "operation"), [("wb", "write"), ("w", "write"), ("wt", "write"), ("ab", "edit"), ("a", "edit")]
)
def test_writing_is_touched_when_the_file_is_closed(
    fs: Any, path: str, recorder: Any, mode: str, operation: str, request: pytest.FixtureRequest
) -> None:
    """A file opened for writing counts once, when it is closed, as what its mode does."""
    file = fs.open(path, mode)
    file.write(b"new" if "b" in mode else "new")
    assert recorder.touches == []
    file.close()
    assert recorder.touches == [(path, operation)]
    file.close()
    assert recorder.touches == [(path, operation)]


@pytest.mark.parametrize(("mode", "operation"), [("xb", "write"), ("w+b", "write"), ("r+b", "edit"), ("a+b", "edit")])
@pytest.mark.parametrize("backend", ["memory", "local"], indirect=True)
def test_every_mode_of_writing_is_classified(fs: Any, path: str, recorder: Any, mode: str, operation: str) -> None:
    """Modes that store a whole content are writes, modes that change one are edits."""
    target = f"{path}.new" if "x" in mode else path
    with fs.open(target, mode) as file:
        file.write(b"new")
    assert recorder.touches == [(target, operation)]


@pytest.mark.parametrize("backend", ["memory", "local"], indirect=True)
def test_an_exclusive_file_that_exists_is_not_touched(fs: Any, path: str, recorder: Any) -> None:
    """A file that cannot be opened leaves no touch."""
    with pytest.raises(FileExistsError):
        fs.open(path, "xb")
    assert recorder.touches == []


def test_a_closed_with_block_counts_once(fs: Any, path: str, recorder: Any) -> None:
    """Leaving the block is closing, on files whose `__exit__` does not call `close` too."""
    with fs.open(path, "wb") as file:
        file.write(b"new")
    file.close()
    del file
    gc.collect()
    assert recorder.touches == [(path, "write")]
    assert fs.fs.cat_file(path) == b"new"


def test_a_block_that_raises_counts_if_its_file_closed_well(fs: Any, path: str, recorder: Any) -> None:
    """The backends store what was written before the error, so the file is touched."""
    with pytest.raises(ZeroDivisionError):
        write_half(fs, path)
    assert fs.fs.cat_file(path) == b"part"
    assert recorder.touches == [(path, "write")]


def test_a_file_that_is_only_dropped_counts_when_it_is_collected(fs: Any, path: str, recorder: Any) -> None:
    """The garbage collector closes a forgotten file, which stores it."""
    fs.open(path, "wb").write(b"new")
    gc.collect()
    assert fs.fs.cat_file(path) == b"new"
    assert recorder.touches == [(path, "write")]


def test_a_file_closed_in_another_thread_belongs_to_the_call_it_was_opened_in(
    backend: Any, path: str, session: Any
) -> None:
    """The call is decided when the file is opened, wherever it is closed."""
    fs = GuideFileSystem(backend, recorder=session)
    with session.call() as log:
        file = fs.open(path, "wb")
    thread = threading.Thread(target=file.close)
    thread.start()
    thread.join()
    assert log.touches == [(path, "write")]


def test_two_threads_that_close_one_file_count_once(memory: Any, recorder: Any) -> None:
    """Closing is counted once however many do it at the same time."""
    file = GuideFileSystem(memory, recorder=recorder).open("/f", "wb")
    threads = [threading.Thread(target=file.close) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recorder.touches == [("/f", "write")]


@pytest.mark.parametrize("way", ["close", "with", "text", "collect"])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_file_that_fails_to_close_is_not_touched(recorder: Any, way: str) -> None:
    """A write that never arrived leaves no touch, not even when closing is tried again."""
    fs = GuideFileSystem(FailingFileSystem(), recorder=recorder)
    file = fs.open("/f", "w" if way == "text" else "wb")
    if way == "collect":
        del file
        gc.collect()
    else:
        with pytest.raises(OSError, match="no space"):
            file.__exit__(None, None, None) if way == "with" else file.close()
        file.close()
    assert recorder.touches == []


def test_text_is_layered_over_the_observed_file(fs: Any, path: str, recorder: Any) -> None:
    """A text file is the standard library's, with its options, and counts once."""
    file = fs.open(path, "w", encoding="utf-16-le", newline="\r\n")
    assert type(file) is io.TextIOWrapper
    with file:
        file.write("é\n")
    assert fs.fs.cat_file(path) == "é\r\n".encode("utf-16-le")
    assert recorder.touches == [(path, "write")]


def test_a_text_wrapper_of_the_caller_counts_once(fs: Any, path: str, recorder: Any) -> None:
    """A binary file can be wrapped by the caller."""
    with io.TextIOWrapper(fs.open(path, "wb"), encoding="utf-8") as file:
        file.write("text")
    assert fs.fs.cat_file(path) == b"text"
    assert recorder.touches == [(path, "write")]


@pytest.mark.parametrize("mode", ["wb", "w"])
def test_compression_counts_once_when_the_bytes_are_stored(fs: Any, path: str, recorder: Any, mode: str) -> None:
    """Compressed files are stored when the compressed bytes are, and count then."""
    with fs.open(f"{path}.gz", mode, compression="infer") as file:
        file.write(b"text" if "b" in mode else "text")
    del file
    assert gzip.decompress(fs.fs.cat_file(f"{path}.gz")) == b"text"
    assert recorder.touches == [(f"{path}.gz", "write")]


def test_gzip_and_zip_of_the_caller_count_once(fs: Any, path: str, recorder: Any) -> None:
    """Archives of the standard library can be written into an observed file."""
    with fs.open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb") as packed:
        packed.write(b"text")
    assert gzip.decompress(fs.fs.cat_file(path)) == b"text"
    with fs.open(path, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("member", "text")
    assert zipfile.ZipFile(io.BytesIO(fs.fs.cat_file(path))).namelist() == ["member"]
    assert recorder.touches == [(path, "write")] * 2


def test_an_open_file_of_fsspec_counts_once(fs: Any, path: str, recorder: Any) -> None:
    """fsspec's own `OpenFile` layers text and compression over an observed file."""
    with OpenFile(fs, path, "wt", compression="gzip") as file:
        file.write("text")
    assert gzip.decompress(fs.fs.cat_file(path)) == b"text"
    assert recorder.touches == [(path, "write")]


def test_positional_options_of_open_are_kept(fs: Any, path: str, recorder: Any) -> None:
    """Options may be given by position, as fsspec names them."""
    with fs.open(path, "wb", None, None, "gzip") as file:
        file.write(b"text")
    del file
    with fs.open(path, "rt", 1024, None, "gzip", encoding="utf-8") as file:
        assert file.read() == "text"
    assert recorder.touches == [(path, "write"), (path, "read")]


def test_outside_a_call_a_written_file_is_the_inner_object(backend: Any, path: str, session: Any) -> None:
    """Where nobody listens nothing is put in front."""
    with GuideFileSystem(backend, recorder=session).open(path, "wb") as file, backend.open(f"{path}2", "wb") as plain:
        assert type(file) is type(plain)


def test_a_shared_file_object_is_left_alone(memory: Any, recorder: Any) -> None:
    """The memory filesystem stores the very object that was written, which must report nothing later."""
    fs = GuideFileSystem(memory, recorder=recorder)
    with fs.open("/f", "wb") as file:
        file.write(b"abc")
    stored = memory.store["/f"]
    assert not isinstance(stored, io.IOBase) or "close" not in vars(stored)
    assert recorder.touches == [("/f", "write")]
    memory.open("/f", "rb").close()
    with memory.open("/f", "r+b") as again:
        again.write(b"x")
    assert recorder.touches == [("/f", "write")]


def test_a_written_file_does_all_that_the_inner_one_does(tmp_path: Path, recorder: Any) -> None:
    """Reading, seeking, truncating and the rest reach the inner file."""
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    file: Any
    with fs.open(str(tmp_path / "f"), "w+b") as file:
        assert isinstance(file, io.IOBase)  # unlike an object that only looks like a file
        file = cast(Any, file)
        assert file.writable()
        assert file.seekable()
        assert not file.isatty()
        assert file.fileno() >= 0
        file.writelines([b"one\n", b"two\n", b"three\n"])
        file.flush()
        assert file.tell() == 14
        file.seek(0)
        assert file.readline() == b"one\n"
        assert next(file) == b"two\n"
        assert next(iter(file)) == b"three\n"
        file.truncate(4)
        file.seek(0)
        assert file.readlines() == [b"one\n"]
        assert not file.closed
        assert file.mode == "w+b"
        assert file.name == str(tmp_path / "f")
        assert file.fs is fs
        file.marker = 1
        assert file._file.marker == 1
    assert file.closed


def test_a_written_file_cannot_be_pickled(fs: Any, path: str) -> None:
    """An open file that is written stays in its process, as fsspec has it."""
    with fs.open(path, "wb") as file, pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(file)


def test_a_file_without_autocommit_counts_at_its_commit(tmp_path: Path, recorder: Any) -> None:
    """Content that gets its name by a commit is touched by the commit, once."""
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    file = fs.open(str(tmp_path / "f"), "wb", autocommit=False)
    file.write(b"new")
    file.close()
    assert recorder.touches == []
    file.commit()
    assert recorder.touches == [(str(tmp_path / "f"), "write")]


def test_a_discarded_file_is_not_touched(tmp_path: Path, recorder: Any) -> None:
    """Content that is thrown away was never written."""
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    file = fs.open(str(tmp_path / "f"), "wb", autocommit=False)
    file.close()
    file.discard()
    assert recorder.touches == []
    assert not (tmp_path / "f").exists()


@pytest.mark.parametrize("asynchronous", [True, False])
def test_streamed_files_count_like_others(native: Any, recorder: Any, *, asynchronous: bool) -> None:
    """`open_async` touches when it opens for reading, and when a written file is closed, once."""
    fs = GuideFileSystem(native({}, asynchronous=asynchronous), recorder=recorder)

    async def main() -> bytes:
        async with await fs.open_async("/f", "wb") as file:
            await file.write(b"new")
            assert recorder.touches == []
        assert recorder.touches == [("/f", "write")]
        file = await fs.open_async("/f", mode="wb")
        await file.write(b"newer")
        await file.close()
        await file.close()
        async with await fs.open_async("/f") as file:
            return bytes(await file.read())

    assert asyncio.run(main()) == b"newer"
    assert recorder.touches == [("/f", "write"), ("/f", "write"), ("/f", "read")]


def test_streamed_files_pass_through_outside_a_call(native: Any, session: Any) -> None:
    """Where nobody listens a streamed file is the inner object."""
    inner = native({}, asynchronous=True)
    fs = GuideFileSystem(inner, recorder=session)

    async def main() -> bool:
        async with await fs.open_async("/f", "wb") as file, await inner.open_async("/g", "wb") as plain:
            return type(file) is type(plain)

    assert asyncio.run(main())


def test_streamed_files_need_a_filesystem_of_coroutines(memory: Any, recorder: Any) -> None:
    """Where the inner filesystem cannot stream, `open_async` says so as fsspec does."""
    fs = GuideFileSystem(memory, recorder=recorder, asynchronous=True)
    with pytest.raises(NotImplementedError):
        asyncio.run(fs.open_async("/f", "rb"))
    assert recorder.touches == []


def test_the_private_open_of_caching_filesystems_is_observed(fs: Any, path: str, recorder: Any) -> None:
    """Caching filesystems call `_open`, which counts like `open`."""
    fs._open(path, "rb").close()
    with fs._open(path, mode="wb") as file:
        file.write(b"new")
    assert recorder.touches == [(path, "read"), (path, "write")]
