"""What events alone do not tell: links, budgets, cancellations, bursts, directories that are exchanged."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from guidefs import Context, Session, Workspace
from guidefs.storage import Answer, Limits, Marker, Question
from guidefs.testing import FakeProvider, ScriptedChanges
from guidefs.watch.changes import FileEvents
from guidefs.workspace.watching import Watch

_PATIENCE_SECONDS = 60


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose root file is a link to a file of another name."""
    root = tmp_path / "repo"
    for name in (".git", "api", "docs"):
        (root / name).mkdir(parents=True)
    (root / "docs" / "rules.md").write_text("one")
    (root / "AGENTS.md").symlink_to("docs/rules.md")
    return root


def opened(root: Path, max_bytes: int = 65_536) -> Session:
    """A session that was told of the root."""
    session = Workspace(root, max_bytes=max_bytes, home=str(root.parent / "nobody")).session("s")
    session.prefix()
    return session


def outside(root: Path, program: str) -> None:
    """Change files from another process."""
    subprocess.run([sys.executable, "-c", f"import os, pathlib, shutil\n{program}"], cwd=root, check=True)


def told(contexts: Sequence[Context]) -> list[str]:
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


def test_the_target_of_a_link(root: Path) -> None:
    """An instruction file that is a link to a file of any name in the tree is told when its target changes."""
    session = opened(root)
    target = root / "docs" / "rules.md"
    target.write_text("before anybody listens")
    with session.watch() as watch:
        assert told(next(watch)) == ["replace AGENTS.md"]
        outside(root, "pathlib.Path('docs/rules.md').write_text('two')")
        assert gather(session, watch, {"replace AGENTS.md"}) == ["replace AGENTS.md"]


def test_root_that_is_exchanged(root: Path) -> None:
    """Where another directory takes the place of the watched one, it is watched from then on, and searched."""
    session = opened(root)
    (root / "docs" / "rules.md").write_text("before anybody listens")
    with session.watch() as watch:
        assert told(next(watch)) == ["replace AGENTS.md"]
        outside(root.parent, "os.rename('repo', 'old'); shutil.copytree('old', 'repo', symlinks=True)")
        outside(root, "os.makedirs('api/new'); pathlib.Path('api/new/AGENTS.md').write_text('new')")
        assert gather(session, watch, {"set api/new/AGENTS.md"}) == ["set api/new/AGENTS.md"]
        outside(root, "pathlib.Path('api/new/AGENTS.md').write_text('newer')")
        assert gather(session, watch, {"replace api/new/AGENTS.md"}) == ["replace api/new/AGENTS.md"]


def test_directory_that_is_gone_for_a_while(root: Path) -> None:
    """A watched directory that goes is waited for, and a stop ends that wait, too."""
    stop = threading.Event()
    changes = FileEvents([str(root)]).changes(stop)
    assert next(changes) == frozenset()
    shutil.rmtree(root)
    coming = threading.Timer(0.3, root.mkdir)
    coming.start()
    assert any(str(root) in paths for paths in changes)
    coming.join()
    root.rmdir()
    threading.Timer(0.3, stop.set).start()
    for paths in changes:
        assert paths <= {str(root)}


def test_name_that_is_not_utf_8(root: Path) -> None:
    """Where the watcher fails at a name, everything is searched at intervals, and the watch goes on."""
    session = opened(root)
    (root / "docs" / "rules.md").write_text("before anybody listens")
    with session.watch(source=FileEvents([str(root)], look_seconds=0.1)) as watch:
        assert told(next(watch)) == ["replace AGENTS.md"]
        session.confirm()
        outside(root, r"os.mkdir(b'bad\xff\n'); open(b'bad\xff\n/AGENTS.md', 'w').write('x')")
        wanted = {"set bad\udcff\n/AGENTS.md"}
        assert set(gather(session, watch, wanted)) == wanted
        outside(root, "pathlib.Path('api/AGENTS.md').write_text('new')")
        assert gather(session, watch, {"set api/AGENTS.md"}) == ["set api/AGENTS.md"]
    assert session.stats.unavailable == 0


def test_many_events_at_once_lead_to_a_search(root: Path) -> None:
    """So many events that some may be lost are news of everything."""
    stop = threading.Event()
    changes = FileEvents([str(root)], burst=3).changes(stop)
    assert next(changes) == frozenset()
    outside(root, "[pathlib.Path(f'api/{number}').write_text('x') for number in range(50)]")
    alarm = threading.Timer(_PATIENCE_SECONDS, stop.set)
    alarm.start()
    assert any(str(root) in paths for paths in changes)
    alarm.cancel()


def test_what_is_known_is_looked_at_beside_events(root: Path) -> None:
    """A file that nothing watches, beyond a link or in a home that came later, is told at the next interval."""
    session = opened(root)
    (root / "docs" / "rules.md").write_text("before anybody listens")
    with session.watch(source=FileEvents([str(root)], look_seconds=0.05)) as watch:
        assert told(next(watch)) == ["replace AGENTS.md"]
        outside(root.parent, "os.mkdir('nobody'); pathlib.Path('nobody/AGENTS.md').write_text('mine')")
        assert gather(session, watch, {"set $DSH_HOME/AGENTS.md"}) == ["set $DSH_HOME/AGENTS.md"]


def test_what_the_budget_has_no_room_for_follows(root: Path) -> None:
    """Files that changed together and do not fit into one message are told in several, with no further event."""
    session = opened(root, max_bytes=700)
    source = ScriptedChanges()
    with session.watch(source=source) as watch:
        paths = [root / name / "AGENTS.md" for name in ("api", "docs")]
        for path in paths:
            path.write_text("x" * 300)
        source.tell(*map(str, paths))
        wanted = {"set api/AGENTS.md", "set docs/AGENTS.md"}
        assert set(gather(session, watch, wanted)) == wanted


class HeldProvider(FakeProvider):
    """Lets nobody on an event loop have an answer before the gate opens."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.gate = asyncio.Event(), asyncio.Event()

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> list[Answer]:
        """Wait, then answer."""
        self.asked.set()
        await self.gate.wait()
        return list(self.fetch(questions, limits))


def test_cancelled_look_is_made_again() -> None:
    """A wait that is cancelled while the files are looked at loses no news."""

    async def run() -> list[str]:
        disk = HeldProvider()
        disk.mkdir("/work/.git")
        disk.put("/work/AGENTS.md", "one")
        session = Workspace(
            MemoryFileSystem(), "/work", provider=disk, max_bytes=65_536, home="memory:///nobody"
        ).session("s")
        session.prefix()
        disk.put("/work/AGENTS.md", "two")
        async with session.watch(source=ScriptedChanges()) as watch:
            waiting = asyncio.ensure_future(anext(watch))
            await asyncio.wait_for(disk.asked.wait(), _PATIENCE_SECONDS)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            disk.gate.set()
            return told(await asyncio.wait_for(anext(watch), _PATIENCE_SECONDS))

    assert asyncio.run(run()) == ["replace AGENTS.md"]


def test_missing_package_is_named(root: Path) -> None:
    """Without watchfiles the error says how to install it, and polling works."""
    program = (
        "import sys\nsys.modules['watchfiles'] = None\nimport guidefs\n"
        "session = guidefs.Workspace(sys.argv[1], max_bytes=9999).session('s')\n"
        "session.watch(poll_seconds=1).close()\n"
        "try:\n    session.watch()\nexcept guidefs.MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(root)], capture_output=True, text=True, check=True)
    assert "pip install 'guidefs[watch]'" in done.stdout
