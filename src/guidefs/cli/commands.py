"""What each command does, apart from how it is shown."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

from guidefs.cli.facts import SCHEMA, event_facts, explanation_facts, prefix_facts
from guidefs.cli.opening import open_workspace
from guidefs.cli.simulation import Simulation
from guidefs.cli.telling import told
from guidefs.driver.explanation import explain
from guidefs.errors import UsageError
from guidefs.values.diagnostic import Diagnostic, FileDuplicate, FileLoaded, FileRemoved
from guidefs.workspace.nearby import with_neighbours

__all__ = ["COMMANDS", "FINDINGS", "FINE"]

FINE, FINDINGS = 0, 1

_QUIET = (FileLoaded, FileRemoved, FileDuplicate)


def simulate(options: argparse.Namespace) -> int:
    """Play touches in order and show what each attaches."""
    workspace = open_workspace(options)
    events = Simulation(workspace).play(options.script or ())
    if options.json:
        played = [event_facts(event) for event in events]
        _print_json(
            "simulate", {"workspace": options.workspace, "max_bytes": workspace.config.max_bytes, "events": played}
        )
        return FINE
    from guidefs.cli.presenting import Presenter

    presenter = Presenter()
    for number, event in enumerate(events):
        if number == 0:
            presenter.workspace(str(options.workspace), workspace.config.max_bytes)
        presenter.event(event)
    return FINE


def prefix(options: argparse.Namespace) -> int:
    """Print the baseline as a model gets it; what is said about it goes to standard error."""
    diagnostics: list[Diagnostic] = []
    workspace = open_workspace(options)
    context = workspace.session("prefix", on_event=diagnostics.append).prefix()
    findings = [diagnostic for diagnostic in diagnostics if not isinstance(diagnostic, _QUIET)]
    facts = prefix_facts(context, workspace.config.max_bytes)
    if options.json:
        _print_json("prefix", {**facts, "findings": [told(finding) for finding in findings]})
    else:
        sys.stdout.buffer.write(f"{facts['text'] or ''}\n".encode("utf-8", "surrogatepass") if context else b"")
        sys.stdout.flush()
        about = f"{facts['bytes']} of {facts['max_bytes']} bytes, sha1 {facts['digest']}, {facts['frame']}"
        lines = [about if context else "nothing holds from the start", *map(told, findings)]
        sys.stderr.write("".join(f"{line}\n" for line in lines))
    return FINDINGS if findings else FINE


def explain_path(options: argparse.Namespace) -> int:
    """List every candidate on the way to a path, and why it is in force or not.

    Raises:
        UsageError: the path is blank, or lies on another filesystem.
    """
    workspace = open_workspace(options)
    path = workspace.address.resolve(options.path)
    if path is None:
        raise UsageError(f"{options.path!r} names no path of this workspace; give one inside it")
    workspace.check_directory()
    explanation = workspace.engine().run(explain(workspace.place, workspace.config, path))
    explanation = with_neighbours(explanation, workspace.address.fs, workspace.config.names_in_order)
    if options.json:
        _print_json("explain", explanation_facts(explanation))
    else:
        from guidefs.cli.presenting import Presenter

        Presenter().explanation(explanation)
    return FINDINGS if explanation.findings or explanation.root_failure else FINE


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "simulate": simulate,
    "prefix": prefix,
    "explain": explain_path,
}


def _print_json(command: str, facts: dict[str, Any]) -> None:
    # ASCII with escapes goes through any terminal, and keeps names that are not UTF-8.
    sys.stdout.write(json.dumps({"schema": SCHEMA, "command": command, **facts}, indent=2) + "\n")
