"""A proxy on loopback that counts requests, slows them down, and spoils replies on demand."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Self
from urllib.parse import urlsplit

from guidefs.errors import UsageError
from guidefs.testing.mischief import Answered, Cut, Dropped, Hung, Mischief, Request
from guidefs.testing.upstream import Upstream
from guidefs.testing.wave import Wave
from guidefs.testing.wire import Head, read_body, read_head

__all__ = ["LatencyProxy"]


class LatencyProxy:
    """Stands between an HTTP client and one service on loopback, in a thread of its own.

    Use it as a context manager and send the client to `url`. Connections are kept on both sides. HTTP/1.1 without
    TLS only.

    Args:
        upstream: the service's address, such as `http://127.0.0.1:5000`.
        delay_seconds: how long each request is held before it is sent on; the wait of one does not hold up others.
        settle_seconds: if given, requests are held until those before are answered and no further one has
            arrived for so long, then sent on together. Such a group is a *wave*: what depends on a reply comes in a
            later one, however slow the machine.
        port: where to listen; 0 for any free port. With the port of an earlier proxy the service is back.

    Attributes:
        requests: the requests that arrived since the start or the last `reset`.
        mischief: asked about each request; what it returns happens to it, `None` lets it pass.
    """

    def __init__(
        self, upstream: str, *, delay_seconds: float = 0.0, settle_seconds: float | None = None, port: int = 0
    ) -> None:
        parts = urlsplit(upstream)
        self._upstream = Upstream(parts.hostname or "127.0.0.1", parts.port or 80)
        self._delay_seconds = delay_seconds
        self._settle_seconds = settle_seconds
        self._port = port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._wave = Wave()
        self.requests: list[Request] = []
        self.mischief: Callable[[Request], Mischief | None] = lambda _: None

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="latency-proxy", daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        """The address to give to the client.

        Raises:
            UsageError: the proxy is not running.
        """
        if self._server is None:
            raise UsageError("the proxy is not running: use it in a with statement")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def waves(self) -> int:
        """How many waves the requests make up; meaningful with `settle_seconds`."""
        return len({request.wave for request in self.requests})

    def reset(self, *expected_waves: int) -> None:
        """Forget the requests seen so far.

        Args:
            expected_waves: how many requests each of the next waves will have. A wave of a stated size is complete as
                soon as so many requests wait, with no need to let it settle; if fewer come, settling ends it. So a
                test of which requests are made at once does not depend on the speed of the machine.
        """
        self.requests.clear()
        self._wave.expect(expected_waves)

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port)

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self._upstream.close()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (head := await read_head(reader)) is not None:
                if head.get("expect"):
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                body = await read_body(reader, head)
                method, target, _ = head.line.split(" ", 2)
                request = Request(method, target, head, self._wave.number)
                self.requests.append(request)
                await self._hold()
                if not await self._reply(request, body, writer):
                    break
        except (OSError, asyncio.IncompleteReadError):
            pass  # either side went away, which is theirs to explain
        finally:
            writer.close()

    async def _hold(self) -> None:
        if self._settle_seconds is not None:
            await self._wave.settled(self._settle_seconds)
        await asyncio.sleep(self._delay_seconds)

    async def _reply(self, request: Request, body: bytes, writer: asyncio.StreamWriter) -> bool:
        """Answer a request; whether the connection can take another one."""
        match self.mischief(request):
            case Answered() as reply:
                writer.write(_encoded(reply))
                await writer.drain()
                return True
            case Dropped():
                return False
            case Hung():
                await asyncio.Event().wait()
                return False
            case Cut(after_bytes):
                await self._forward(request, body, writer, after_bytes)
                return False
            case None:
                return await self._forward(request, body, writer, None)

    async def _forward(
        self, request: Request, body: bytes, writer: asyncio.StreamWriter, limit_bytes: int | None
    ) -> bool:
        self._wave.under_way += 1
        try:
            return await self._upstream.relay(request, body, writer, limit_bytes)
        finally:
            self._wave.under_way -= 1


def _encoded(reply: Answered) -> bytes:
    fields = [("content-type", reply.content_type), ("content-length", str(len(reply.body)))]
    if reply.etag:
        fields.append(("etag", reply.etag))
    return Head(f"HTTP/1.1 {reply.status} -", tuple(fields)).encoded() + reply.body
