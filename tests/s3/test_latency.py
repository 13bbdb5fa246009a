"""The proxy that counts, delays and spoils."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from guidefs.errors import UsageError
from guidefs.testing.latency import LatencyProxy
from guidefs.testing.mischief import Answered, Cut, Dropped
from guidefs.testing.objectstores import free_ports


class Echo(BaseHTTPRequestHandler):
    """Answers with the method, the target and the body of the request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Echo in one piece, or in chunks, or up to the end of the connection."""
        body = f"{self.command} {self.path} ".encode() + self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        if "chunks" in self.path:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
            return
        if "endless" not in self.path:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.close_connection = self.close_connection or "endless" in self.path

    do_PUT = do_GET  # noqa: N815 - the names are those of http.server
    do_HEAD = do_GET  # noqa: N815 - the names are those of http.server

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    """A plain server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


class Client:
    """One connection that is kept."""

    def __init__(self, url: str) -> None:
        self.connection = HTTPConnection(urlsplit(url).netloc, timeout=10)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def send(self, method: str, target: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """Send a request and read the reply."""
        self.connection.request(method, target, body, headers)
        with self.connection.getresponse() as reply:
            return reply.status, reply.read()


@pytest.mark.parametrize("target", ["/a", "/chunks", "/endless"])
def test_requests_and_replies_pass_unchanged(upstream: str, target: str) -> None:
    """Bodies of requests and replies pass, framed by length, in chunks or by the end, again and again."""
    with LatencyProxy(upstream) as proxy, Client(proxy.url) as client:
        for n in range(3):
            body = b"x" * n
            assert client.send("PUT", target, body) == (200, b"PUT " + target.encode() + b" " + body)
        assert [request.method for request in proxy.requests] == ["PUT"] * 3


def test_requests_in_chunks_pass(upstream: str) -> None:
    """A body that comes in chunks is passed on as it is framed; this server takes it for none."""
    with LatencyProxy(upstream) as proxy, Client(proxy.url) as client:
        client.connection.request("PUT", "/a", iter([b"ab", b"c"]), encode_chunked=True)
        assert client.connection.getresponse().read() == b"PUT /a "
        assert proxy.requests[0].head.get("transfer-encoding") == "chunked"


def test_heads_have_no_body(upstream: str) -> None:
    """After the reply to a HEAD the connection goes on."""
    with LatencyProxy(upstream) as proxy, Client(proxy.url) as client:
        assert client.send("HEAD", "/a") == (200, b"")
        assert client.send("GET", "/b") == (200, b"GET /b ")
        proxy.reset()
        assert proxy.requests == []


def test_expectations_are_met_by_the_proxy(upstream: str) -> None:
    """A client that waits for `100 Continue` before it sends a body is told to go on."""
    with LatencyProxy(upstream) as proxy:

        async def send() -> bytes:
            reader, writer = await asyncio.open_connection(*urlsplit(proxy.url).netloc.split(":"))
            writer.write(b"PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            first = await reader.readuntil(b"\r\n\r\n")
            writer.write(b"ab")
            rest = await reader.readuntil(b"ab")
            writer.close()
            return first + rest

        reply = asyncio.run(send())
    assert reply.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200")
    assert reply.endswith(b"PUT /a ab")


def test_requests_are_held(upstream: str) -> None:
    """No reply comes before the delay has passed."""
    with LatencyProxy(upstream, delay_seconds=0.2) as proxy, Client(proxy.url) as client:
        for n in range(2):
            begun = time.monotonic()
            client.send("GET", f"/{n}")
            assert time.monotonic() - begun >= 0.2


def test_waves_are_what_depends_on_one_another(upstream: str) -> None:
    """Requests sent without waiting are one wave; those sent after a reply are the next."""
    with LatencyProxy(upstream, settle_seconds=0.3) as proxy, ThreadPoolExecutor(4) as pool:

        def ask_twice(n: int) -> None:
            with Client(proxy.url) as client:
                client.send("GET", f"/{n}/1")
                client.send("GET", f"/{n}/2")

        list(pool.map(ask_twice, range(4)))
        assert (
            sorted((request.target[-1], request.wave) for request in proxy.requests) == [("1", 1)] * 4 + [("2", 2)] * 4
        )
        assert proxy.waves == 2


def test_waves_of_expected_sizes_do_not_wait(upstream: str) -> None:
    """A wave that is as large as expected goes on at once; one request too many is the beginning of the next."""
    with LatencyProxy(upstream, settle_seconds=60) as proxy, ThreadPoolExecutor(4) as pool:
        proxy.reset(3, 1)

        def ask(n: int) -> None:
            with Client(proxy.url) as client:
                client.send("GET", f"/{n}")

        list(pool.map(ask, range(4)))
        assert sorted(request.wave for request in proxy.requests) == [1, 1, 1, 2]


def test_mischief_replaces_the_reply(upstream: str) -> None:
    """A request can be answered by the proxy, cut short, or dropped; the next one passes."""
    todo: list[Any] = [Answered(418, b"tea", "text/plain"), Cut(3), Dropped(), None]
    with LatencyProxy(upstream) as proxy:
        proxy.mischief = lambda _: todo.pop(0)
        with Client(proxy.url) as client:
            assert client.send("GET", "/a") == (418, b"tea")
        for _ in range(2):
            with Client(proxy.url) as client, pytest.raises((HTTPException, ConnectionError)):
                client.send("GET", "/a")
        with Client(proxy.url) as client:
            assert client.send("GET", "/a") == (200, b"GET /a ")


def test_a_service_that_is_down_breaks_the_connection() -> None:
    """Where nobody listens behind the proxy, the client's connection breaks."""
    with (
        LatencyProxy(f"http://127.0.0.1:{free_ports(1)[0]}") as proxy,
        Client(proxy.url) as client,
        pytest.raises((HTTPException, ConnectionError)),
    ):
        client.send("GET", "/a")


def test_a_proxy_has_an_address_only_while_it_runs(upstream: str) -> None:
    """The address of a proxy that was not entered is an error that says what to do."""
    with pytest.raises(UsageError, match="with statement"):
        _ = LatencyProxy(upstream).url
