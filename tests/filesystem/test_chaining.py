"""URLs: `guide::` in every place of a chain, with the session that a bare one has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from guidefs.errors import ConfigurationError, GuideError, UsageError
from guidefs.filesystem import BareRequest, GuideFileSystem, bare, register_recorder_factory

BUDGET = 65_536


@pytest.fixture
def requests(recorder: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BareRequest]]:
    """What was asked of the factory of sessions, which gives every bare URL one recorder."""
    asked: list[BareRequest] = []

    def factory(request: BareRequest) -> Any:
        asked.append(request)
        return recorder

    monkeypatch.delenv("GUIDEFS_MAX_BYTES", raising=False)
    before = bare._factories[:]
    register_recorder_factory(factory)
    yield asked
    bare._factories[:] = before


@pytest.fixture(autouse=True)
def _empty_store() -> Iterator[None]:
    """Chained URLs reach the memory filesystem that the whole process shares."""
    MemoryFileSystem.store.clear()
    yield
    MemoryFileSystem.store.clear()


def test_the_class_is_found_by_its_protocol() -> None:
    """fsspec finds the wrapper by its entry point."""
    assert fsspec.get_filesystem_class("guide") is GuideFileSystem


def test_a_chained_url_is_read_and_written(requests: Any, recorder: Any) -> None:
    """`guide::memory://` works like `memory://`, with touches."""
    with fsspec.open("guide::memory://dir/f", "w", max_bytes=BUDGET) as file:
        file.write("text")
    fs, path = fsspec.url_to_fs("guide::memory://dir/f", guide={"max_bytes": BUDGET})
    assert isinstance(fs, GuideFileSystem)
    assert isinstance(fs.fs, MemoryFileSystem)
    assert path == "/dir/f"
    assert fs.cat(path) == b"text"
    assert recorder.touches == [("/dir/f", "write"), ("/dir/f", "read")]


def test_a_bare_url_has_a_session_of_its_own(requests: list[BareRequest], recorder: Any) -> None:
    """The factory is told what is known, and what it makes is found on the filesystem."""
    fs, _ = fsspec.url_to_fs("guide::memory://dir/f", max_bytes=BUDGET, cwd="/dir")
    assert requests == [BareRequest(fs.fs, BUDGET, "/dir/f", "/dir")]
    assert fs.guide_session is recorder
    made = fsspec.filesystem("guide", target_protocol="memory", max_bytes="123")
    assert requests[1] == BareRequest(made.fs, 123, None, None)


def test_the_budget_of_a_bare_url_may_come_from_the_environment(
    requests: list[BareRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`GUIDEFS_MAX_BYTES` counts where there is no storage option."""
    monkeypatch.setenv("GUIDEFS_MAX_BYTES", "1000")
    fsspec.url_to_fs("guide::memory://f")
    fsspec.url_to_fs("guide::memory://f", max_bytes=5)
    assert [request.max_bytes for request in requests] == [1000, 5]


@pytest.mark.parametrize(("given", "budget"), [(0, 0), (-1, -1), ("65536", 65_536), ("inf", float("inf"))])
def test_a_budget_that_switches_loading_off_is_handed_on(requests: list[BareRequest], given: Any, budget: Any) -> None:
    """What a budget means is for the session to say."""
    fsspec.filesystem("guide", target_protocol="memory", max_bytes=given)
    assert requests[0].max_bytes == budget


def test_a_bare_url_without_a_budget_is_refused(requests: list[BareRequest]) -> None:
    """The error says what is missing and both ways to give it."""
    with pytest.raises(ConfigurationError, match=r"max_bytes.*GUIDEFS_MAX_BYTES"):
        fsspec.open("guide::memory://f")
    assert requests == []


def test_a_budget_that_is_no_number_is_refused(requests: list[BareRequest]) -> None:
    """The error shows the value."""
    with pytest.raises(ConfigurationError, match="'plenty'"):
        fsspec.filesystem("guide", target_protocol="memory", max_bytes="plenty")


def test_a_bare_url_needs_somebody_who_makes_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a factory the error says what to import."""
    monkeypatch.setattr(bare, "_factories", [])
    with pytest.raises(UsageError, match="import guidefs"):
        fsspec.filesystem("guide", target_protocol="memory", max_bytes=1)


def test_a_wrapped_object_has_a_session_only_if_it_is_asked_for(requests: list[BareRequest], recorder: Any) -> None:
    """A filesystem object without budget passes through, with one it has a session of its own."""
    assert fsspec.filesystem("guide", fs=LocalFileSystem()).guide_session is None
    assert fsspec.filesystem("guide", fs=LocalFileSystem(), max_bytes=1).guide_session is recorder


def test_a_stored_bare_url_keeps_its_session(requests: list[BareRequest]) -> None:
    """Coming back from JSON makes no second session."""
    fs = fsspec.filesystem("guide", target_protocol="memory", max_bytes=1)
    assert fsspec.AbstractFileSystem.from_json(fs.to_json()) == fs
    assert len(requests) == 1


def test_options_reach_the_filesystem_that_they_are_for(requests: Any, tmp_path: Path) -> None:
    """Options go by protocol; stray ones end at the wrapper, which refuses them."""
    url = f"guide::file://{tmp_path}/new/f"
    with pytest.raises(GuideError, match="no option anon"):
        fsspec.open(url, "w", anon=True, max_bytes=1)
    with fsspec.open(url, "w", file={"auto_mkdir": True}, max_bytes=1) as file:
        file.write("text")
    assert (tmp_path / "new" / "f").read_text() == "text"


def test_credentials_in_a_url_reach_the_inner_protocol() -> None:
    """The parts of a URL that are options belong to their own bit of the chain."""
    from fsspec.core import _un_chain

    chain = _un_chain("guide::ftp://user@host:22/p", {"max_bytes": 1})
    assert [(path, protocol) for path, protocol, _ in chain] == [("/p", "guide"), ("/p", "ftp")]
    assert chain[1][2] == {"host": "host", "port": 22, "username": "user"}
    assert chain[0][2] == {"max_bytes": 1}


def test_over_a_directory(requests: Any, recorder: Any, tmp_path: Path) -> None:
    """`guide::dir::` sees the paths of the directory."""
    (tmp_path / "f").write_bytes(b"text")
    fs = fsspec.filesystem(
        "guide", target_protocol="dir", target_options={"path": str(tmp_path), "fs": LocalFileSystem()}, max_bytes=1
    )
    assert fs.cat_file("f") == b"text"
    chained, _ = fsspec.url_to_fs(f"guide::dir::file://{tmp_path}", max_bytes=1)
    assert isinstance(chained.fs, DirFileSystem)
    assert chained.ls("", detail=False) == ["f"]
    assert recorder.touches == [("f", "read")]


def test_under_a_directory(requests: Any, recorder: Any, tmp_path: Path) -> None:
    """`dir::guide::` sees the paths of the inner filesystem."""
    (tmp_path / "f").write_bytes(b"text")
    fs, _ = fsspec.url_to_fs(f"dir::guide::file://{tmp_path}", guide={"max_bytes": 1})
    assert isinstance(fs, DirFileSystem)
    assert fs.cat_file("f") == b"text"
    with fs.open("g", "w") as file:
        file.write("new")
    assert recorder.touches == [(f"{tmp_path}/f", "read"), (f"{tmp_path}/g", "write")]


@pytest.mark.parametrize("cache", ["simplecache", "filecache"])
def test_under_a_cache(requests: Any, recorder: Any, tmp_path: Path, cache: str) -> None:
    """`simplecache::guide::` touches what the cache fetches, once."""
    (tmp_path / "f").write_bytes(b"text")
    options = {"guide": {"max_bytes": 1}, cache: {"cache_storage": str(tmp_path / "cache")}}
    for _ in range(2):
        with fsspec.open(f"{cache}::guide::file://{tmp_path}/f", **options) as file:
            assert file.read() == b"text"
    assert set(recorder.touches) == {(f"{tmp_path}/f", "read")}


def test_written_through_a_cache(requests: Any, recorder: Any, tmp_path: Path) -> None:
    """What a cache stores in the end is touched."""
    options = {"guide": {"max_bytes": 1}, "simplecache": {"cache_storage": str(tmp_path / "cache")}}
    with fsspec.open(f"simplecache::guide::file://{tmp_path}/f", "wb", **options) as file:
        file.write(b"text")
    assert (tmp_path / "f").read_bytes() == b"text"
    assert recorder.touches == [(f"{tmp_path}/f", "write")]


@pytest.mark.parametrize("cache", ["simplecache", "filecache"])
def test_over_a_cache(requests: Any, recorder: Any, tmp_path: Path, cache: str) -> None:
    """`guide::simplecache::` touches what is read and written, whether the cache has it or not."""
    (tmp_path / "f").write_bytes(b"text")
    url = f"guide::{cache}::file://{tmp_path}/f"
    options = {"max_bytes": 1, cache: {"cache_storage": str(tmp_path / "cache")}}
    for _ in range(2):
        fs, path = fsspec.url_to_fs(url, **options)
        assert fs.cat_file(path) == b"text"
        with fs.open(path) as file:
            assert file.read() == b"text"
    assert recorder.touches == [(f"{tmp_path}/f", "read")] * 4
    with fs.open(f"{tmp_path}/g", "wb") as file:
        file.write(b"new")
    with fs.transaction, fs.open(f"{tmp_path}/h", "wb") as file:
        file.write(b"new")
    assert (tmp_path / "g").read_bytes() == (tmp_path / "h").read_bytes() == b"new"
    assert recorder.touches[4:] == [(f"{tmp_path}/g", "write"), (f"{tmp_path}/h", "write")]


def test_an_archive_inside(requests: Any, recorder: Any, tmp_path: Path) -> None:
    """`zip://member::guide::file://` touches the archive."""
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("member", "text")
    with fsspec.open(f"zip://member::guide::file://{tmp_path}/a.zip", guide={"max_bytes": 1}) as file:
        assert file.read() == b"text"
    assert recorder.touches == [(f"{tmp_path}/a.zip", "read")]


def test_an_archive_outside(requests: Any, recorder: Any, tmp_path: Path) -> None:
    """`guide::zip::` touches the members."""
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("dir/member", "text")
    fs = fsspec.filesystem("guide", target_protocol="zip", target_options={"fo": str(tmp_path / "a.zip")}, max_bytes=1)
    assert fs.cat_file("dir/member") == b"text"
    assert fs.find("") == ["dir/member"]
    fs.close()
    assert recorder.touches == [("dir/member", "read")]


def test_lists_and_patterns_of_urls(requests: Any, recorder: Any) -> None:
    """fsspec opens lists of chained URLs, and those that match a pattern."""
    memory = MemoryFileSystem()
    memory.pipe({"/d/1": b"one", "/d/2": b"two"})
    for url in (["guide::memory://d/1", "guide::memory://d/2"], "guide::memory://d/*"):
        files = fsspec.open_files(url, max_bytes=1)
        with files as opened:
            assert [file.read() for file in opened] == [b"one", b"two"]
    assert recorder.touches == [("/d/1", "read"), ("/d/2", "read")] * 2


def test_an_object_store_in_a_chain(requests: Any, recorder: Any, object_store: Any, bucket: str) -> None:
    """`guide::s3://` has the paths of the object store."""
    url = f"guide::s3://{bucket}/dir/f"
    with fsspec.open(url, "wb", max_bytes=1, s3=object_store) as file:
        file.write(b"text")
    with fsspec.open(url, max_bytes=1, s3=object_store) as file:
        assert file.read() == b"text"
    assert recorder.touches == [(f"{bucket}/dir/f", "write"), (f"{bucket}/dir/f", "read")]
    assert requests[0].path == f"{bucket}/dir/f"


def test_a_known_session_needs_no_budget(recorder: Any, memory: Any) -> None:
    """A URL may carry the token of a session instead of a budget."""
    kept = GuideFileSystem(memory, recorder=recorder)
    fs, path = fsspec.url_to_fs("guide::memory://f", session=kept.storage_options["session"])
    fs.pipe_file(path, b"")
    assert recorder.touches == [("/f", "write")]
