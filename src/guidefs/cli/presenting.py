"""What a command found out, for people at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from guidefs.cli.simulation import Cost, Event
from guidefs.cli.telling import told, unlisted
from guidefs.cli.terminal import accept_everything, shown, shown_lines
from guidefs.driver.status import Status
from guidefs.errors import MissingExtraError
from guidefs.storage.provider import Presence, Stat
from guidefs.values.answer import Absent
from guidefs.values.diagnostic import Diagnostic, FileLoaded, FileRemoved
from guidefs.values.explanation import ExplainedFile, Explanation, Standing
from guidefs.values.path import is_within

try:
    from rich.console import Console
    from rich.padding import Padding
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
_GLYPHS = {"before": ("●", "*"), "touch": ("▶", ">"), "change": ("✎", "~"), "link": ("→", "->")}
"""Each sign as it is, then for terminals that have ASCII only."""


class Presenter:
    """Writes to the terminal. Nothing from a workspace is taken for markup, and no control character reaches it."""

    def __init__(self) -> None:
        accept_everything(sys.stdout)
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
        self._plain = self._console.options.ascii_only

    def workspace(self, address: str, max_bytes: float, *, enabled: bool) -> None:
        """Say what is looked at."""
        off = "" if enabled else ", which switches all loading off"
        self._console.print(
            Text.assemble(("workspace ", "dim"), shown(address), (f"   budget {max_bytes} bytes{off}", "dim"))
        )

    def status(self, path: str, messages: int, ours: int, status: Status) -> None:
        """Show the state that a saved log leads to."""
        self._line("log", path, note=f"   ({_counted(messages, 'message')}, {ours} of guidefs in sight)")
        table = Table(box=None, pad_edge=False)
        for heading in ("", "file", "last said", "digest"):
            table.add_column(heading, overflow="fold")
        for standing, style, files in (
            ("visible", "green", status.visible),
            ("removed", "dim", status.removed),
            ("pending", "cyan", status.pending),
            ("due", "yellow", status.due),
        ):
            for file in files:
                said = f"{file.action} ({file.via})"
                table.add_row(Text(standing, style=style), Text(shown(file.path)), Text(said), Text(file.digest or ""))
        self._console.print()
        self._console.print(table if table.row_count else Text("the model was told nothing", style="dim"))
        self._console.print()

    def event(self, event: Event) -> None:
        """Show one event as it happens."""
        self._console.print()
        self._console.print(self._heading(event))
        if event.kind in {"edit", "rm"}:
            return
        if event.reused or not event.contexts:
            self._indented(Text(_of_silence(event), style="dim"))
        for context in event.contexts:
            self._console.print(Panel(Text(shown_lines(context.text)), border_style="cyan", expand=False))
        self._notes(event.diagnostics)
        if event.cost is not None:
            self._indented(Text(_cost(event.cost), style="dim"))

    def explanation(self, explanation: Explanation, presence: Presence | None) -> None:
        """Show every candidate on the way to a path."""
        self._line("path", explanation.path, note=_of_explained(explanation, presence))
        self._line("project root", explanation.root, note=_of_root(explanation))
        if explanation.root_failure is not None:
            path, error = explanation.root_failure
            self._line("root undecided", f"{path}: {error}", style="red")
        self._line("working directory", explanation.cwd)
        self._line("budget", f"{explanation.max_bytes} bytes a message")
        self._console.print()
        if not explanation.enabled:
            self._console.print("this budget switches all loading off: nothing was looked for")
            return
        self._console.print(self._table(explanation.files))
        absent = sum(file.standing is Standing.ABSENT for file in explanation.files)
        looked = f"{_counted(absent, 'name')} looked for and not there, {len(explanation.findings)} to look at"
        self._console.print()
        for line in unlisted(explanation):
            self._console.print(Text(f"! {shown(line)}", style="yellow"))
        self._console.print(Text(looked, style="dim"))

    def _heading(self, event: Event) -> Text:
        match event.kind:
            case "baseline":
                return Text(f"{self._sign('before')} before the conversation", style="bold")
            case "touch":
                note = _of_path(event.presence, directory="a directory; name a file in it to see what holds there")
                return Text.assemble((f"{self._sign('touch')} touch {shown(event.path)}", "bold"), (note, "dim"))
            case "change":
                return Text(f"{self._sign('change')} changed on disk", style="bold")
            case "edit" | "rm":
                verb = "edit" if event.kind == "edit" else "remove"
                return Text.assemble((f"~ {verb} ", "yellow"), shown(event.path), ("   (overlay only)", "dim"))

    def _table(self, files: Iterable[ExplainedFile]) -> Table:
        table = Table(box=None, pad_edge=False)
        for heading in ("", "file", "bytes", "why"):
            table.add_column(heading, overflow="fold", justify="right" if heading == "bytes" else "left")
        for file in files:
            if file.standing is Standing.ABSENT:
                continue
            style = _STYLES.get(file.standing, "red")
            size = "" if file.size is None else str(file.size)
            why = Text(shown(file.detail))
            table.add_row(Text(file.standing.value, style=style), Text(self._named(file)), Text(size), why)
        return table

    def _named(self, file: ExplainedFile) -> str:
        link = "" if file.link_target is None else f" {self._sign('link')} {shown(file.link_target)}"
        return shown(file.label) + link

    def _line(self, name: str, value: str, *, note: str = "", style: str = "") -> None:
        self._console.print(Text.assemble((f"{name:<18}", "dim"), (shown(value), style), (note, "dim")))

    def _indented(self, text: Text) -> None:
        self._console.print(Padding(text, (0, 0, 0, 2), expand=False))

    def _notes(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            if not isinstance(diagnostic, FileLoaded | FileRemoved):
                self._indented(Text(f"! {shown(told(diagnostic))}", style="yellow"))

    def _sign(self, name: str) -> str:
        return _GLYPHS[name][self._plain]


def _of_silence(event: Event) -> str:
    if event.reused:
        return "the baseline of the log still holds, to the byte"
    return "nothing to tell" if event.kind == "baseline" else "nothing new"


def _of_path(presence: Presence | None, *, directory: str) -> str:
    match presence:
        case Absent():
            return "   (no such file: as if it were created)"
        case Stat(kind="directory"):
            return f"   ({directory})"
        case _:
            return ""


def _of_explained(explanation: Explanation, presence: Presence | None) -> str:
    if not is_within(explanation.path, explanation.cwd):
        return "   (outside the working directory: touches there reach no further directory)"
    return _of_path(presence, directory="a directory: what holds in it")


def _of_root(explanation: Explanation) -> str:
    if explanation.marker is not None:
        return f"   (has {shown(explanation.marker.rpartition('/')[2])})"
    return "   (no marker found: the working directory)" if explanation.enabled and not explanation.root_failure else ""


def _cost(cost: Cost) -> str:
    parts = [(cost.bytes, "byte"), (cost.round_trips, "round trip"), (cost.paths, "path"), (cost.reads, "read")]
    return ", ".join(_counted(count, name) for count, name in parts)


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
