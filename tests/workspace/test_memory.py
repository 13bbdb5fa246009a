"""No instruction text is kept: the heap is searched for a marker after the host let go of what it was handed."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

from guidefs import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from guidefs import Session

# Written backwards, so that neither this module nor a running test holds the marker itself.
_BACKWARDS = "tekramrevomoolgnidaergnolamorfsdrow"


def write(path: Path, suffix: str = "") -> None:
    """Write an instruction file with the marker in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{_BACKWARDS[::-1]} {suffix}\n" * 50)


def holders() -> list[str]:
    """What on the heap refers to a text or bytes with the marker, by type."""
    gc.collect()
    text = _BACKWARDS[::-1]
    data = text.encode()
    found: list[str] = []
    for holder in gc.get_objects():
        for held in gc.get_referents(holder):
            if (type(held) is str and held is not text and text in held) or (type(held) is bytes and data in held):
                found.append(f"{type(holder).__module__}.{type(holder).__qualname__}: {str(holder)[:200]}")
                break
    return [line for line in found if not line.startswith("builtins.frame")]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session over a project on disk whose instruction files hold the marker."""
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    for name in ("AGENTS.md", "CLAUDE.md", "p/AGENTS.md", "p/CLAUDE.md", "p/q/AGENTS.md"):
        write(root / name, name if name != "p/CLAUDE.md" else "p/AGENTS.md")
    (root / "p" / "q" / "a.txt").write_text("plain\n")
    return Workspace(str(root), max_bytes=1 << 20, home=str(tmp_path / "home")).session("s")


def touching(session: Session) -> int:
    """One call whose contexts are let go; how many there were."""
    with session.call("c") as call:
        call.touch("p/q/x", "read")
    return len(call.contexts)


def test_search_finds_what_is_kept(session: Session) -> None:
    """The search finds a text that somebody keeps, so that finding none means something."""
    with session.call() as call:
        call.touch("p/q/x", "read")
    kept = [call.contexts[0].text]
    assert holders()
    del call
    assert holders()
    kept.clear()
    assert holders() == []


def test_call_keeps_no_text(session: Session) -> None:
    """After a call whose changes are pending, the session holds no text."""
    assert touching(session) == 1
    assert len(session.status().pending) == 2
    assert holders() == []


def test_confirmed_call_keeps_no_text(session: Session) -> None:
    """A confirmed change is in the log without its text."""
    touching(session)
    session.confirm("c")
    assert len(session.status().visible) == 2
    assert holders() == []


def test_rolled_back_call_keeps_no_text(session: Session) -> None:
    """Neither does a change that was lost and is due again."""
    touching(session)
    session.rollback("c")
    assert holders() == []


def test_baseline_keeps_no_text(session: Session) -> None:
    """Nor does a session that composed a baseline, which the host keeps."""
    assert session.prefix() is not None
    assert holders() == []
    assert touching(session) == 1
    assert holders() == []


def test_updates_keep_no_text(session: Session, tmp_path: Path) -> None:
    """Nor after updates, removals, and copies that are shown after all."""
    touching(session)
    write(tmp_path / "repo" / "p" / "q" / "AGENTS.md", "newer")
    (tmp_path / "repo" / "p" / "AGENTS.md").unlink()
    assert touching(session) == 1
    assert touching(session) == 0
    assert holders() == []


def test_async_call_keeps_no_text(session: Session) -> None:
    """Nor after a call on an event loop."""

    async def run() -> int:
        async with session.call("c") as call:
            call.touch("p/q/x", "read")
        return len(call.contexts)

    assert asyncio.run(run()) == 1
    assert holders() == []


def test_late_task_keeps_no_text(session: Session) -> None:
    """Nor does a task that was started in a call and goes on after it, as those of a connection do."""

    async def run() -> list[str]:
        ended = asyncio.Event()
        async with session.call("outer"):
            async with session.call("c") as call:
                call.touch("p/q/x", "read")
                task = asyncio.create_task(ended.wait())
            del call
        await asyncio.sleep(0)  # until then the loop itself holds the future that it is calling back for
        found = holders()
        ended.set()
        await task
        return found

    assert asyncio.run(run()) == []


def test_raising_call_keeps_no_text(session: Session) -> None:
    """Nor after an outer call that raised."""

    def run() -> None:
        with session.call("outer"):
            touching(session)
            raise KeyError("of the tool")

    with pytest.raises(KeyError):
        run()
    assert holders() == []


def test_omitted_text_is_not_kept(tmp_path: Path) -> None:
    """A file that the budget left out, and is due, is not kept until then."""
    write(tmp_path / "repo" / "p" / "AGENTS.md")
    (tmp_path / "repo" / ".git").mkdir()
    session = Workspace(str(tmp_path / "repo"), max_bytes=50, home=str(tmp_path / "home")).session("s")
    assert touching(session) == 0
    assert holders() == []


def test_reading_an_instruction_file_keeps_no_text(session: Session) -> None:
    """Nor after the instruction file itself was read by a tool."""

    def run() -> int:
        with session.call():
            result = session.tools.read("p/AGENTS.md")
        return len(result)

    assert run() > 0
    assert holders() == []


def test_window_keeps_only_the_hosts_messages(session: Session) -> None:
    """After a look at the window the session holds the host's own messages until the next look, and no copy of them."""
    with session.call() as call:
        call.touch("p/q/x", "read")
    messages = [{"role": "tool", "content": call.text}]
    del call
    session.observe(messages)
    messages[0]["content"] = ""
    assert holders() == []
