"""A workspace without a filesystem."""

from __future__ import annotations

import pytest

import guidefs


def test_everything_is_a_no_op_and_decorated_tools_work() -> None:
    """Nothing is loaded or asked, and a tool that is decorated does what it did."""
    session = guidefs.Workspace(None, max_bytes=65_536).session("s")

    @session.tool(path="path")
    def read(path: str) -> str:
        return f"content of {path}"

    assert session.prefix() is None
    assert session.fs is None
    assert read("a/b") == "content of a/b"
    with session.call("c") as call:
        call.touch("a/b", "read")
        call.touch("s3://bucket/x", "read")
    assert (call.contexts, call.text, call.meta) == ((), "", {})
    assert session.preflight("a/b") == ()
    assert session.stats.batches == 0


def test_its_own_tools_say_why_they_cannot() -> None:
    """The ready-made tools name the reason as a typed error."""
    session = guidefs.Workspace(None, max_bytes=65_536).session("s")
    with pytest.raises(FileNotFoundError, match="a/b"):
        session.tools.read("a/b")
