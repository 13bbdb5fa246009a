"""What is particular to the in-memory filesystem."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from guidefs.errors import (
    AlreadyExistsError,
    FileInputOutputError,
    NotADirectoryFileError,
    NotFoundError,
    NotRegularFileError,
    StaleVersionError,
)
from guidefs.storage import (
    CreateOnly,
    Exists,
    IfContent,
    IfVersion,
    Limits,
    Marker,
    MemoryProvider,
    Question,
    Stat,
    Text,
    Unavailable,
    Version,
    fingerprint,
)


def _known(provider: MemoryProvider, path: str) -> Version | None:
    found = provider.stat(path)
    assert isinstance(found, Stat)
    return found.version


@pytest.mark.parametrize("mode", ["r+b", "ab"])
def test_a_change_in_place_is_noticed(clean_memory: Any, mode: str) -> None:
    """A file that is changed where it lies has another version, whatever `info` says."""
    provider = MemoryProvider(clean_memory)
    clean_memory.pipe_file("/a", b"old")
    known = _known(provider, "/a")
    with clean_memory.open("/a", mode) as file:
        file.write(b"new")
    [answer] = provider.fetch([Question("/a", known)], Limits())
    assert answer == Text(Version(fingerprint(clean_memory.cat_file("/a"))), clean_memory.cat_file("/a").decode())


def test_paths_may_carry_the_protocol(clean_memory: Any) -> None:
    """A path is taken in every form that the filesystem itself takes."""
    clean_memory.pipe_file("/a", b"text")
    answers = MemoryProvider(clean_memory).fetch([Question("memory://a"), Question("a")], Limits())
    assert [type(answer) for answer in answers] == [Text, Text]


def test_the_root_is_there(clean_memory: Any) -> None:
    """The top of the filesystem is a directory, also when it is empty."""
    provider = MemoryProvider(clean_memory)
    assert provider.fetch([Marker("/")], Limits()) == [Exists()]
    assert provider.stat("/") == Stat("directory", None, None)


def test_a_closed_object_is_unavailable(clean_memory: Any) -> None:
    """A stored object that cannot be read makes its own path unavailable."""
    import io

    clean_memory.pipe_file("/b", b"text")
    clean_memory.pipe_file("/a", b"text")
    io.BytesIO.close(clean_memory.store["/a"])
    provider = MemoryProvider(clean_memory)
    [broken, marker, good] = provider.fetch([Question("/a"), Marker("/a"), Question("/b")], Limits())
    assert [type(answer) for answer in (broken, marker, good)] == [Unavailable, Unavailable, Text]
    assert isinstance(provider.stat("/a"), Unavailable)
    with pytest.raises(FileInputOutputError):
        provider.read("/a", offset=0, max_bytes=1)


def test_reads_fail_with_types(clean_memory: Any) -> None:
    """A directory and a missing file are told apart."""
    clean_memory.pipe_file("/sub/a", b"")
    provider = MemoryProvider(clean_memory)
    with pytest.raises(NotRegularFileError):
        provider.read("/sub", offset=0, max_bytes=1)
    with pytest.raises(NotFoundError):
        provider.read("/none", offset=0, max_bytes=1)


@pytest.mark.parametrize("path", ["/file", "/made", "/implied"])
def test_nothing_is_created_over_something(clean_memory: Any, path: str) -> None:
    """A file, a directory that was made and one that is implied all take their name."""
    clean_memory.pipe_file("/file", b"old")
    clean_memory.makedirs("/made")
    clean_memory.pipe_file("/implied/file", b"")
    with pytest.raises(AlreadyExistsError):
        MemoryProvider(clean_memory).write(path, b"new", CreateOnly())


def test_nothing_is_created_below_a_file(clean_memory: Any) -> None:
    """A file is no directory, however deep below it the new name lies."""
    clean_memory.pipe_file("/file", b"")
    with pytest.raises(NotADirectoryFileError):
        MemoryProvider(clean_memory).write("/file/a/b", b"", CreateOnly())
    assert list(clean_memory.store) == ["/file"]


def test_a_write_tells_its_version(clean_memory: Any) -> None:
    """The version of what was written is the one that the next guard needs."""
    provider = MemoryProvider(clean_memory)
    first = provider.write("/a", b"one", CreateOnly())
    assert first.version is not None
    provider.write("/a", b"two", IfVersion(first.version))
    with pytest.raises(StaleVersionError):
        provider.write("/a", b"three", IfVersion(first.version))
    with pytest.raises(StaleVersionError):
        provider.write("/none", b"", IfContent(fingerprint(b"")))
    assert clean_memory.cat_file("/a") == b"two"


def test_threads_lose_nothing(clean_memory: Any) -> None:
    """Eight threads that each count ten times end at eighty."""
    clean_memory.pipe_file("/counter", b"0")
    provider = MemoryProvider(clean_memory)

    def increment(_: int) -> None:
        while True:
            chunk = provider.read("/counter", offset=0, max_bytes=10)
            assert chunk.version is not None
            try:
                provider.write("/counter", str(int(chunk.data) + 1).encode(), IfVersion(chunk.version))
            except StaleVersionError:
                continue
            return

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(increment, range(80)))
    assert clean_memory.cat_file("/counter") == b"80"
