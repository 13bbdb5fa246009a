"""The entry point of the command line: exit code 0 for fine, 1 for findings, 2 for what cannot be done."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from guidefs.cli.arguments import parse
from guidefs.cli.commands import COMMANDS
from guidefs.errors import GuideError
from guidefs.values.path import displayed

__all__ = ["main"]

_CANNOT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after the program's name; left out, those of the process.

    Returns:
        The exit code. Errors that a user can do something about are a message on standard error.
    """
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        return COMMANDS[options.command](options)
    except BrokenPipeError:
        # Who reads has seen enough; the interpreter must not complain when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (GuideError, OSError) as error:
        message = "\n".join(displayed(line) for line in str(error).split("\n"))
        sys.stderr.write(f"guidefs: {message}\n")
        return _CANNOT
