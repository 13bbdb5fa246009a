"""What a command found out, as plain JSON with a schema number."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any, Final

from guidefs.cli.simulation import Event
from guidefs.driver.status import FileStatus, Status
from guidefs.log.session_log import SessionLog
from guidefs.storage.provider import Presence, Stat
from guidefs.values.answer import Unavailable
from guidefs.values.context import Context
from guidefs.values.diagnostic import Diagnostic, LogRepaired
from guidefs.values.digest import digest, frame_fingerprint
from guidefs.values.explanation import ExplainedFile, Explanation, Standing

__all__ = ["SCHEMA", "budget", "context_facts", "event_facts", "explanation_facts", "log_facts", "prefix_facts"]

SCHEMA: Final = 1
"""Grows when a key changes its meaning or goes away; new keys do not change it."""


def budget(max_bytes: float) -> float | None:
    """The budget as JSON can say it: `None` for NaN and infinity, which switch all loading off."""
    return max_bytes if math.isfinite(max_bytes) else None


def context_facts(context: Context) -> dict[str, Any]:
    """One message: its text, its size in bytes, its fingerprint, its changes."""
    return {
        "text": context.text,
        "bytes": _size(context.text),
        "frame": frame_fingerprint(context.text),
        "changes": [change.to_json() for change in context.changes],
    }


def event_facts(event: Event) -> dict[str, Any]:
    """One event of a simulation."""
    return {
        "kind": event.kind,
        "path": event.path,
        **_presence_facts(event.presence),
        "contexts": [context_facts(context) for context in event.contexts],
        "reused": event.reused,
        "cost": None if event.cost is None else dataclasses.asdict(event.cost),
        "diagnostics": [_diagnostic_facts(diagnostic) for diagnostic in event.diagnostics],
    }


def log_facts(log: SessionLog, status: Status, repairs: Iterable[LogRepaired]) -> dict[str, Any]:
    """What a saved log holds, and the state that it leads to."""
    return {
        "messages": len(log),
        "ours": log.guidance_count(),
        "ours_visible": len(log.visible_ordinals()),
        "visible": [_status_facts(file) for file in status.visible],
        "removed": [_status_facts(file) for file in status.removed],
        "pending": [_status_facts(file) for file in status.pending],
        "due": [_status_facts(file) for file in status.due],
        "repairs": [{"line": repair.line, "reason": repair.reason} for repair in repairs],
    }


def _status_facts(file: FileStatus) -> dict[str, Any]:
    return {
        "path": file.path,
        "scope": file.scope.serialised(),
        "action": file.action,
        "digest": file.digest,
        "via": file.via,
    }


def prefix_facts(prefix: Context | None, explanation: Explanation) -> dict[str, Any]:
    """A baseline with its size, its SHA-1 and its fingerprint, and what became of its candidates."""
    message: dict[str, Any]
    if prefix is None:
        message = {"text": None, "bytes": 0, "frame": None, "changes": [], "digest": None}
    else:
        message = {**context_facts(prefix), "digest": digest(prefix.text)}
    return {**message, **_place_facts(explanation), **_files_facts(explanation)}


def explanation_facts(explanation: Explanation, presence: Presence | None) -> dict[str, Any]:
    """Every candidate on the way to a path; absent ones are counted, not listed."""
    return {
        "path": explanation.path,
        **_presence_facts(presence),
        **_place_facts(explanation),
        **_files_facts(explanation),
    }


def _place_facts(explanation: Explanation) -> dict[str, Any]:
    failure = explanation.root_failure
    return {
        "root": explanation.root,
        "root_marker": explanation.marker,
        "root_failure": None if failure is None else {"path": failure[0], "error": failure[1]},
        "cwd": explanation.cwd,
        "max_bytes": budget(explanation.max_bytes),
    }


def _files_facts(explanation: Explanation) -> dict[str, Any]:
    shown = [file for file in explanation.files if file.standing is not Standing.ABSENT]
    return {
        "files": [_file_facts(file) for file in shown],
        "absent": len(explanation.files) - len(shown),
        "findings": len(explanation.findings),
        "unlisted": [{"path": path, "error": error} for path, error in explanation.unlisted],
    }


def _file_facts(file: ExplainedFile) -> dict[str, Any]:
    return {
        "path": file.label,
        "standing": file.standing.value,
        "finding": file.standing.is_finding,
        "detail": file.detail,
        "bytes": file.size,
        "digest": file.digest,
        "link_target": file.link_target,
    }


def _presence_facts(presence: Presence | None) -> dict[str, Any]:
    """Whether a path is there, `None` where nobody knows, and whether it is a directory."""
    return {
        "exists": None if presence is None or isinstance(presence, Unavailable) else isinstance(presence, Stat),
        "directory": isinstance(presence, Stat) and presence.kind == "directory",
    }


def _diagnostic_facts(diagnostic: Diagnostic) -> dict[str, Any]:
    return {"event": type(diagnostic).__name__, **dataclasses.asdict(diagnostic)}


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
