"""Workspaces on a filesystem whose paths are whole URLs, over a server of the standard library."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from fsspec.implementations.http import HTTPFileSystem

import guidefs
from guidefs.errors import FileInputOutputError


class Quiet(SimpleHTTPRequestHandler):
    """Serves a directory and logs nothing."""

    def log_message(self, *_: object) -> None:
        """Keep still."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The origin of a server over a small project."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "api" / "v1").mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("root")
    (tmp_path / "api" / "AGENTS.md").write_text("api")
    (tmp_path / "api" / "v1" / "AGENTS.md").write_text("v1")
    (tmp_path / "api" / "v1" / "x.txt").write_text("x\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_session_over_http(served: str) -> None:
    """A URL is a workspace like any other: the host is the top of its filesystem, and tools take paths and URLs."""
    session = guidefs.Workspace(f"{served}/api", max_bytes=65_536).session("s")
    prefix = session.prefix()
    assert prefix is not None
    assert [change.path for change in prefix.changes] == ["AGENTS.md", "api/AGENTS.md"]
    with session.call("c1") as first:
        assert session.tools.read("v1/x.txt").startswith("     1\tx\n")
    assert [change.path for context in first.contexts for change in context.changes] == ["api/v1/AGENTS.md"]
    session.confirm("c1")
    with session.call("c2") as second:
        session.tools.read(f"{served}/api/v1/x.txt")
    assert second.contexts == ()
    assert session.stats.unavailable == 0


def test_other_hosts_are_outside(served: str) -> None:
    """A URL of another origin names nothing of the workspace, however alike it looks."""
    session = guidefs.Workspace(f"{served}/api", max_bytes=65_536).session("s")
    for url in (f"{served}0/api/v1/x.txt", "http://127.0.0.1/api/v1/x.txt", "s3://api/v1/x.txt"):
        with pytest.raises(FileInputOutputError, match="names no file of this workspace"):
            session.tools.read(url)


def test_filesystem_with_a_url_as_its_directory(served: str) -> None:
    """The same filesystem may be given by hand, with its working directory in its own form."""
    by_hand = guidefs.Workspace(HTTPFileSystem(), cwd=f"{served}/api", max_bytes=65_536).session("s").prefix()
    by_url = guidefs.Workspace(f"{served}/api", max_bytes=65_536).session("s").prefix()
    assert by_hand is not None
    assert by_hand == by_url
