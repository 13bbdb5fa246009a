"""What became of each instruction file on the way to a path."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["ExplainedFile", "Explanation", "Standing"]


class Standing(Enum):
    """What became of one candidate."""

    BASELINE = "baseline"
    ON_TOUCH = "on touch"
    TRUNCATED = "truncated"
    OMITTED = "omitted"
    DUPLICATE = "duplicate"
    TOO_LARGE = "too large"
    NOT_TEXT = "not text"
    NOT_A_FILE = "not a file"
    UNAVAILABLE = "unavailable"
    ABSENT = "absent"
    NEAR_MISS = "near miss"

    @property
    def is_finding(self) -> bool:
        """Whether somebody should look at it."""
        return self not in {Standing.BASELINE, Standing.ON_TOUCH, Standing.DUPLICATE, Standing.ABSENT}


@dataclass(frozen=True, slots=True)
class ExplainedFile:
    """One candidate on the way to a path.

    Args:
        label: the path as the model would be shown it.
        path: the absolute path on the filesystem that holds it.
        standing: what became of it.
        detail: why, for people; empty where the standing says it all.
        size: the size of the text in bytes; `None` where it was not read.
        digest: the digest of the text; `None` where it was not read.
        link_target: where a link leads; `None` where it is none, or the filesystem does not say.
        in_sight: whether the model of a live session has this very text; `None` where no session was asked.
    """

    label: str
    path: str
    standing: Standing
    detail: str = ""
    size: int | None = None
    digest: str | None = None
    link_target: str | None = None
    in_sight: bool | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The instruction files on the way to a path.

    Args:
        root: the project root; the working directory where loading is switched off.
        root_failure: the marker that could not be examined and why, where that decided; `None` otherwise.
        cwd: the working directory.
        path: the path that was asked about.
        max_bytes: the budget of one message.
        enabled: whether that budget lets anything be loaded; where not, nothing was asked.
        directories: the directories of the workspace's filesystem that were looked into, absolute, outermost first.
        files: the candidates in the order in which they load.
        marker: the marker that makes the root the root; `None` where none was found.
        unlisted: directories that could not be listed for links and near misses, each with the error.
    """

    root: str
    root_failure: tuple[str, str] | None
    cwd: str
    path: str
    max_bytes: float
    enabled: bool
    directories: tuple[str, ...]
    files: tuple[ExplainedFile, ...]
    marker: str | None = None
    unlisted: tuple[tuple[str, str], ...] = ()

    @property
    def findings(self) -> tuple[ExplainedFile, ...]:
        """The files that somebody should look at."""
        return tuple(file for file in self.files if file.standing.is_finding)
