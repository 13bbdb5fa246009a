"""Plain and async hosts over plain and async filesystems."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from fsspec.asyn import AsyncFileSystem
from fsspec.implementations.local import LocalFileSystem

from guidefs import UsageError, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from guidefs import Context, Session

    Tell = Callable[[Iterable[Context]], list[str]]

WHOLE = ["set p/AGENTS.md", "set p/q/AGENTS.md"]


class AsyncDisk(AsyncFileSystem):  # type: ignore[misc] # fsspec has no types
    """An async filesystem over the local disk that notes the threads in which its coroutines run."""

    protocol = "asyncdisk"
    cachable = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.disk = LocalFileSystem()
        self.threads: set[str] = set()

    async def _info(self, path: str, **options: Any) -> Any:
        self.threads.add(threading.current_thread().name)
        await asyncio.sleep(0)
        return self.disk.info(path)

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> Any:
        self.threads.add(threading.current_thread().name)
        await asyncio.sleep(0)
        return self.disk.cat_file(path, start=start, end=end)

    async def _ls(self, path: str, detail: bool = True, **options: Any) -> Any:  # noqa: FBT001, FBT002 - fsspec's signature
        return self.disk.ls(path, detail=detail)


def over(fs: AsyncDisk, disk: Path) -> Session:
    """A session over the project on an async filesystem."""
    return Workspace(fs, str(disk), max_bytes=1 << 20, home=str(disk.parent / "home")).session("s")


def plain(session: Session) -> tuple[Context, ...]:
    """One plain call."""
    with session.call() as call:
        call.touch("p/q/x", "read")
    return call.contexts


async def on_loop(session: Session) -> tuple[Context, ...]:
    """One call on an event loop."""
    async with session.call() as call:
        call.touch("p/q/x", "read")
    return call.contexts


def test_plain_host_over_a_filesystem_in_sync_mode(disk: Path, tell: Tell) -> None:
    """A plain host over an async filesystem in fsspec's sync mode is served by the filesystem's own loop."""
    fs = AsyncDisk()
    session = over(fs, disk)
    assert session.prefix() is not None
    assert tell(plain(session)) == WHOLE
    assert fs.threads == {"fsspecIO"}
    assert session.stats.unavailable == 0


def test_async_host_over_a_filesystem_in_sync_mode(disk: Path, tell: Tell) -> None:
    """An async host over the same is served by the filesystem's own loop too, not by the host's."""
    fs = AsyncDisk()
    session = over(fs, disk)

    async def run() -> list[str]:
        assert await session.aprefix() is not None
        return tell(await on_loop(session))

    assert asyncio.run(run()) == WHOLE
    assert fs.threads == {"fsspecIO"}
    assert session.stats.unavailable == 0


def test_async_host_over_an_asynchronous_filesystem(disk: Path, tell: Tell) -> None:
    """An async host over a filesystem made with `asynchronous=True` is served on its own loop."""

    async def run() -> tuple[list[str], set[str], int]:
        fs = AsyncDisk(asynchronous=True)
        session = over(fs, disk)
        assert await session.aprefix() is not None
        return tell(await on_loop(session)), fs.threads, session.stats.unavailable

    told, threads, unavailable = asyncio.run(run())
    assert told == WHOLE
    assert threads == {threading.main_thread().name}
    assert unavailable == 0


@pytest.mark.parametrize("act", [plain, lambda session: session.prefix(), lambda session: session.preflight("p/q/x")])
def test_plain_use_of_an_asynchronous_filesystem(disk: Path, act: Callable[[Session], object]) -> None:
    """A plain use of a filesystem made with `asynchronous=True` is a usage error that says what to write instead."""

    async def run() -> None:
        session = over(AsyncDisk(asynchronous=True), disk)
        with pytest.raises(UsageError, match=r"async with|aprefix|await"):
            act(session)
        assert session.stats.unavailable == 0
        assert session.stats.batches == 0

    asyncio.run(run())


def test_plain_use_is_refused_before_the_tool_runs(disk: Path) -> None:
    """The usage error comes before the tool runs, so that nothing it does is lost."""
    ran: list[bool] = []

    async def run() -> None:
        session = over(AsyncDisk(asynchronous=True), disk)

        def use() -> None:
            with session.call():
                ran.append(True)

        with pytest.raises(UsageError):
            use()

    asyncio.run(run())
    assert ran == []


def test_async_host_over_a_plain_filesystem(local: Workspace, tell: Tell) -> None:
    """An async host over a plain filesystem is served, and its loop goes on meanwhile."""
    session = local.session("s")

    async def run() -> tuple[list[str], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        told = tell(await on_loop(session))
        ticking.cancel()
        return told, ticks

    told, ticks = asyncio.run(run())
    assert told == WHOLE
    assert ticks > 0
    assert session.stats.unavailable == 0


def test_plain_call_on_a_running_loop(disk: Path, tell: Tell) -> None:
    """A plain call inside a coroutine works over a filesystem in sync mode, since that has a loop of its own."""
    session = over(AsyncDisk(), disk)

    async def run() -> list[str]:
        return tell(plain(session))

    assert asyncio.run(run()) == WHOLE
    assert session.stats.unavailable == 0


def test_both_modes_are_equal(disk: Path) -> None:
    """Plain and async hosts get the same messages over one filesystem, byte for byte."""
    fs = AsyncDisk()
    one, two = over(fs, disk), over(fs, disk)

    async def run() -> tuple[Any, ...]:
        return await two.aprefix(), *await on_loop(two)

    assert asyncio.run(run()) == (one.prefix(), *plain(one))


def test_one_session_used_from_two_loops(disk: Path, tell: Tell) -> None:
    """A session over a filesystem in sync mode may be used from one event loop after another."""
    session = over(AsyncDisk(), disk)
    assert tell(asyncio.run(on_loop(session))) == WHOLE
    assert tell(asyncio.run(on_loop(session))) == []
    assert session.stats.unavailable == 0
