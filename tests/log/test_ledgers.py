"""Ledgers that outlive the process, used alone and through sessions."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from guidefs import JsonlLedger, Ledger, LogError, MemoryLedger, SqliteLedger, Workspace
from guidefs.values.diagnostic import LogRepaired

Open: TypeAlias = Callable[[], Any]
KINDS = {"jsonl": JsonlLedger, "sqlite": SqliteLedger}
RECORD = {"frame": "xxh3:1", "source": {"kind": "plugin", "\udcff": "\u2028\0"}, "meta": {"changes": [None, 1.5]}}


@pytest.fixture(params=sorted(KINDS))
def open_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same saved ledger, each time as another process would."""
    opened = []

    def open_one() -> Any:
        opened.append(KINDS[request.param](tmp_path / "ledger"))
        return opened[-1]

    yield open_one
    for ledger in opened:
        ledger.close()


def test_records_are_kept(open_ledger: Open) -> None:
    """A record is found by its fingerprint, by whoever opened the ledger before or opens it later."""
    early, writer = open_ledger(), open_ledger()
    assert writer.get("xxh3:1") is None
    assert early.get("xxh3:1") is None
    writer.put("xxh3:1", RECORD)
    for ledger in (writer, early, open_ledger()):
        assert ledger.get("xxh3:1") == RECORD
        assert ledger.get("xxh3:2") is None


def test_newest_record_counts(open_ledger: Open, tmp_path: Path) -> None:
    """A record that is put again takes the place of the older one; the same one again adds nothing to the file."""
    ledger = open_ledger()
    ledger.put("f", {"meta": 1})
    ledger.put("f", RECORD)
    size = (tmp_path / "ledger").stat().st_size
    for _ in range(50):
        ledger.put("f", RECORD)
    assert (tmp_path / "ledger").stat().st_size == size
    assert open_ledger().get("f") == RECORD


def test_record_that_is_no_json(open_ledger: Open) -> None:
    """What cannot be saved is an error of the caller's, and is not kept."""
    ledger = open_ledger()
    with pytest.raises(TypeError):
        ledger.put("f", {"meta": object()})
    assert ledger.get("f") is None


WRITING = """
import sys
import guidefs
ledger = getattr(guidefs, sys.argv[1])(sys.argv[2])
for number in range(60):
    ledger.put(f"{sys.argv[3]}-{number}", {"n": number})
ledger.close()
"""


def test_processes_and_threads_share_it(open_ledger: Open, tmp_path: Path) -> None:
    """Several processes and threads put at once, and nothing is lost."""
    ledger = open_ledger()
    words = [sys.executable, "-c", WRITING, type(ledger).__name__, str(tmp_path / "ledger")]
    running = [subprocess.Popen([*words, str(number)], stderr=subprocess.PIPE, text=True) for number in range(3)]

    def put_many(name: str) -> None:
        for number in range(60):
            ledger.put(f"{name}-{number}", {"n": number})

    threads = [threading.Thread(target=put_many, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for process in running:
        _, errors = process.communicate(timeout=60)
        assert errors == ""
    for name in "012ab":
        assert [ledger.get(f"{name}-{number}") for number in range(60)] == [{"n": number} for number in range(60)]


def test_places_that_cannot_be_opened(tmp_path: Path) -> None:
    """A file of another kind is an error that names it, and is left alone."""
    path = tmp_path / "notes"
    path.write_text("my own notes, which are neither of the two\n" * 50)
    before = path.read_bytes()
    for kind in KINDS.values():
        with pytest.raises(LogError, match="notes"):
            kind(path)
        with pytest.raises(LogError, match="no-such"):
            kind(tmp_path / "no-such" / "ledger")
    assert path.read_bytes() == before


def test_damaged_lines_are_passed_over(tmp_path: Path) -> None:
    """Of a ledger in a file a torn end is dropped, a line that cannot be read is passed over, and both are reported."""
    path = tmp_path / "ledger"
    ledger = JsonlLedger(path)
    ledger.put("a", RECORD)
    ledger.close()
    with open(path, "ab") as file:
        file.write(b'garbage\n{"frame": 1}\n{"frame": "b", "rec')
    events: list[LogRepaired] = []
    ledger = JsonlLedger(path, on_event=events.append)
    assert (ledger.get("a"), ledger.get("b")) == (RECORD, None)
    assert sorted(event.line for event in events) == [3, 4, 5]
    ledger.close()


def project(root: Path) -> Workspace:
    """A workspace with instructions in one directory."""
    (root / ".git").mkdir(parents=True)
    (root / "api").mkdir()
    (root / "api" / "AGENTS.md").write_text("rules of the api")
    (root / "api" / "x").write_text("x")
    return Workspace(root, max_bytes=65_536, home=str(root / "nobody"))


def test_resumed_run_repeats_nothing(open_ledger: Open, tmp_path: Path) -> None:
    """A host that keeps texts alone resumes with the ledger: what its messages show is not told again."""
    workspace = project(tmp_path / "work")
    first = workspace.session("s", ledger=open_ledger())
    with first.call("c1") as call:
        first.tools.read("api/x")
    history = [{"role": "tool", "content": f"result\n\n{call.text}"}]
    assert call.text
    for ledger, expected in ((open_ledger(), ""), (MemoryLedger(), call.text)):
        second = workspace.session("s", ledger=ledger)
        second.observe(history)
        with second.call("c2") as again:
            second.tools.read("api/x")
        assert again.text == expected


class Broken:
    """A ledger whose disk is full."""

    def get(self, frame: str) -> Mapping[str, Any] | None:
        """Fail."""
        raise LogError("the disk is gone")

    def put(self, frame: str, record: Mapping[str, Any]) -> None:
        """Fail."""
        raise LogError("the disk is full")


def test_ledger_that_fails_takes_nothing_away(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A ledger that cannot be written is logged; calls, their results and what they bring are as ever."""
    ledger: Ledger = Broken()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "AGENTS.md").write_text("root")
    session = project(tmp_path / "work").session("s", ledger=ledger)
    assert session.prefix() is not None
    with session.call("c1") as call:
        assert session.tools.read("api/x").startswith("     1\tx")
    assert [context.changes[0].path for context in call.contexts] == ["api/AGENTS.md"]
    session.confirm("c1")
    with session.call("c2") as again:
        session.tools.read("api/x")
    assert again.contexts == ()
    session.observe([{"role": "tool", "content": call.text}])
    assert "the ledger does not take records" in caplog.text
    assert "the ledger cannot be asked" in caplog.text
