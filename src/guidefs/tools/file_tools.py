"""The file tools of a session: read, write and edit, each for threads and for event loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guidefs.tools.argument import path_text
from guidefs.tools.attachment import attached
from guidefs.tools.editing import editing
from guidefs.tools.execution import arun, run
from guidefs.tools.observation import Observations
from guidefs.tools.page import MAX_LINES
from guidefs.tools.reading import reading
from guidefs.tools.target import Target
from guidefs.tools.turn import Turns
from guidefs.tools.writing import writing

if TYPE_CHECKING:
    from guidefs.tools.host import ToolCall, ToolHost
    from guidefs.tools.observation import Identity
    from guidefs.tools.outcome import Outcome
    from guidefs.tools.request import Steps
    from guidefs.values.touch import Operation

__all__ = ["FileTools"]


class FileTools:
    """Reads, writes and edits text files for a model, never over a change that the model has not seen.

    Every result is a string for the model. Outside an open call of the session, the instructions that became
    relevant follow it after an empty line; inside one, the call has them. A tool that fails, or is cancelled, counts
    as no access and leaves the session as it was.

    Args:
        host: the session that the tools work for.
    """

    def __init__(self, host: ToolHost) -> None:
        self._host = host
        self._observations = Observations()
        self._turns = Turns()

    def read(self, path: str, offset: int = 1, limit: int = MAX_LINES) -> str:
        """Show numbered lines of a text file.

        At most 2,000 lines, 2,000 characters of each, and 51,200 bytes are shown; a last line in brackets says where
        the file ends, or with which offset to go on.

        Args:
            path: the file, relative to the working directory or absolute.
            offset: the number of the first line to show, from 1.
            limit: how many lines to show at most, 1 to 2,000.

        Raises:
            ArgumentError: `offset` or `limit` is out of range, or `offset` is past the end of the file.
            NotTextError: the file is not UTF-8, or has a NUL in its first 8,192 bytes.
            FileError: the file cannot be read; the subclass says why.
        """
        target = self._target("read", path)
        return self._perform(target, reading(target, offset=offset, limit=limit))

    async def aread(self, path: str, offset: int = 1, limit: int = MAX_LINES) -> str:
        """Show numbered lines of a text file, as `read` does, on an event loop."""
        target = self._target("read", path)
        return await self._aperform(target, reading(target, offset=offset, limit=limit))

    def write(self, path: str, content: str) -> str:
        """Create a text file, or replace the whole content of one that was read before and not changed since.

        Missing directories are made, mode bits stay, and of a link the target is written.

        Args:
            path: the file, relative to the working directory or absolute.
            content: the whole new content, written as it is.

        Raises:
            ArgumentError: `content` cannot be written as UTF-8.
            NotObservedError: the file exists, and this session has not read it.
            StaleVersionError: the file was changed or removed after this session read it.
            AlreadyExistsError: the file was created by someone else during this call.
            FileError: the file cannot be written; the subclass says why.
        """
        target = self._target("write", path)
        with self._turns.held(target.address):
            return self._perform(target, writing(target, content, observed=self._observed(target)))

    async def awrite(self, path: str, content: str) -> str:
        """Create or replace a text file, as `write` does, on an event loop."""
        target = self._target("write", path)
        async with self._turns.aheld(target.address):
            return await self._aperform(target, writing(target, content, observed=self._observed(target)))

    def edit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> str:
        """Replace a piece of a text file that was read before and not changed since.

        Line ends match whatever they are, and the new text gets those of the file. Everything outside the match
        stays as it is, to the byte.

        Args:
            path: the file, relative to the working directory or absolute; at most 10 MiB.
            old: the exact text to replace, without line numbers; it has to occur exactly once.
            new: the text to put in its place.
            replace_all: replace every occurrence of `old` instead.

        Raises:
            ArgumentError: `old` is empty or the same as `new`, or one cannot be written as UTF-8.
            NotObservedError: this session has not read the file.
            StaleVersionError: the file was changed or removed after this session read it.
            EditNotFoundError: `old` does not occur in the file.
            AmbiguousEditError: `old` occurs more than once, and `replace_all` is not set.
            FileTooLargeError: the file is larger than 10 MiB.
            FileError: the file cannot be read or written; the subclass says why.
        """
        target = self._target("edit", path)
        with self._turns.held(target.address):
            return self._perform(target, self._editing(target, old, new, replace_all=replace_all))

    async def aedit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> str:
        """Replace a piece of a text file, as `edit` does, on an event loop."""
        target = self._target("edit", path)
        async with self._turns.aheld(target.address):
            return await self._aperform(target, self._editing(target, old, new, replace_all=replace_all))

    def _target(self, operation: Operation, path: str) -> Target:
        named = path_text(path)
        return Target(named, self._host.resolve(named), operation)

    def _observed(self, target: Target) -> Identity | None:
        return self._observations.of(target.address)

    def _editing(self, target: Target, old: str, new: str, *, replace_all: bool) -> Steps[Outcome]:
        return editing(target, old, new, replace_all=replace_all, observed=self._observed(target))

    def _perform(self, target: Target, steps: Steps[Outcome]) -> str:
        with self._host.observing(target.operation, target.path) as call:
            outcome = run(steps, self._host)
            _touch(call, target, outcome)
        return self._concluded(target, outcome, call)

    async def _aperform(self, target: Target, steps: Steps[Outcome]) -> str:
        async with self._host.observing(target.operation, target.path) as call:
            outcome = await arun(steps, self._host)
            _touch(call, target, outcome)
        return self._concluded(target, outcome, call)

    def _concluded(self, target: Target, outcome: Outcome, call: ToolCall) -> str:
        """Take note of the file's state, only now that nothing can keep the result from the caller any more."""
        self._observations.remember(target.address, outcome.identity)
        return attached(outcome.text, call.text)


def _touch(call: ToolCall, target: Target, outcome: Outcome) -> None:
    call.touch(target.path, target.operation)
    if outcome.shows is not None:
        call.show(target.path, outcome.shows, outcome.text)
