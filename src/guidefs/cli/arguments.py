"""The words of the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from guidefs.errors import UsageError

__all__ = ["DEFAULT_MAX_BYTES", "parse"]

DEFAULT_MAX_BYTES = 65_536
"""The budget of one message where the command line names none; the library itself has no default."""

_SCRIPTED = {"simulate", "replay"}
_WITHOUT_VALUE = {"--json", "-h", "--help"}


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of leaving the process, and takes no option for another one."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **settings})

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_usage().strip()}")


class _Script(argparse.Action):
    """Keeps touches, edits and removals in the order in which they stand."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        kind = {"--touch": "touch", "--edit": "edit", "--rm": "rm"}[str(option_string)]
        if kind == "edit" and "=" not in values:
            parser.error(f"--edit takes PATH=TEXT, not {values!r}")
        namespace.script = [*(namespace.script or []), (kind, values)]


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from importlib.metadata import version

        sys.stdout.write(f"{parser.prog} {version('guidefs')}\n")
        parser.exit()


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line.

    Raises:
        UsageError: the words are off; the message says which and how they go.
        SystemExit: help or the version was asked for and printed.
    """
    return _parser().parse_args(_with_touches(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="guidefs",
        description="Show which instruction files an agent would be told, when, and why. Nothing is ever written.",
        epilog="Exit code 0: fine; 1: something to look at; 2: it cannot be done, and standard error says why.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = _common()
    simulate = commands.add_parser(
        "simulate",
        parents=[common],
        help="play touches in order, show what each attaches and what it costs",
        description=(
            "Play a session over WORKSPACE: the baseline, then each PATH as one read of an agent's tool. "
            "--edit and --rm change files for what follows them on the command line, in an overlay only."
        ),
        usage="guidefs simulate WORKSPACE [PATH | --edit PATH=TEXT | --rm PATH]... [options]",
    )
    simulate.add_argument("workspace", metavar="WORKSPACE", help="a path or a URL")
    _add_script(simulate)
    replay = commands.add_parser(
        "replay",
        parents=[common],
        help="show a saved log: what the model sees, what is due, and what would come next",
        description=(
            "Show the state that a saved log (JsonlSessionLog) leads to. With --workspace, go on from there: what a "
            "resumed run would tell first, then each PATH as one read of an agent's tool."
        ),
        usage="guidefs replay LOG [--workspace WORKSPACE [PATH | --edit PATH=TEXT | --rm PATH]...] [options]",
    )
    replay.add_argument("log", metavar="LOG", help="the file of the log, on this host; it is not written")
    replay.add_argument("--workspace", metavar="WORKSPACE", help="where the session worked; a path or a URL")
    _add_script(replay)
    prefix = commands.add_parser(
        "prefix", parents=[common], help="print the baseline exactly as a model gets it, with its size and digest"
    )
    prefix.add_argument("workspace", metavar="WORKSPACE", nargs="?", default=".", help="a path or a URL (default: .)")
    prefix.add_argument(
        "--raw", action="store_true", help="the exact bytes on a terminal too, where control characters are escaped"
    )
    explain = commands.add_parser(
        "explain", parents=[common], help="list every candidate on the way to PATH, and why it is in force or not"
    )
    explain.add_argument("path", metavar="PATH", help="a file or directory, relative to the working directory")
    explain.add_argument("--workspace", metavar="WORKSPACE", default=".", help="a path or a URL (default: .)")
    watch = commands.add_parser(
        "watch",
        parents=[common],
        help="show live what changes of instruction files would tell the model",
        description=(
            "Compose the baseline of WORKSPACE, touch each PATH, then show what changes on disk bring, until "
            "interrupted. On the local disk it needs the extra guidefs[watch], unless --poll-seconds is given."
        ),
    )
    watch.add_argument("workspace", metavar="WORKSPACE", help="a path or a URL")
    watch.add_argument("paths", metavar="PATH", nargs="*", help="touched before, so that it is watched, too")
    watch.add_argument(
        "--poll-seconds", type=float, metavar="N", help="look every N seconds instead of waiting for events"
    )
    return parser


def _add_script(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--touch", dest="script", action=_Script, metavar="PATH", help="the same as PATH alone")
    parser.add_argument("--edit", dest="script", action=_Script, metavar="PATH=TEXT", help="from here on PATH is TEXT")
    parser.add_argument("--rm", dest="script", action=_Script, metavar="PATH", help="from here on PATH is gone")


def _common() -> _Parser:
    common = _Parser(add_help=False)
    group = common.add_argument_group("settings")
    group.add_argument("--cwd", metavar="DIR", help="working directory, relative to the workspace")
    group.add_argument("--home", metavar="DIR", help="directory of the user-global AGENTS.md")
    group.add_argument(
        "--max-bytes", type=_number, metavar="N", help=f"budget of one message (default: {DEFAULT_MAX_BYTES})"
    )
    group.add_argument(
        "--max-source-bytes", type=_number, metavar="N", help="largest instruction file (default: 1 MiB)"
    )
    group.add_argument("--candidate", action="append", metavar="NAME", help="look for NAME; may be repeated")
    group.add_argument("--local-candidate", action="append", metavar="NAME", help="an overlay; may be repeated")
    group.add_argument("--root-marker", action="append", metavar="NAME", help="what marks the root; may be repeated")
    group.add_argument("--config", metavar="FILE", help="a guidefs.toml or pyproject.toml with settings")
    group.add_argument(
        "--storage-option", action="append", default=[], metavar="KEY=VALUE", help="for the filesystem of a URL"
    )
    group.add_argument("--json", action="store_true", help="print one JSON object for programs")
    return common


def _number(text: str) -> float:
    """A number of bytes; whether it is one that can be used is for the settings to say.

    Raises:
        ArgumentTypeError: it is no number.
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"takes a number of bytes, not {text!r}") from None


def _with_touches(arguments: Sequence[str]) -> list[str]:
    """Write each PATH of a script as an option, since a parser keeps the order of options only."""
    if not arguments or arguments[0] not in _SCRIPTED:
        return list(arguments)
    options: list[str] = []
    subject: list[str] = []
    rest, options_ended = list(arguments[1:]), False
    while rest:
        word = rest.pop(0)
        if word == "--" and not options_ended:
            options_ended = True
        elif word.startswith("-") and word != "-" and not options_ended:
            options.append(word)
            if "=" not in word and word not in _WITHOUT_VALUE and rest:
                options.append(rest.pop(0))
        elif subject:
            options.append(f"--touch={word}")
        else:
            subject = ["--", word]
    return [arguments[0], *options, *subject]
