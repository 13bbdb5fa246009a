"""The answers of the local disk."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, ClassVar

from guidefs.errors import ConfigurationError, NotRegularFileError
from guidefs.storage.batch import BatchBudget
from guidefs.storage.failures import describe
from guidefs.storage.provider import Chunk, Guard, Limits, Presence, Stat, Written
from guidefs.values.answer import Answer, Exists, Marker, Question, TooLarge, Unavailable, Unchanged
from guidefs_local.directory import check_directory
from guidefs_local.identity import GRANULARITY_NANOSECONDS, identity_of, parsed, trusted_version
from guidefs_local.links import LinkPolicy, Symlinks
from guidefs_local.outcome import ABSENT, outcome_of
from guidefs_local.reading import read_chunk, read_text
from guidefs_local.writing import write_guarded

__all__ = ["LocalProvider"]

_EXISTS = Exists()
_UNCHANGED = Unchanged()
_MOST_NAMES = 4096


class LocalProvider:
    """Answers for files on the host's disk, through the operating system alone.

    One question costs one `stat`, and a read only where the version differs from the known one. A version is device,
    inode, size, modification and change time; it is not given for a file written less than 10 ms ago, because a
    second write could leave it as it is, nor on Windows, where a stat does not tell a change. What was stored through
    a memory mapping is seen once the mapping was synchronised.

    The `symlinks` setting governs what `fetch` loads unasked. File tools act on explicit requests, so `stat`, `read`
    and `write` follow links as the operating system does.

    Args:
        filesystem: the fsspec filesystem that is answered for; only its paths matter.
        symlinks: `follow`, `contained` (the real path has to stay under `root`) or `refuse`. A candidate that may not
            be followed is unavailable, and is not read.
        root: the directory that `contained` and `refuse` speak of, on the same disk; the project root or one above.
        clock: the present in nanoseconds since the epoch.

    Raises:
        ConfigurationError: a setting cannot be used.
    """

    SETTINGS: ClassVar[frozenset[str]] = frozenset({"symlinks", "root", "clock"})

    def __init__(
        self,
        filesystem: Any,
        *,
        symlinks: Symlinks = "follow",
        root: str | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        if not callable(clock):
            raise ConfigurationError(f"clock is {clock!r}; give a function that returns nanoseconds")
        self.filesystem = filesystem
        self._links = LinkPolicy(symlinks, root)
        self._clock = clock

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch with one `stat` a question, reading from the last question backwards."""
        trusted_before = self._trusted_before()
        budget = BatchBudget(limits)
        answers: list[Answer] = []
        look = os.stat  # looked up once: for unchanged files this loop costs little more than the stats themselves
        for question in reversed(questions):
            try:
                found = look(question.path)
            except FileNotFoundError:  # by far the most frequent answer, so nothing else is done with it
                answers.append(ABSENT)
                continue
            except (OSError, ValueError) as error:
                answers.append(outcome_of(error, question.path))
                continue
            if isinstance(question, Marker):
                answers.append(_EXISTS)
            elif question.known is not None and identity_of(found) == parsed(question.known):
                answers.append(_UNCHANGED)
            else:
                answers.append(self._examine(question.path, found, trusted_before, budget, limits))
        answers.reverse()
        return answers

    def stat(self, path: str) -> Presence:
        """Stat one path, links followed."""
        trusted_before = self._trusted_before()
        try:
            found = os.stat(path)
        except (OSError, ValueError) as error:
            return Unavailable(describe(error)) if self._links.refuses(error) else outcome_of(error, path)
        if stat.S_ISREG(found.st_mode):
            return Stat("file", found.st_size, trusted_version(found, trusted_before))
        return Stat("directory" if stat.S_ISDIR(found.st_mode) else "other", None, None)

    def read(self, path: str, *, offset: int, max_bytes: int) -> Chunk:
        """Read a piece of a regular file; data and version are of one inode.

        Raises:
            NotFoundError: there is no such file.
            NotRegularFileError: the path is a directory, a pipe, a socket or a device.
            AccessDeniedError: the operating system refused.
            FileError: any other failure.
        """
        return read_chunk(path, offset=offset, max_bytes=max_bytes, trusted_before=self._trusted_before())

    def write(self, path: str, data: bytes, guard: Guard) -> Written:
        """Replace the whole content if the guard holds, as `guidefs.storage.Primitives.write` promises.

        A creation is `atomic`. A replacement is `checked` where the system can exchange two names (Linux, on most
        filesystems), `best-effort` elsewhere; writers of this library lose nothing among themselves in either case.

        Raises:
            AlreadyExistsError: `CreateOnly` and the name is taken.
            StaleVersionError: `IfVersion` or `IfContent` and the file is another one now, or gone.
            AccessDeniedError: the file is write-protected, or its directory is.
            FileError: any other failure; nothing was written.
        """
        return write_guarded(path, data, guard, self._trusted_before)

    def check_directory(self, path: str) -> None:
        """Check that a workspace directory can be used.

        Raises:
            NotFoundError: it does not exist.
            NotADirectoryFileError: it is something else.
            AccessDeniedError: it cannot be listed or entered.
        """
        check_directory(path)

    def names(self, path: str) -> Sequence[str]:
        """The names in a directory, at most the first 4,096 that the system gives; none where it cannot be listed."""
        try:
            with os.scandir(path) as entries:
                return [entry.name for entry in islice(entries, _MOST_NAMES)]
        except (OSError, ValueError):
            return ()

    def _trusted_before(self) -> int:
        return self._clock() - GRANULARITY_NANOSECONDS

    def _examine(
        self, path: str, found: os.stat_result, trusted_before: int, budget: BatchBudget, limits: Limits
    ) -> Answer:
        if not stat.S_ISREG(found.st_mode):
            return ABSENT
        objection = None if self._links.follows else self._links.objection(path, os.path.realpath(path))
        if objection is not None:
            return Unavailable(objection)
        if found.st_size > limits.max_source_bytes:
            return TooLarge(trusted_version(found, trusted_before), found.st_size)
        if budget.exhausted:
            return budget.refusal()
        try:
            return budget.admit(read_text(path, limits, self._links, trusted_before))
        except NotRegularFileError:
            return ABSENT
        except (OSError, ValueError) as error:
            return Unavailable(describe(error)) if self._links.refuses(error) else outcome_of(error, path)
