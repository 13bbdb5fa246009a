"""What each command does, apart from how it is shown."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from guidefs.cli.facts import SCHEMA, budget, event_facts, explanation_facts, log_facts, prefix_facts
from guidefs.cli.opening import open_workspace, resolved
from guidefs.cli.simulation import Event, Simulation
from guidefs.cli.telling import found
from guidefs.cli.terminal import accept_everything, shown_lines, write_lines
from guidefs.cli.watching import watch
from guidefs.driver.explanation import explain
from guidefs.errors import UsageError
from guidefs.log.jsonl_log import JsonlSessionLog
from guidefs.storage.provider import Stat
from guidefs.values.diagnostic import LogRepaired
from guidefs.values.explanation import Explanation
from guidefs.workspace.nearby import with_neighbours
from guidefs.workspace.workspace import Workspace

__all__ = ["COMMANDS", "FINDINGS", "FINE"]

FINE, FINDINGS = 0, 1


def simulate(options: argparse.Namespace) -> int:
    """Play touches in order and show what each attaches."""
    workspace = open_workspace(options)
    events = Simulation(workspace).play(options.script or ())
    if options.json:
        _print_json("simulate", _played(options, workspace, events))
    else:
        _show_events(options, workspace, events)
    return FINE


def replay(options: argparse.Namespace) -> int:
    """Show the state that a saved log leads to and, over a workspace, what would come next.

    Raises:
        UsageError: there are paths to play, and no workspace.
    """
    if options.workspace is None and options.script:
        raise UsageError("paths are played over a workspace; name it with --workspace")
    repairs: list[LogRepaired] = []
    log = JsonlSessionLog.snapshot(options.log, on_event=repairs.append)
    status = Workspace(None, max_bytes=0).session("replay", log=log).status()
    facts = {"log": options.log, **log_facts(log, status, repairs)}
    workspace = None if options.workspace is None else open_workspace(options)
    events = () if workspace is None else Simulation(workspace, log).play(options.script or ())
    if options.json:
        following = None if workspace is None else _played(options, workspace, events)
        _print_json("replay", {**facts, "next": following})
        return _found_in(repairs)
    from guidefs.cli.presenting import Presenter

    Presenter().status(options.log, facts["messages"], facts["ours_visible"], status)
    if workspace is not None:
        _show_events(options, workspace, events)
    return _found_in(repairs)


def _found_in(repairs: Sequence[LogRepaired]) -> int:
    return FINDINGS if repairs else FINE


def _played(options: argparse.Namespace, workspace: Workspace, events: Iterable[Event]) -> dict[str, Any]:
    return {
        "workspace": options.workspace,
        "max_bytes": budget(workspace.config.max_bytes),
        "events": [event_facts(event) for event in events],
    }


def _show_events(options: argparse.Namespace, workspace: Workspace, events: Iterable[Event]) -> None:
    from guidefs.cli.presenting import Presenter

    presenter = Presenter()
    for number, event in enumerate(events):
        if number == 0:
            # Not before the workspace was found to be one.
            presenter.workspace(str(options.workspace), workspace.config.max_bytes, enabled=workspace.config.enabled)
        presenter.event(event)


def prefix(options: argparse.Namespace) -> int:
    """Print the baseline as a model gets it; what is said about it goes to standard error."""
    workspace = open_workspace(options)
    context = workspace.session("prefix").prefix()
    explanation = _explained(workspace, workspace.place.cwd, into=False)
    facts = prefix_facts(context, explanation)
    if options.json:
        _print_json("prefix", facts)
    else:
        _print_baseline(facts["text"] or "", raw=options.raw)
        write_lines([_about(facts, explanation), *found(explanation)])
    return _exit_code(explanation)


def explain_path(options: argparse.Namespace) -> int:
    """List every candidate on the way to a path, and why it is in force or not."""
    workspace = open_workspace(options)
    path = resolved(workspace, options.path)
    workspace.check_directory()
    presence = workspace.storage.stat(path) if workspace.config.enabled else None
    is_directory = options.path.endswith("/") or (isinstance(presence, Stat) and presence.kind == "directory")
    explanation = _explained(workspace, path, into=is_directory)
    if options.json:
        _print_json("explain", explanation_facts(explanation, presence))
    else:
        from guidefs.cli.presenting import Presenter

        Presenter().explanation(explanation, presence)
    return _exit_code(explanation)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "simulate": simulate,
    "prefix": prefix,
    "explain": explain_path,
    "replay": replay,
    "watch": watch,
}


def _explained(workspace: Workspace, path: str, *, into: bool) -> Explanation:
    steps = explain(workspace.place, workspace.config, path, into=into)
    return with_neighbours(workspace.engine().run(steps), workspace.address.fs)


def _exit_code(explanation: Explanation) -> int:
    return FINDINGS if explanation.findings or explanation.root_failure else FINE


def _about(facts: dict[str, Any], explanation: Explanation) -> str:
    if not explanation.enabled:
        return f"a budget of {explanation.max_bytes} bytes switches all loading off"
    if facts["text"] is None:
        return "no baseline"
    return f"{facts['bytes']} of {explanation.max_bytes} bytes, sha1 {facts['digest']}, {facts['frame']}"


def _print_baseline(text: str, *, raw: bool) -> None:
    """Write the exact bytes, unless a terminal would act on what is in them."""
    if raw or not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    elif text:
        accept_everything(sys.stdout)
        sys.stdout.write(f"{shown_lines(text)}\n")
    sys.stdout.flush()


def _print_json(command: str, facts: dict[str, Any]) -> None:
    # ASCII with escapes goes through any terminal, and keeps names that are not UTF-8.
    sys.stdout.write(json.dumps({"schema": SCHEMA, "command": command, **facts}, indent=2, allow_nan=False) + "\n")
