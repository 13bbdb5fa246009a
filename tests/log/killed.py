"""Kills a process that works with a saved log, again and again, and checks what a next run finds.

    python killed.py FOLDER ROUNDS SEED

It forks the processes that it kills; each works on the log that the earlier ones left. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from guidefs import JsonlSessionLog, Message, Session, Workspace
from guidefs.reconcile.effective import Loaded

NAMES = [f"d{number}" for number in range(6)]
_TURNS_PER_REWRITE = 12
_LONG = 1 << 20


def make_project(root: Path) -> Workspace:
    """A workspace with instructions in several directories."""
    (root / ".git").mkdir(parents=True)
    (root / "AGENTS.md").write_text("root")
    for name in NAMES:
        (root / name).mkdir()
        (root / name / "AGENTS.md").write_text(f"{name} 0")
        (root / name / "x").write_text("x\n")
    return Workspace(root, max_bytes=65_536, home=str(root / "nobody"))


def work(workspace: Workspace, log: JsonlSessionLog, acknowledgements: int, seed: int) -> None:
    """Play a host that never stops: it reads, edits, appends, summarises, and says what was acknowledged."""
    dice = random.Random(seed)  # noqa: S311 - no secret depends on it
    session = workspace.session("s", log=log)
    prefix = session.prefix()
    if prefix is not None and not log.baselines():
        log.append(Message.of(prefix))
    turn = 0
    while True:
        turn += 1
        name = dice.choice(NAMES)
        if dice.random() < 0.3:
            path = Path(workspace.address.cwd) / name / "AGENTS.md"
            # In one step, since an edit that was cut off is not what is tried here.
            path.with_suffix(".new").write_text(f"{name} {dice.random()}")
            path.with_suffix(".new").rename(path)
        with session.call(turn) as call:
            session.tools.read(f"{name}/x")
        log.append(Message(f"turn {os.getpid()} {turn} " + "x" * dice.randrange(5000), {"kind": "tool"}))
        for context in call.contexts:
            log.append(Message.of(context))
        os.write(acknowledgements, f"turn {os.getpid()} {turn}\n".encode())
        if dice.random() < 0.08:
            # Long enough to be cut off.
            log.append(Message("long " + "x" * _LONG, {"kind": "tool"}))
        if dice.random() < 0.1:
            log.compact(keep=lambda message: message.identity is not None or message.text.startswith("turn"))
        if turn % _TURNS_PER_REWRITE == 0:
            log.vacuum()


def kill_one(workspace: Workspace, path: Path, dice: random.Random) -> list[str]:
    """Start a process, kill it at a random moment, and give what it said was acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            work(workspace, JsonlSessionLog(path), writing, dice.randrange(1 << 30))
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        # By progress and not by time alone, so that the machine's speed does not decide what is interrupted.
        said = b"".join(pipe.readline() for _ in range(dice.choice((0, 1, 2, 4, 8))))
        time.sleep(dice.random() * 0.02)
        os.kill(child, signal.SIGKILL)
        said += pipe.read()
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise AssertionError("the process ended by itself")
    # What it was about to say when it died may be cut off.
    return said.decode().split("\n")[:-1]


def told_twice(session: Session, log: JsonlSessionLog) -> list[str]:
    """What a resumed run tells although the log shows that the model sees it."""
    visible = {
        (scope, logged.state.digest) for scope, logged in log.surface().items() if isinstance(logged.state, Loaded)
    }
    contexts = list(session.take())
    for name in NAMES:
        with session.call() as call:
            session.tools.read(f"{name}/x")
        contexts.extend(call.contexts)
    changes = [change for context in contexts for change in context.changes]
    return [change.path for change in changes if (change.scope, change.digest) in visible]


def main(folder: str, rounds: str, seed: str) -> None:
    """Kill as often as asked and report what went wrong, which is nothing."""
    dice = random.Random(int(seed))  # noqa: S311 - no secret depends on it
    root = Path(folder)
    workspace, path = make_project(root / "work"), root / "log.jsonl"
    found: dict[str, Any] = {"lost": [], "repeated": [], "repairs": 0, "acknowledged": 0, "baselines": 0, "faults": []}
    kept: set[str] = set()
    for _ in range(int(rounds)):
        acknowledged = kill_one(workspace, path, dice)
        repairs: list[object] = []
        with JsonlSessionLog(path, on_event=repairs.append) as log:
            texts = {" ".join(message.text.split()[:3]) for message in log.visible() if not message.is_guidance}
            kept.update(acknowledged)
            found["lost"] += sorted(kept - texts)
            found["acknowledged"] += len(acknowledged)
            found["repairs"] += len(repairs)
            session = workspace.session("s", log=log)
            logged = log.baselines()
            prefix = session.prefix()
            found["baselines"] += bool(logged)
            if logged and (prefix is None or prefix.text != logged[-1].text):
                found["faults"].append("the baseline is another one")
            found["repeated"] += told_twice(session, log)
            if session.stats.unavailable:
                found["faults"].append("something was unavailable")
    print(json.dumps(found))  # noqa: T201 - a program


if __name__ == "__main__":
    main(*sys.argv[1:])
