"""The entry point of the command line: exit code 0 for fine, 1 for findings, 2 for what cannot be done."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from guidefs.cli.arguments import parse
from guidefs.cli.commands import COMMANDS
from guidefs.cli.terminal import shown_lines, write_lines
from guidefs.errors import GuideError

__all__ = ["main"]

_CANNOT = 2
_INTERRUPTED = 130  # what a shell reports for a program that SIGINT ended: 128 and the number of the signal


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after the program's name; left out, those of the process.

    Returns:
        The exit code. Errors that a user can do something about are a message on standard error.
    """
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        with _warnings_on_one_line():
            code = COMMANDS[options.command](options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads has seen enough; the interpreter must not complain when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _INTERRUPTED
    except (GuideError, OSError) as error:
        sys.stderr.write(f"guidefs: {shown_lines(str(error))}\n")
        return _CANNOT
    return code


class _Warnings(logging.Handler):
    """Writes what the library warns of, without a traceback: it is about a backend, not about this program."""

    def emit(self, record: logging.LogRecord) -> None:
        write_lines([f"guidefs: {record.getMessage()}"])


@contextmanager
def _warnings_on_one_line() -> Iterator[None]:
    handler = _Warnings(logging.WARNING)
    logger = logging.getLogger("guidefs")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
