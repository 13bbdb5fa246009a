"""What a command found out, as plain JSON with a schema number."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from guidefs.cli.simulation import Event
from guidefs.driver.explanation import ExplainedFile, Explanation
from guidefs.values.context import Context
from guidefs.values.diagnostic import Diagnostic
from guidefs.values.digest import digest, frame_fingerprint

__all__ = ["SCHEMA", "context_facts", "event_facts", "explanation_facts", "prefix_facts"]

SCHEMA: Final = 1
"""Grows when a key changes its meaning or goes away; new keys do not change it."""


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
        "exists": event.exists,
        "contexts": [context_facts(context) for context in event.contexts],
        "cost": None if event.cost is None else dataclasses.asdict(event.cost),
        "diagnostics": [_diagnostic_facts(diagnostic) for diagnostic in event.diagnostics],
    }


def prefix_facts(prefix: Context | None, max_bytes: float) -> dict[str, Any]:
    """A baseline with its size, its SHA-1 and its fingerprint."""
    if prefix is None:
        return {"text": None, "bytes": 0, "digest": None, "frame": None, "changes": [], "max_bytes": max_bytes}
    return {**context_facts(prefix), "digest": digest(prefix.text), "max_bytes": max_bytes}


def explanation_facts(explanation: Explanation) -> dict[str, Any]:
    """Every candidate on the way to a path; absent ones are counted, not listed."""
    failure = explanation.root_failure
    shown = [file for file in explanation.files if file.standing.value != "absent"]
    return {
        "root": explanation.root,
        "root_failure": None if failure is None else {"path": failure[0], "error": failure[1]},
        "cwd": explanation.cwd,
        "path": explanation.path,
        "files": [_file_facts(file) for file in shown],
        "absent": len(explanation.files) - len(shown),
        "findings": len(explanation.findings),
    }


def _file_facts(file: ExplainedFile) -> dict[str, Any]:
    return {
        "path": file.label,
        "standing": file.standing.value,
        "detail": file.detail,
        "bytes": file.size,
        "digest": file.digest,
        "link_target": file.link_target,
    }


def _diagnostic_facts(diagnostic: Diagnostic) -> dict[str, Any]:
    return {"event": type(diagnostic).__name__, **dataclasses.asdict(diagnostic)}


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
