"""The log in a file: the same answers as the one in memory, and nothing lost by crashes, damage or company."""

from __future__ import annotations

import gc
import json
import os
import resource
import secrets
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guidefs import JsonlSessionLog, LogError, Message, SessionLog
from guidefs.values.change import Change
from guidefs.values.context import metadata
from guidefs.values.diagnostic import LogRepaired
from guidefs.values.scope import Scope

HEADER_LINES = 1


def told(name: str, text: str = "text") -> Message:
    """A message of ours about one directory."""
    return Message(text, meta=metadata([Change("set", Scope(name, "AGENTS.md"), f"{name}/AGENTS.md", text[:5])]))


baseline = Message("base\nline", meta=metadata([Change("set", Scope(".", "A"), "A", "x")], identity="i"))
awkward = Message("\ud800\u2028\0\r\n\u0085", {"kind": "user", "\udcff": [None, 1.5, {}]}, {"deep": [[["x"]]]})
messages = st.sampled_from([told("p"), told("q"), told("p", "newer"), baseline, awkward, Message("hello", None)])
keeps = st.lists(st.integers(-1, 6), max_size=4).map(tuple)
actions = st.one_of(
    messages,
    messages,
    keeps,
    st.sampled_from(["reopen", "other", "vacuum", "hide p", "keep text"]),
)


def mentions_p(message: Message) -> bool:
    """Whether a record speaks of one directory."""
    return any(change.scope.directory == "p" for change in message.changes)


def act(log: SessionLog, action: Any) -> None:
    """Do to a log what one step of a script says, as far as it concerns any log."""
    match action:
        case Message():
            log.append(action)
        case tuple():
            log.compact(keep=action)
        case "hide p":
            log.hide(mentions_p)
        case "keep text":
            log.compact(keep=lambda message: "e" in message.text)


def seen(log: SessionLog) -> object:
    """Everything that a log answers, but for what is allowed to differ."""
    return (
        log.visible(),
        log.guidance(texts=True),
        log.visible_ordinals(),
        log.guidance_count(),
        list(log.surface().items()),
        log.baselines(),
        [message.changes for message in log.since(0)[1] if message.is_guidance],
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(actions, max_size=14))
def test_answers_like_the_log_in_memory(script: list[Any]) -> None:
    """Whatever is appended, compacted, reopened, rewritten or done through a second object: answers are the same."""
    model = SessionLog()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        log, other = JsonlSessionLog(path), JsonlSessionLog(path)
        for action in script:
            if action == "reopen":
                log.close()
                log = JsonlSessionLog(path)
            elif action == "other":
                log, other = other, log
            elif action == "vacuum":
                log.vacuum()
            before = log.revision
            act(model, action)
            act(log, action)
            assert log.revision >= before
            assert seen(log) == seen(model)
        assert seen(other) == seen(model)
        assert seen(JsonlSessionLog.snapshot(path)) == seen(model)
        for opened in (log, other):
            opened.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log of a test lies."""
    return tmp_path / "log.jsonl"


def test_cut_at_every_byte(path: Path) -> None:
    """Wherever a write was cut off, whole lines are there, the rest is dropped with a diagnostic, and work goes on."""
    with JsonlSessionLog(path) as log:
        for name in "pq":
            log.append(told(name))
        log.compact(keep=[1])
    whole = path.read_bytes()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        events: list[LogRepaired] = []
        lines = whole[:size].count(b"\n")
        torn = size > 0 and whole[size - 1 : size] != b"\n"
        with JsonlSessionLog(path, on_event=events.append) as log:
            assert log.guidance_count() == min(2, max(0, lines - HEADER_LINES))
            assert log.visible_ordinals() == ((1,) if lines == 4 else tuple(range(log.guidance_count())))
            assert [event.line for event in events] == ([lines + 1] if torn else [])
            count = log.guidance_count()
            log.append(told("r"))
        with JsonlSessionLog(path, on_event=lambda event: pytest.fail(str(event))) as log:
            assert log.guidance_count() == count + 1


@pytest.mark.parametrize(
    "damage", [b"\0" * 40, b"{", b"[1]", b'"x"', b"\xff\xfe", b"[" * 100_000, b"{}", b'{"n": true}']
)
def test_damaged_line_costs_only_itself(path: Path, damage: bytes) -> None:
    """A line in the middle that cannot be read is passed over with a diagnostic, never what stands after it."""
    with JsonlSessionLog(path) as log:
        log.append(told("p"))
        log.append(told("q"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], damage, b"\n", *lines[2:]]))
    events: list[LogRepaired] = []
    with JsonlSessionLog(path, on_event=events.append) as log:
        assert [message.changes[0].path for message in log.visible()] == ["p/AGENTS.md", "q/AGENTS.md"]
    assert [(event.path, event.line) for event in events] == [(str(path), 3)]


@pytest.mark.parametrize(
    "content", [b"my notes", b"my notes\n", b'{"a": 1}\n', b"x" * 5000, b'{"guidefs": "ledger", "v": 1}\n']
)
def test_file_of_another_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    """What is no session log is not opened, and not a byte of it is changed."""
    path.write_bytes(content)
    with pytest.raises(LogError, match="is no session log of guidefs"):
        JsonlSessionLog(path)
    assert path.read_bytes() == content


def test_newer_format_is_refused(path: Path) -> None:
    """A format that is not known is not guessed at."""
    path.write_text('{"guidefs": "session log", "v": 2, "id": "x"}\n')
    with pytest.raises(LogError, match="version 2 of the format"):
        JsonlSessionLog(path)


def test_places_that_cannot_be_opened(path: Path) -> None:
    """A directory that is not there, and a directory in place of the file, are errors that name the path."""
    with pytest.raises(LogError, match="no-such"):
        JsonlSessionLog(path.parent / "no-such" / "log.jsonl")
    with pytest.raises(OSError, match=str(path.parent)):
        JsonlSessionLog(path.parent)
    with pytest.raises(LogError, match=r"log\.jsonl"):
        JsonlSessionLog.snapshot(path)


def test_reading_only_leaves_the_file_alone(path: Path) -> None:
    """A log that is only followed sees what others append, repairs nothing and refuses to write."""
    with JsonlSessionLog(path) as writer:
        writer.append(told("p"))
        with open(path, "ab") as file:
            file.write(b'{"n": 1, "mess')
        torn = path.read_bytes()
        with JsonlSessionLog(path, read_only=True) as reader:
            assert reader.guidance_count() == 1
            with pytest.raises(LogError, match="reading only"):
                reader.append(told("q"))
            with pytest.raises(LogError, match="reading only"):
                reader.compact()
            with pytest.raises(LogError, match="reading only"):
                reader.vacuum()
            assert path.read_bytes() == torn
            writer.append(told("q"))
            assert [message.text for message in reader.visible()] == ["text", "text"]


def test_message_that_is_no_json(path: Path) -> None:
    """A record that cannot be saved is an error of the caller's, and the log is as it was."""
    with JsonlSessionLog(path) as log:
        before = path.read_bytes()
        with pytest.raises(TypeError):
            log.append(Message("x", meta={"a": object()}))
        assert path.read_bytes() == before
        assert len(log) == 0


def test_vacuum_drops_texts_and_keeps_records(path: Path) -> None:
    """Rewriting takes out what is out of sight, keeps the mode of the file and what was once told."""
    with JsonlSessionLog(path) as log:
        path.chmod(0o640)
        log.append(Message("a user's words" * 100, None))
        log.append(told("p", "old words" * 100))
        log.append(told("q"))
        log.compact(keep=[1])
        size = path.stat().st_size
        log.vacuum()
        assert path.stat().st_size < size / 3
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert b"words" not in path.read_bytes()
        log.append(told("r"))
    with JsonlSessionLog(path) as log:
        assert log.guidance_count() == 3
        assert log.visible_ordinals() == (1, 2)
        assert [message.text for message in log.visible()] == ["text", "text"]
    assert os.listdir(path.parent) == ["log.jsonl"]


def test_texts_are_not_held_in_memory(path: Path) -> None:
    """Only the file holds texts: none is found in memory once it was appended."""
    marker = secrets.token_hex(16)  # that nothing else in this process can hold
    with JsonlSessionLog(path) as log:
        log.append(Message(f"{marker}'s text", meta=baseline.meta))
        gc.collect()
        containers = [item for item in gc.get_objects() if isinstance(item, dict | list | tuple)]
        assert not [item for item in containers if holds_text(item, marker)]
        held = log.baselines()
        assert holds_text([held[0].text], marker)


def holds_text(container: Any, marker: str) -> bool:
    """Whether a container directly holds a text that begins with a marker and goes on."""
    values = list(container.values() if isinstance(container, dict) else container)
    return any(type(value) is str and value.startswith(f"{marker}'") for value in values)


def test_file_that_was_taken_away(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where the file is gone, or is another log, what is known stands and writing is refused."""
    with JsonlSessionLog(path) as log:
        log.append(told("p"))
        path.unlink()
        assert log.guidance_count() == 1
        with pytest.raises(LogError, match="taken away"):
            log.append(told("q"))
        with JsonlSessionLog(path) as another:
            another.append(told("z"))
            with pytest.raises(LogError, match="another log took the place"):
                log.append(told("q"))
        assert log.guidance_count() == 1
    assert len([record for record in caplog.records if "cannot be followed" in record.message]) == 1


def run(program: str, *arguments: object, preexec: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """Start another process on a log."""
    words = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=preexec)  # noqa: PLW1509 - no thread holds a lock here


APPENDING = """
import sys
from guidefs import JsonlSessionLog, Message
log = JsonlSessionLog(sys.argv[1])
for turn in range(150):
    log.append(Message(f"{sys.argv[2]} {turn} " + "x" * (turn * 37 % 3000), {"kind": "user"}))
    if sys.argv[2] == "0" and turn % 40 == 39:
        log.vacuum()
print(len([m for m in log.visible()]))
"""


def test_several_processes_append(path: Path) -> None:
    """Processes that append at once, one of them rewriting the file, lose nothing and keep their own order."""
    running = [run(APPENDING, path, number) for number in range(4)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    with JsonlSessionLog(path, on_event=lambda event: pytest.fail(str(event))) as log:
        words = [message.text.split()[:2] for message in log.visible()]
    for number in range(4):
        assert [int(turn) for who, turn in words if who == str(number)] == list(range(150))
    numbers = [json.loads(line)["n"] for line in path.read_text().splitlines()[HEADER_LINES:]]
    assert numbers == sorted(set(numbers))


FULL = """
import sys
from guidefs import JsonlSessionLog, LogError, Message
log = JsonlSessionLog(sys.argv[1])
log.append(Message("first", None))
try:
    log.append(Message("x" * 100_000, None))
except LogError as error:
    print(error.code, len(log))
log.append(Message("second", None))
try:
    log.vacuum()
except LogError as error:
    print("unexpected", error)
print([m.text for m in log.visible()])
"""


def limit_file_size() -> None:
    """Let files of this process grow to 50,000 bytes, and let more be an error."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))


def test_disk_that_is_full(path: Path) -> None:
    """A line for which there is no room is an error, leaves nothing of itself, and the next one that fits is kept."""
    process = run(FULL, path, preexec=limit_file_size)
    output, errors = process.communicate(timeout=60)
    assert errors == ""
    assert output == "log 1\n['first', 'second']\n"
    with JsonlSessionLog(path, on_event=lambda event: pytest.fail(str(event))) as log:
        assert [message.text for message in log.visible()] == ["first", "second"]


FORKED = """
import os, sys
from guidefs import JsonlSessionLog, Message
log = JsonlSessionLog(sys.argv[1])
log.append(Message("before", None))
child = os.fork()
for turn in range(100):
    log.append(Message(f"{child == 0} {turn}", None))
if child:
    _, status = os.waitpid(child, 0)
    print(status, len(log), len(set(m.text for m in log.visible())))
os._exit(0) if not child else None
"""


def test_fork(path: Path) -> None:
    """A forked process goes on with the same object, and neither takes the other's lock for its own."""
    process = run(FORKED, path)
    output, errors = process.communicate(timeout=60)
    assert (output, errors) == ("0 201 201\n", "")


def test_threads_and_objects_at_once(path: Path) -> None:
    """Threads with an object each on one file, appending, compacting and rewriting at once, lose nothing."""

    def work(number: int) -> None:
        with JsonlSessionLog(path) as log:
            for turn in range(40):
                log.append(told(f"{number}-{turn}"))
                log.visible()
                if turn % 13 == 0:
                    log.vacuum()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with JsonlSessionLog(path) as log:
        assert {scope.directory for scope in log.surface()} == {f"{n}-{t}" for n in range(6) for t in range(40)}
        assert len(log) == 240
