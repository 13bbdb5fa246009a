"""`guidefs replay`: what a saved log leads to, and what would come next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from guidefs import JsonlSessionLog, Message, Workspace

from .conftest import Ran


@pytest.fixture
def saved(project: Path, tmp_path: Path) -> Path:
    """The log of a session that was told of two directories, one of which left the model's sight."""
    path = tmp_path / "log.jsonl"
    (project / "web").mkdir()
    (project / "web" / "AGENTS.md").write_text("web rule")
    with JsonlSessionLog(path) as log:
        session = Workspace(project, max_bytes=65_536).session("s", log=log)
        prefix = session.prefix()
        assert prefix is not None
        log.append(Message.of(prefix))
        for name in ("web/x", "api/src/main.py"):
            with session.call() as call:
                call.touch(name, "read")
            for context in call.contexts:
                log.append(Message.of(context))
        log.append(Message("a user's words", {"kind": "user"}))
        log.compact(keep=[0, 2])
    return path


def test_log_alone(run: Callable[..., Ran], saved: Path) -> None:
    """Without a workspace the log says what the model sees and what is due; it is not written."""
    before = saved.read_bytes()
    ran = run("replay", saved, "--json")
    facts = ran.facts
    assert (ran.code, ran.err) == (0, "")
    assert (facts["schema"], facts["command"], facts["log"]) == (1, "replay", str(saved))
    assert (facts["messages"], facts["ours"], facts["ours_visible"]) == (4, 3, 2)
    assert [(file["path"], file["action"], file["via"]) for file in facts["visible"]] == [
        ("AGENTS.md", "set", "log"),
        ("api/AGENTS.md", "set", "log"),
    ]
    assert [file["path"] for file in facts["due"]] == ["web/AGENTS.md"]
    assert (facts["removed"], facts["pending"], facts["repairs"], facts["next"]) == ([], [], [], None)
    assert saved.read_bytes() == before


def test_what_would_come_next(run: Callable[..., Ran], saved: Path, project: Path) -> None:
    """Over the workspace the baseline is used again, what changed comes first, and paths bring what is due."""
    (project / "api" / "AGENTS.md").write_text("newer api rule")
    (project / "api" / "CLAUDE.md").unlink()
    before = saved.read_bytes()
    facts = run("replay", saved, "--workspace", project, "web/x", "web/x", "--json").facts
    first, second, third = facts["next"]["events"]
    assert first["reused"]
    assert first["cost"]["bytes"] == first["contexts"][0]["bytes"]
    told = [[(c["action"], c["path"]) for x in event["contexts"] for c in x["changes"]] for event in (first, second)]
    assert told == [[("replace", "api/AGENTS.md")], [("set", "web/AGENTS.md")]]
    assert third["contexts"] == []
    assert saved.read_bytes() == before


def test_another_budget_supersedes(run: Callable[..., Ran], saved: Path, project: Path) -> None:
    """With other settings a resumed run would compose a baseline that supersedes the logged one."""
    facts = run("replay", saved, "--workspace", project, "--max-bytes", "4000", "--json").facts
    (event,) = facts["next"]["events"]
    assert not event["reused"]
    assert "supersede" in event["contexts"][0]["text"]


def test_for_people(run: Callable[..., Ran], saved: Path, project: Path) -> None:
    """The same for people: each file with what was said last, then the events."""
    ran = run("replay", saved, "--workspace", project, "web/x")
    assert ran.code == 0
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert f"log {saved} (4 messages, 2 of guidefs in sight)" in lines
    assert any(line.startswith("visible api/AGENTS.md set (log)") for line in lines)
    assert any(line.startswith("due web/AGENTS.md set (log)") for line in lines)
    assert "the baseline of the log still holds, to the byte" in lines
    assert "▶ touch web/x (no such file: as if it were created)" in lines


def test_empty_log(run: Callable[..., Ran], tmp_path: Path) -> None:
    """A log in which nothing was told says so."""
    JsonlSessionLog(tmp_path / "new.jsonl").close()
    ran = run("replay", tmp_path / "new.jsonl")
    assert ran.code == 0
    assert "the model was told nothing" in ran.out


def test_damage_is_a_finding(run: Callable[..., Ran], saved: Path) -> None:
    """A line that cannot be read is a finding, on standard error too, and the rest is shown."""
    lines = saved.read_bytes().splitlines(keepends=True)
    saved.write_bytes(b"".join([*lines[:2], b"\x1b[31mgarbage\n", *lines[2:]]))
    ran = run("replay", saved, "--json")
    assert ran.code == 1
    assert [repair["line"] for repair in ran.facts["repairs"]] == [3]
    assert ran.facts["ours"] == 3
    assert "line 3" in ran.err
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize(("words", "reason"), [
    (["no-such.jsonl"], "no-such.jsonl"),
    (["."], "Is a directory"),
    ([], "required: LOG"),
    (["log.jsonl", "web/x"], "name it with --workspace"),
    (["log.jsonl", "--workspace", "no-such-directory"], "no-such-directory"),
])  # fmt: skip
def test_words_that_are_off(
    run: Callable[..., Ran], saved: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], reason: str
) -> None:
    """What cannot be done is a message that says why, and nothing is made."""
    monkeypatch.chdir(saved.parent)
    before = sorted(saved.parent.iterdir())
    ran = run("replay", *words)
    assert ran.code == 2
    assert reason in ran.err
    assert sorted(saved.parent.iterdir()) == before
