"""Changes that no call touched: told as soon as there is news of them, and by the next touch where there is none."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from guidefs import ConfigurationError, Context, Session, Workspace
from guidefs.errors import WatchError
from guidefs.testing import ScriptedChanges
from guidefs.watch.changes import FileEvents, is_ignored
from guidefs.workspace.watching import Watch

_PATIENCE_SECONDS = 60


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with instructions at its root and in one directory."""
    for name in (".git", "api/src", "web", "node_modules/lib"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("AGENTS.md", "api/AGENTS.md", "api/x", "web/x"):
        (tmp_path / name).write_text(f"text of {name}")
    return tmp_path


@pytest.fixture
def session(root: Path) -> Session:
    """A session that was told of the root and of one directory."""
    opened = Workspace(root, max_bytes=65_536, home=str(root / "nobody")).session("s")
    opened.prefix()
    with opened.call("c"):
        opened.tools.read("api/x")
    opened.confirm("c")
    return opened


def outside(root: Path, program: str) -> None:
    """Change files from another process."""
    subprocess.run([sys.executable, "-c", f"import os, pathlib, shutil\n{program}"], cwd=root, check=True)


def told(contexts: tuple[Context, ...]) -> list[str]:
    """What some messages say."""
    return [f"{change.action} {change.path}" for context in contexts for change in context.changes]


def gather(session: Session, watch: Watch, wanted: set[str]) -> list[str]:
    """Wait until everything that is wanted was told, and give all that was."""
    found: list[str] = []
    alarm = threading.Timer(_PATIENCE_SECONDS, watch.close)
    alarm.start()
    try:
        for contexts in watch:
            found.extend(told(contexts))
            session.confirm()
            if wanted <= set(found):
                return found
    finally:
        alarm.cancel()
    raise AssertionError(f"told {found}, wanted {wanted}")


CHANGES = [
    ("pathlib.Path('api/AGENTS.md').write_text('newer')", {"replace api/AGENTS.md"}),
    ("pathlib.Path('t').write_text('newer'); os.replace('t', 'AGENTS.md')", {"replace AGENTS.md"}),
    ("os.makedirs('api/new/deep'); pathlib.Path('api/new/deep/AGENTS.md').write_text('x')",
     {"set api/new/deep/AGENTS.md"}),
    ("os.remove('api/AGENTS.md')", {"remove api/AGENTS.md"}),
    ("shutil.rmtree('api')", {"remove api/AGENTS.md"}),
    ("os.rename('api/AGENTS.md', 'web/CLAUDE.md')", {"remove api/AGENTS.md", "set web/CLAUDE.md"}),
    ("os.rename('api', 'web/moved')", {"remove api/AGENTS.md", "set web/moved/AGENTS.md"}),
    ("os.symlink('../AGENTS.md', 'web/AGENTS.md')", {"set web/AGENTS.md"}),
]  # fmt: skip


@pytest.mark.parametrize(("program", "wanted"), CHANGES, ids=[change[0][:40] for change in CHANGES])
def test_changes_of_another_process(root: Path, session: Session, program: str, wanted: set[str]) -> None:
    """An edit, a new file in a new directory, a delete and renames are told, with no touch at all."""
    (root / "AGENTS.md").write_text("before anybody listens")
    with session.watch() as watch:
        # From here on nothing is told unless there is an event.
        assert told(next(watch)) == ["replace AGENTS.md"]
        outside(root, program)
        assert set(gather(session, watch, wanted)) == wanted
    assert session.stats.unavailable == 0


@pytest.mark.parametrize(("program", "wanted"), CHANGES[:2] + CHANGES[3:5])
def test_polling(root: Path, session: Session, program: str, wanted: set[str]) -> None:
    """Polling tells what became of the files that the session knows."""
    with session.watch(poll_seconds=0.05) as watch:
        outside(root, program)
        assert set(gather(session, watch, wanted)) == wanted


def test_iteration_on_a_loop(root: Path, session: Session) -> None:
    """The same on an event loop; waiting can be cancelled and begun again, and nothing is lost by it."""

    async def run() -> list[str]:
        async with session.watch() as watch:
            for _ in range(3):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(anext(watch), 0.2)
            await asyncio.to_thread(outside, root, "pathlib.Path('api/AGENTS.md').write_text('newer')")
            found = told(await asyncio.wait_for(anext(watch), _PATIENCE_SECONDS))
            watch.close()
            assert [contexts async for contexts in watch] == []
            return found

    assert asyncio.run(run()) == ["replace api/AGENTS.md"]


@pytest.fixture
def scripted(session: Session) -> Iterator[tuple[ScriptedChanges, Watch]]:
    """A watch that knows of changes only what a test says."""
    source = ScriptedChanges()
    with session.watch(source=source) as watch:
        yield source, watch


def test_lost_events_cost_delay_only(root: Path, session: Session, scripted: tuple[ScriptedChanges, Watch]) -> None:
    """Where every event is lost, the next touch tells the truth, and the watch does not tell it again."""
    source, watch = scripted
    (root / "api" / "AGENTS.md").write_text("newer")
    (root / "AGENTS.md").unlink()
    with session.call("c2") as call:
        session.tools.read("web/x")
    assert told(call.contexts) == ["remove AGENTS.md", "replace api/AGENTS.md"]
    session.confirm("c2")
    source.tell()
    (root / "web" / "AGENTS.md").write_text("new")
    source.tell(str(root / "web" / "AGENTS.md"))
    assert gather(session, watch, {"set web/AGENTS.md"}) == ["set web/AGENTS.md"]


def test_false_events_tell_nothing(root: Path, session: Session, scripted: tuple[ScriptedChanges, Watch]) -> None:
    """Events about what did not change, does not exist or lies elsewhere lead to no message."""
    source, watch = scripted
    source.tell(str(root / "api" / "AGENTS.md"), str(root / "no" / "AGENTS.md"), "/elsewhere/AGENTS.md", "", "a\0b")
    source.tell(str(root / "api" / "x"), str(root))
    (root / "web" / "AGENTS.md").write_text("new")
    source.tell()
    source.tell(str(root / "web"))
    assert gather(session, watch, {"set web/AGENTS.md"}) == ["set web/AGENTS.md"]


def test_messages_are_pending_until_seen(root: Path, session: Session, scripted: tuple[ScriptedChanges, Watch]) -> None:
    """A message that never reached the model is told again by the next touch, like that of a call."""
    source, watch = scripted
    (root / "api" / "AGENTS.md").write_text("newer")
    source.tell()
    assert told(next(watch)) == ["replace api/AGENTS.md"]
    with session.call("c2") as call:
        session.tools.read("api/x")
    assert call.contexts == ()
    session.rollback()
    with session.call("c3") as again:
        session.tools.read("api/x")
    assert told(again.contexts) == ["replace api/AGENTS.md"]


def test_source_that_fails(session: Session, scripted: tuple[ScriptedChanges, Watch]) -> None:
    """A source that gives up is a typed error for whoever waits, and calls go on."""
    source, watch = scripted
    source.fail(ValueError("no more"))
    with pytest.raises(WatchError, match="no more"):
        next(watch)
    with session.call():
        session.tools.read("api/x")


def test_closing_ends_the_thread(session: Session) -> None:
    """A watch that is closed, or that nobody refers to any more, stops listening."""
    first, second = ScriptedChanges(), ScriptedChanges()
    watch = session.watch(source=first)
    watch.close()
    watch.close()
    assert list(watch) == []
    assert first.stopped.wait(_PATIENCE_SECONDS)
    watch = session.watch(source=second)
    del watch
    assert second.stopped.wait(_PATIENCE_SECONDS)


def test_waiting_thread_is_let_go(session: Session) -> None:
    """Closing from another thread ends an iteration that waits."""
    watch = session.watch(source=ScriptedChanges())
    waiting = threading.Thread(target=lambda: list(watch))
    waiting.start()
    watch.close()
    waiting.join(_PATIENCE_SECONDS)
    assert not waiting.is_alive()


def test_polling_another_filesystem() -> None:
    """Where there are no events, known files are looked at in the stated interval."""
    fs = MemoryFileSystem()
    fs.pipe({"/watched/.git/HEAD": b"", "/watched/AGENTS.md": b"one"})
    session = Workspace(fs, cwd="/watched", max_bytes=9999, home="memory:///nobody").session("s")
    session.prefix()
    with session.watch(poll_seconds=0.02) as watch:
        fs.pipe("/watched/AGENTS.md", b"two")
        assert gather(session, watch, {"replace AGENTS.md"}) == ["replace AGENTS.md"]


@pytest.mark.parametrize("poll_seconds", [0, -1, float("nan")])
def test_interval_that_is_none(session: Session, poll_seconds: float) -> None:
    """An interval has to be a positive number."""
    with pytest.raises(ConfigurationError, match="poll_seconds"):
        session.watch(poll_seconds=poll_seconds)


def test_directory_that_cannot_be_watched(tmp_path: Path) -> None:
    """A directory that is not there is a typed error that says what to do."""
    with pytest.raises(WatchError, match="poll_seconds"):
        list(FileEvents([str(tmp_path / "no-such")]).changes(threading.Event()))


@pytest.mark.parametrize("path", ["/r/node_modules/lib/AGENTS.md", "/r/.git/index", "/r/a/.venv/x"])
def test_directories_that_programs_write_to(path: str) -> None:
    """What lies inside of such a directory below the watched one is no news."""
    assert is_ignored(path, ["/r"])


@pytest.mark.parametrize("path", ["/r/.git", "/r/AGENTS.md", "/elsewhere/.git/x", "/r2/.git/x", "/node_modules/r/x"])
def test_other_directories(path: str) -> None:
    """Everything else is."""
    assert not is_ignored(path, ["/r"])
