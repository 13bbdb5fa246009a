"""A session that is shown live: the baseline, some touches, then whatever changes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator

from guidefs.cli.facts import SCHEMA, event_facts
from guidefs.cli.opening import open_workspace, resolved
from guidefs.cli.simulation import Event
from guidefs.values.diagnostic import Diagnostic
from guidefs.workspace.workspace import Workspace

__all__ = ["watch"]


def watch(options: argparse.Namespace) -> int:
    """Show what changes of instruction files would tell the model, until interrupted."""
    workspace = open_workspace(options)
    for path in options.paths:
        resolved(workspace, path)
    workspace.check_directory()
    events = _events(workspace, options)
    if options.json:
        for event in events:
            line = {"schema": SCHEMA, "command": "watch", **event_facts(event)}
            sys.stdout.write(json.dumps(line, allow_nan=False) + "\n")
            sys.stdout.flush()
        return 0
    from guidefs.cli.presenting import Presenter

    presenter = Presenter()
    presenter.workspace(str(options.workspace), workspace.config.max_bytes, enabled=workspace.config.enabled)
    for event in events:
        presenter.event(event)
    return 0


def _events(workspace: Workspace, options: argparse.Namespace) -> Iterator[Event]:
    diagnostics: list[Diagnostic] = []
    session = workspace.session("watch", on_event=diagnostics.append)
    prefix = session.prefix()
    with session.watch(poll_seconds=options.poll_seconds) as changes:
        yield Event("baseline", "", () if prefix is None else (prefix,), None, _taken(diagnostics))
        for path in options.paths:
            with session.call() as call:
                call.touch(path, "read")
            session.confirm()
            yield Event("touch", path, call.contexts, None, _taken(diagnostics))
        for contexts in changes:
            session.confirm()
            yield Event("change", "", contexts, None, _taken(diagnostics))


def _taken(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    taken = tuple(diagnostics)
    diagnostics.clear()
    return taken
