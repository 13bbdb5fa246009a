"""Plays recorded scenarios through the public API: `python -m guidefs.testing.replay [ADDRESS] < scenarios > results`.

One JSON object a line in, one `{"name", "results", "log"}` a line out. Expectations in the input are ignored. ADDRESS
is where to play instead of the local disk: a part of a bucket, such as `s3://bucket/replay`, reached with the usual
AWS environment variables.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fsspec.core import url_to_fs

from guidefs.driver.call import Call
from guidefs.errors import ConfigurationError
from guidefs.log.message import Message
from guidefs.log.session_log import SessionLog
from guidefs.testing.stage import LocalStage, MemoryStage, Stage
from guidefs.values.context import Context
from guidefs.workspace.step import Step
from guidefs.workspace.workspace import Workspace

__all__ = ["main", "play"]

_SETTINGS = {
    "maxSourceBytes": "max_source_bytes",
    "projectRootMarkers": "root_markers",
    "instructionFileCandidates": "candidates",
    "localInstructionFileCandidates": "local_candidates",
}
_TOUCHING_TOOLS = frozenset({"read", "write", "edit"})


def play(scenario: Mapping[str, Any], stage: Stage | None = None, log: SessionLog | None = None) -> dict[str, Any]:
    """Play one scenario and give what its expectation would be compared with.

    Args:
        scenario: the scenario.
        stage: where to play it; left out, the one that the scenario asks for. It is closed at the end.
        log: an empty log for the messages; left out, one in memory.
    """
    if stage is None:
        stage = _stage(scenario, None)
    try:
        with _environment(scenario, stage):
            player = _Player(scenario, stage, SessionLog() if log is None else log)
            results = [player.perform(step) for step in scenario["steps"]]
            played = {"name": scenario["name"], "results": results, "log": player.log_state()}
    except ConfigurationError:
        return {"name": scenario["name"], "results": [], "log": {"messages": 0, "visible": []}, "config_error": True}
    finally:
        stage.close()
    shown: dict[str, Any] = _without_root(played, stage.root)
    return shown


def main(address: str | None = None) -> int:
    """Play every scenario of standard input.

    Args:
        address: a part of a bucket to play in; `None` for the local disk. Each scenario has a directory of its own
            there, which is deleted at its end.

    Returns:
        The exit code: 1 where a scenario could not be played; it is reported on standard error, and the others go on.
    """
    code = 0
    for line in sys.stdin.buffer.read().decode("utf-8").split("\n"):
        if not line.strip():
            continue
        scenario = json.loads(line)
        try:
            played = play(scenario, _stage(scenario, address))
        except Exception:  # noqa: BLE001 - a scenario that breaks says nothing about those after it
            sys.stderr.write(f"{scenario.get('name')!r} cannot be played:\n{traceback.format_exc()}")
            code = 1
            continue
        sys.stdout.write(json.dumps(played) + "\n")
        sys.stdout.flush()
    return code


def _stage(scenario: Mapping[str, Any], address: str | None) -> Stage:
    if scenario.get("provider") == "memory":
        return MemoryStage(tuple(scenario.get("omit_size", ())))
    if address is None:
        return LocalStage()
    from guidefs.testing.s3_stage import S3Stage

    fs, directory = url_to_fs(f"{address.rstrip('/')}/{secrets.token_hex(8)}")
    return S3Stage(fs, directory)


class _Player:
    """One scenario on its stage."""

    def __init__(self, scenario: Mapping[str, Any], stage: Stage, log: SessionLog) -> None:
        self._stage = stage
        self._log = log
        stage.make_directory(scenario["cwd"])
        for path, entry in scenario["tree"].items():
            stage.put(path, entry)
        self._workspace = _workspace(scenario, stage)
        self._session = self._workspace.session("s1", log=self._log)
        self._composites: list[Call] = []
        self._step: Step | None = None
        self._unappended: list[Context] = []
        self._calls = 0

    def perform(self, step: Mapping[str, Any]) -> dict[str, Any] | None:
        """Perform one step and give its result."""
        before = self._session.stats
        result: dict[str, Any] | None = getattr(self, f"_do_{step['op']}")(step)
        if result is None:
            return None
        after = self._session.stats
        calls = {
            "stat": after.stats - before.stats,
            "read": after.reads - before.reads,
            "batch": after.batches - before.batches,
        }
        return {**result, "calls": calls}

    def log_state(self) -> dict[str, Any]:
        """How many context messages were appended, and which are visible."""
        return {"messages": self._log.guidance_count(), "visible": list(self._log.visible_ordinals())}

    def _do_prefix(self, step: Mapping[str, Any]) -> dict[str, Any]:
        prefix = self._session.prefix()
        injected = self._session.take()
        for context in injected:
            self._log.append(Message.of(context))
        return {"prefix": None if prefix is None else prefix.text, "injected": [_shown(c) for c in injected]}

    def _do_touch(self, step: Mapping[str, Any]) -> dict[str, Any]:
        blocked = step.get("blocked")
        self._calls += 1
        with self._session.call(f"call-{self._calls}") as call:
            arguments = step.get("args", {"file_path": step.get("path")})
            path = arguments.get("file_path")
            if step.get("tool", "read") in _TOUCHING_TOOLS and isinstance(path, str):
                call.touch(path.replace("$ROOT", self._stage.address), step.get("tool", "read"))
            if step.get("isError") or blocked == "inner":
                call.fail()
        return self._ended(call, lost=bool(blocked))

    def _do_nested_begin(self, step: Mapping[str, Any]) -> None:
        # A scenario may use a token twice; an id of its own keeps the blocking of one composite from another.
        self._calls += 1
        call = self._session.call(f"call-{self._calls}")
        call.__enter__()
        self._composites.append(call)

    def _do_nested_end(self, step: Mapping[str, Any]) -> dict[str, Any]:
        call = self._composites.pop()
        if step.get("isError"):
            call.fail()
        call.__exit__(None, None, None)
        return self._ended(call, lost=bool(step.get("blocked")))

    def _ended(self, call: Call, *, lost: bool) -> dict[str, Any]:
        if lost:
            self._session.rollback(call.id)
            return {"contexts": []}
        if not self._composites:
            self._unappended.extend(call.contexts)
        return {"contexts": [_shown(context) for context in call.contexts]}

    def _do_append_context(self, step: Mapping[str, Any]) -> None:
        for context in self._unappended:
            self._log.append(Message.of(context))
        self._unappended = []

    def _do_drop_context(self, step: Mapping[str, Any]) -> None:
        self._unappended = []

    def _do_log_context(self, step: Mapping[str, Any]) -> None:
        self._log.append(Message(step.get("text", ""), step.get("source"), step.get("meta")))

    def _do_step_start(self, step: Mapping[str, Any]) -> None:
        self._step = self._session.step()
        self._step.__enter__()

    def _do_step_end(self, step: Mapping[str, Any]) -> None:
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    def _do_compact(self, step: Mapping[str, Any]) -> None:
        self._log.compact(keep=step.get("keep", ()))

    def _do_resume(self, step: Mapping[str, Any]) -> None:
        self._composites, self._unappended, self._step = [], [], None
        self._session = self._workspace.session("s1", log=self._log)

    def _do_write(self, step: Mapping[str, Any]) -> None:
        self._stage.put(step["path"], step, same_version=bool(step.get("same_version")))

    def _do_delete(self, step: Mapping[str, Any]) -> None:
        self._stage.delete(step["path"])

    def _do_mkdir(self, step: Mapping[str, Any]) -> None:
        self._stage.make_directory(step["path"])

    def _do_symlink(self, step: Mapping[str, Any]) -> None:
        self._stage.put(step["path"], {"symlink": step["target"]})

    def _do_rename(self, step: Mapping[str, Any]) -> None:
        self._stage.rename(step["from"], step["to"])

    def _do_touch_version(self, step: Mapping[str, Any]) -> None:
        self._stage.touch_version(step["path"])

    def _do_fail(self, step: Mapping[str, Any]) -> None:
        self._stage.provider.fail(f"{self._stage.root}/{step['path']}", at=step.get("at", "stat"))

    def _do_fail_stat(self, step: Mapping[str, Any]) -> None:
        self._stage.provider.fail(f"{self._stage.root}/{step['path']}", at="stat")

    def _do_unfail(self, step: Mapping[str, Any]) -> None:
        self._stage.provider.heal(f"{self._stage.root}/{step['path']}")


def _workspace(scenario: Mapping[str, Any], stage: Stage) -> Workspace:
    config = scenario["config"]
    settings = {_SETTINGS[key]: value for key, value in config.items() if key in _SETTINGS and value is not None}
    max_bytes = float("inf") if config["maxBytes"] == "Infinity" else config["maxBytes"]
    home = config.get("home")
    if home is not None and not home.startswith("~"):
        home = stage.home(home)
    cwd = f"{stage.root}/{scenario['cwd']}"
    return Workspace(stage.fs, cwd, provider=stage.provider, max_bytes=max_bytes, home=home, **settings)


@contextmanager
def _environment(scenario: Mapping[str, Any], stage: Stage) -> Iterator[None]:
    """Let the process see the scenario's home and `DSH_HOME`."""
    before = {name: os.environ.get(name) for name in ("HOME", "DSH_HOME")}
    os.environ["HOME"] = stage.system_home(scenario.get("os_home", ".oshome"))
    os.environ.pop("DSH_HOME", None)
    for name, value in scenario.get("env", {}).items():
        os.environ[name] = value.replace("$ROOT", stage.address)
    try:
        yield
    finally:
        for name, previous in before.items():
            if previous is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = previous


def _shown(context: Context) -> dict[str, Any]:
    return {"text": context.text, "meta": context.meta}


def _without_root(value: Any, root: str) -> Any:
    if isinstance(value, str):
        return value.replace(root, "$ROOT")
    if isinstance(value, dict):
        return {key: _without_root(item, root) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_root(item, root) for item in value]
    return value


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
