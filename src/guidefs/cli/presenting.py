"""What a command found out, for people at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from guidefs.cli.simulation import Cost, Event
from guidefs.cli.telling import told
from guidefs.driver.explanation import ExplainedFile, Explanation, Standing
from guidefs.errors import MissingExtraError
from guidefs.values.context import Context
from guidefs.values.diagnostic import Diagnostic, FileLoaded, FileRemoved
from guidefs.values.path import displayed

try:
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text
except ImportError as missing:
    raise MissingExtraError("output for people needs rich: pip install 'guidefs[cli]', or ask for --json") from missing

__all__ = ["Presenter"]

_STYLES = {
    Standing.BASELINE: "green",
    Standing.ON_TOUCH: "cyan",
    Standing.DUPLICATE: "dim",
}


class Presenter:
    """Writes to the terminal. Nothing from a workspace is taken for markup, and no control character reaches it."""

    def __init__(self) -> None:
        # A terminal that cannot show a character gets a stand-in instead of an error.
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)

    def workspace(self, address: str, max_bytes: float) -> None:
        """Say what is looked at."""
        self._console.print(
            Text.assemble(("workspace ", "dim"), _shown(address), (f"   budget {max_bytes} bytes", "dim"))
        )

    def event(self, event: Event) -> None:
        """Show one event of a simulation as it happens."""
        self._console.print()
        if event.kind in {"edit", "rm"}:
            verb = "edit" if event.kind == "edit" else "remove"
            self._console.print(
                Text.assemble((f"~ {verb} ", "yellow"), _shown(event.path), ("   (overlay only)", "dim"))
            )
            return
        if event.kind == "baseline":
            self._console.print(Text("● before the conversation", style="bold"))
        else:
            note = "" if event.exists else "   (no such file: as if it were created)"
            self._console.print(Text.assemble(("▶ touch ", "bold"), (_shown(event.path), "bold"), (note, "dim")))
        if not event.contexts:
            self._console.print(Text("  nothing to tell" if event.kind == "baseline" else "  nothing new", style="dim"))
        for context in event.contexts:
            self._message(context)
        self._notes(event.diagnostics)
        if event.cost is not None:
            self._console.print(Text(f"  {_cost(event.cost)}", style="dim"))

    def explanation(self, explanation: Explanation) -> None:
        """Show every candidate on the way to a path."""
        self._line("path", explanation.path)
        self._line("project root", explanation.root)
        if explanation.root_failure is not None:
            path, error = explanation.root_failure
            self._line("root undecided", f"{path}: {error}", "red")
        self._line("working directory", explanation.cwd)
        self._console.print()
        table = Table(box=None, pad_edge=False)
        for heading in ("", "file", "bytes", "why"):
            table.add_column(heading, overflow="fold", justify="right" if heading == "bytes" else "left")
        absent = 0
        for file in explanation.files:
            if file.standing is Standing.ABSENT:
                absent += 1
                continue
            style = _STYLES.get(file.standing, "red")
            size = "" if file.size is None else str(file.size)
            table.add_row(Text(file.standing.value, style=style), Text(_named(file)), size, Text(_shown(file.detail)))
        self._console.print(table)
        self._console.print(
            Text(f"\n{absent} names looked for and not there, {len(explanation.findings)} to look at", "dim")
        )

    def _line(self, name: str, value: str, style: str = "") -> None:
        self._console.print(Text.assemble((f"{name:<18}", "dim"), (_shown(value), style)))

    def _message(self, context: Context) -> None:
        text = "\n".join(_shown(line) for line in context.text.split("\n"))
        self._console.print(Panel(Text(text), border_style="cyan", expand=False))

    def _notes(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            if not isinstance(diagnostic, FileLoaded | FileRemoved):
                self._console.print(Text(f"  ! {_shown(told(diagnostic))}", style="yellow"))


def _named(file: ExplainedFile) -> str:
    return _shown(file.label) + ("" if file.link_target is None else f" → {_shown(file.link_target)}")


def _cost(cost: Cost) -> str:
    parts: list[tuple[Any, str]] = [
        (cost.bytes, "byte"),
        (cost.round_trips, "round trip"),
        (cost.paths, "path"),
        (cost.reads, "read"),
    ]
    return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in parts)


def _shown(text: str) -> str:
    # Tabs are harmless and part of many texts.
    return "\t".join(displayed(part) for part in text.split("\t"))
