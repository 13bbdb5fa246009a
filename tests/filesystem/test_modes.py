"""Synchronous and asynchronous use, over inner filesystems of either kind."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import fsspec
import fsspec.asyn
import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem

from guidefs.filesystem import GuideFileSystem

IO_THREAD = "fsspecIO"


async def within(seconds: float, awaitable: Any) -> Any:
    """Await something that must not hang."""
    return await asyncio.wait_for(awaitable, seconds)


@pytest.fixture(params=["memory", "directory", "native", "native-async"])
def inner(request: pytest.FixtureRequest, memory: Any, native: Any) -> Any:
    """Inner filesystems of every kind."""
    return {
        "memory": memory,
        "directory": DirFileSystem("/dir", memory),
        "native": native({}),
        "native-async": native({}, asynchronous=True),
    }[request.param]


def test_an_asynchronous_wrapper_works_over_every_inner_filesystem(inner: Any, recorder: Any) -> None:
    """`asynchronous=True` gives coroutines for the caller's loop, whatever is wrapped."""
    fs = GuideFileSystem(inner, recorder=recorder, asynchronous=True)
    assert fs.async_impl
    assert fs.asynchronous

    async def main() -> Any:
        await fs._pipe({"f": b"text", "g": b"more"})
        assert await fs._exists("f")
        assert await fs._isfile("g")
        assert {name.strip("/") for name in await fs._find("")} == {"f", "g"}
        assert [files for _, _, files in [step async for step in fs._walk("")]] == [["f", "g"]]
        await fs._rm(["g"])
        return await asyncio.gather(fs._cat_file("f"), fs._cat_file("f", start=1, end=3), fs._size("f"))

    assert asyncio.run(within(10, main())) == [b"text", b"ex", 4]
    operations = [(path.strip("/"), operation) for path, operation in recorder.touches]
    assert operations == [("f", "write"), ("g", "write"), ("g", "edit"), ("f", "read"), ("f", "read")]


def test_a_synchronous_wrapper_works_over_every_inner_filesystem(inner: Any, recorder: Any) -> None:
    """`asynchronous=False` gives plain methods, also for an inner filesystem that was made for a loop."""
    fs = GuideFileSystem(inner, recorder=recorder, asynchronous=False)
    fs.pipe_file("f", b"text")
    assert fs.cat_file("f") == b"text"
    assert fs.exists("f")
    assert [operation for _, operation in recorder.touches] == ["write", "read"]


@pytest.mark.parametrize("asynchronous", [True, False])
def test_the_mode_of_the_inner_filesystem_is_kept(native: Any, *, asynchronous: bool) -> None:
    """Without a mode of its own the wrapper has that of what it wraps, which stays the same object."""
    inner = native({}, asynchronous=asynchronous)
    fs = GuideFileSystem(inner)
    assert fs.fs is inner
    assert fs.async_impl
    assert fs.asynchronous is asynchronous
    assert fs.loop is inner.loop


def test_a_wrapped_synchronous_filesystem_is_synchronous(memory: Any, inner: Any) -> None:
    """`async_impl` is what the inner filesystem can do, so that libraries choose as they would without the wrapper."""
    assert not GuideFileSystem(memory).async_impl
    assert not GuideFileSystem(DirFileSystem("/dir", memory)).async_impl


def test_an_inner_filesystem_in_the_other_mode_is_made_anew(native: Any, object_store: Any) -> None:
    """What was made for one mode is made again for the other, with everything that it wraps."""
    s3fs = pytest.importorskip("s3fs")
    s3 = s3fs.S3FileSystem(**object_store)
    fs = GuideFileSystem(s3, asynchronous=True)
    assert type(fs.fs) is s3fs.S3FileSystem
    assert fs.fs.asynchronous
    assert not s3.asynchronous
    assert fs.fs.endpoint_url == s3.endpoint_url
    chain = GuideFileSystem(DirFileSystem("dir", s3), asynchronous=True)
    assert chain.fs.path == "dir"
    assert chain.fs.fs.asynchronous
    nested = GuideFileSystem(GuideFileSystem(s3), asynchronous=True)
    assert nested.fs.fs.asynchronous


@pytest.mark.parametrize("asynchronous", [None, False, True])
def test_a_cache_over_coroutines_is_wrapped_in_every_mode(
    native: Any, recorder: Any, tmp_path: Path, *, asynchronous: bool | None
) -> None:
    """Caching filesystems claim the coroutines of what they cache, and stay in the mode in which they were made."""
    inner = native({"/f": b"text"})
    cache = fsspec.filesystem("simplecache", fs=inner, cache_storage=str(tmp_path), skip_instance_cache=True)
    fs = GuideFileSystem(cache, recorder=recorder, asynchronous=asynchronous)
    if asynchronous:
        assert asyncio.run(within(10, fs._cat_file("/f"))) == b"text"
    else:
        assert fs.cat_file("/f") == b"text"
        with fs.open("/g", "wb") as file:
            file.write(b"new")
        assert inner.content["/g"] == b"new"
    assert recorder.touches[0] == ("/f", "read")


def test_plain_methods_hop_to_the_io_thread_as_often_as_without_the_wrapper(
    native: Any, recorder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A synchronous method goes to the I/O thread once, through the inner method alone."""
    hops: list[str] = []
    plain_sync = fsspec.asyn.sync

    def counted(loop: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
        hops.append(func.__name__)
        return plain_sync(loop, func, *args, **kwargs)

    monkeypatch.setattr(fsspec.asyn, "sync", counted)
    inner = native({})
    fs = GuideFileSystem(inner, recorder=recorder)
    for each in (inner, fs):
        each.pipe({"/a": b"a", "/b": b"b"})
        each.cat(["/a", "/b"])
        each.cat_file("/a")
        each.info("/a")
    assert hops[: len(hops) // 2] == hops[len(hops) // 2 :] == ["_pipe", "_cat", "_cat_file", "_info"]
    assert set(inner.threads) == {IO_THREAD}


def test_coroutines_of_a_loop_never_go_to_the_io_thread(native: Any, recorder: Any) -> None:
    """Coroutines over coroutines run on the caller's loop, in its thread."""
    fs = GuideFileSystem(native({"/f": b""}, asynchronous=True), recorder=recorder)
    asyncio.run(fs._cat_file("/f"))
    assert fs.fs.threads == [threading.current_thread().name]


def test_plain_methods_work_inside_a_running_loop(inner: Any, recorder: Any) -> None:
    """A synchronous call in a coroutine blocks its loop but does not deadlock, as without the wrapper."""
    fs = GuideFileSystem(inner, recorder=recorder, asynchronous=False)

    async def main() -> bytes:
        fs.pipe_file("f", b"text")
        with fs.open("f", "ab" if fs.protocol == "memory" else "wb") as file:
            file.write(b"text")
        return bytes(fs.cat_file("f"))

    assert asyncio.run(within(10, main())).endswith(b"text")


def test_plain_methods_on_the_io_loop_are_refused(native: Any, recorder: Any) -> None:
    """A synchronous call on fsspec's own loop could only deadlock, so fsspec's refusal comes through."""
    fs = GuideFileSystem(native({"/f": b""}), recorder=recorder)

    async def on_io_loop() -> None:
        fs.cat_file("/f")

    with pytest.raises(NotImplementedError, match="within a running loop"):
        fsspec.asyn.sync(fs.loop, on_io_loop, timeout=10)
    assert recorder.touches == []


def test_coroutines_can_be_run_on_the_io_loop_by_hand(native: Any, session: Any) -> None:
    """fsspec's `sync` on a wrapped coroutine carries the open call into the I/O thread."""
    fs = GuideFileSystem(native({"/f": b"text"}), recorder=session)
    with session.call() as log:
        assert fsspec.asyn.sync(fs.loop, fs._cat_file, "/f", timeout=10) == b"text"
    assert log.touches == [("/f", "read")]


def test_plain_methods_in_threads_of_a_loop(inner: Any, session: Any) -> None:
    """`asyncio.to_thread` carries the open call along, and many threads at once do not hang."""
    fs = GuideFileSystem(inner, recorder=session, asynchronous=False)

    async def main() -> list[tuple[str, str]]:
        with session.call() as log:
            await asyncio.gather(*(asyncio.to_thread(fs.pipe_file, f"f{number}", b"") for number in range(40)))
        return list(log.touches)

    touches = asyncio.run(within(20, main()))
    assert sorted(path.strip("/") for path, _ in touches) == sorted(f"f{number}" for number in range(40))


def test_the_loop_stays_free_over_a_synchronous_filesystem(memory: Any, recorder: Any) -> None:
    """A slow synchronous backend runs in a thread: the loop goes on meanwhile."""
    entered, free = threading.Event(), threading.Event()

    class Slow(type(memory)):  # type: ignore[misc]  # the class is only known at run time
        """Waits in `cat_file` until the loop has done something else."""

        def cat_file(self, path: str, **kwargs: Any) -> bytes:
            entered.set()
            assert free.wait(10)
            return b"text"

    fs = GuideFileSystem(Slow(global_store=False, skip_instance_cache=True), recorder=recorder, asynchronous=True)

    async def main() -> bytes:
        task = asyncio.create_task(fs._cat_file("/f"))
        await asyncio.to_thread(entered.wait, 10)
        free.set()
        return bytes(await task)

    assert asyncio.run(within(20, main())) == b"text"


def test_a_batch_size_is_no_concern_of_a_synchronous_filesystem(memory: Any, recorder: Any) -> None:
    """Libraries pass `batch_size` to coroutines; synchronous methods have none."""
    fs = GuideFileSystem(memory, recorder=recorder, asynchronous=True)
    asyncio.run(fs._pipe({"/f": b""}, batch_size=2))
    assert recorder.touches == [("/f", "write")]


def test_coroutines_that_only_some_backends_have_are_there_over_a_synchronous_one(memory: Any, recorder: Any) -> None:
    """Every synchronous method can be awaited under its name with an underscore, as in fsspec's own adapter."""
    fs = GuideFileSystem(memory, recorder=recorder, asynchronous=True)

    async def main() -> str:
        await fs._touch("/f")
        await fs._write_text("/f", "text")
        return str(await fs._read_text("/f"))

    assert asyncio.run(main()) == "text"
    assert recorder.touches == [("/f", "write"), ("/f", "write"), ("/f", "read")]


def test_an_object_store_works_in_both_modes(s3: Any, bucket: str, recorder: Any) -> None:
    """The same bucket through plain methods and through coroutines on the caller's loop."""
    fs = GuideFileSystem(s3, recorder=recorder)
    fs.pipe_file(f"{bucket}/f", b"text")
    assert fs.cat_file(f"{bucket}/f", start=1, end=3) == b"ex"
    fs.touch(f"s3://{bucket}/empty")
    other = GuideFileSystem(s3, recorder=recorder, asynchronous=True)

    async def main() -> bytes:
        await other.set_session()
        await other._pipe_file(f"{bucket}/g", b"more")
        await other._touch(f"{bucket}/h")
        try:
            return bytes(await other._cat_file(f"s3://{bucket}/g"))
        finally:
            await other.s3.close()

    assert asyncio.run(within(30, main())) == b"more"
    assert [(path.removeprefix(bucket), operation) for path, operation in recorder.touches] == [
        ("/f", "write"),
        ("/f", "read"),
        ("/empty", "write"),
        ("/g", "write"),
        ("/h", "write"),
        ("/g", "read"),
    ]


def test_an_object_store_gets_the_same_requests_as_without_the_wrapper(
    s3: Any, bucket: str, recorder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Observing costs no request, whatever is called."""
    requests: list[str] = []
    plain_call = type(s3)._call_s3

    async def counted(self: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        requests.append(method)
        return await plain_call(self, method, *args, **kwargs)

    monkeypatch.setattr(type(s3), "_call_s3", counted)
    made = []
    for fs in (s3, GuideFileSystem(s3, recorder=recorder)):
        s3.invalidate_cache()
        requests.clear()
        fs.pipe({f"{bucket}/d/a": b"a", f"{bucket}/d/b": b"b"})
        fs.cat([f"{bucket}/d/a", f"{bucket}/d/b"])
        fs.cat_file(f"{bucket}/d/a", start=0, end=1)
        fs.info(f"{bucket}/d/a")
        fs.get(f"{bucket}/d", str(tmp_path / "d"), recursive=True)
        with fs.open(f"{bucket}/d/c", "wb") as file:
            file.write(b"c")
        with fs.open(f"{bucket}/d/c", "rb") as file:
            file.read()
        fs.copy(f"{bucket}/d/a", f"{bucket}/d/e")
        fs.mv(f"{bucket}/d/e", f"{bucket}/d/f")
        fs.rm(f"{bucket}/d", recursive=True)
        made.append(list(requests))
    assert made[0]
    assert made[0] == made[1]
    assert len(recorder.touches) == 14


def test_positional_arguments_of_a_backend_keep_their_meaning(s3: Any, bucket: str, recorder: Any) -> None:
    """`S3FileSystem._cat_file` has a version as its second argument: arguments go through as they came."""
    fs = GuideFileSystem(s3, recorder=recorder)
    fs.pipe_file(f"{bucket}/f", b"0123456789")
    assert fs.cat_file(f"{bucket}/f", 0, 4) == s3.cat_file(f"{bucket}/f", 0, 4) == b"456789"
    assert fs.cat_file(f"{bucket}/f", start=0, end=4) == b"0123"


def test_a_local_tree_is_walked_in_the_background(tmp_path: Path, recorder: Any) -> None:
    """Walking goes step by step, so that a caller can prune directories on the way."""
    (tmp_path / "keep").mkdir()
    (tmp_path / "skip" / "deep").mkdir(parents=True)
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder, asynchronous=True)

    async def main() -> list[str]:
        seen = []
        async for path, directories, _ in fs._walk(str(tmp_path), detail=True):
            seen.append(path.removeprefix(str(tmp_path)))
            directories.pop("skip", None)
        return seen

    assert asyncio.run(main()) == ["", "/keep"]
    assert recorder.touches == []
