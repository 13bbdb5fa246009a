"""The settings of the S3 provider, checked when they are made."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from guidefs.errors import ConfigurationError

__all__ = ["EngineChoice", "Preconditions", "Settings"]

EngineChoice: TypeAlias = Literal["auto", "s3fs", "obstore"]
"""Who sends the requests: s3fs itself, obstore, or obstore where it can stand in for the filesystem at hand."""

Preconditions: TypeAlias = Literal["probe", "trust"]
"""Whether a bucket has to prove that it honours conditional writes before the first of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a deployment chooses for its S3 filesystems.

    Args:
        max_age_seconds: how old the last check of a file off the touched chain may be; 0 checks every file at every
            touch.
        list_above: batches of more candidates than this are answered by one LIST a directory, followed by a GET for
            what changed; smaller ones by one GET a candidate. `None` never lists, "auto" takes what was measured for
            the engine in use, and never lists a chain of directories of which nothing is known yet, as in a baseline.
        engine: who sends the requests.
        preconditions: "probe" tests each bucket once before its first guarded write, because some stores answer a
            conditional PUT with success and ignore the condition; "trust" skips the test.
        max_concurrency: how many requests of one batch may be under way at once; `None` leaves that to the
            filesystem's connection pool, and takes 128 with obstore, which has no such bound.
        clock: what the age of a check is measured with: seconds that never go backwards.

    Raises:
        ConfigurationError: a value is of the wrong type or out of bounds; the message names the setting.
    """

    max_age_seconds: float = 0.0
    list_above: int | Literal["auto"] | None = "auto"
    engine: EngineChoice = "auto"
    preconditions: Preconditions = "probe"
    max_concurrency: int | None = None
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if not _is_number(self.max_age_seconds) or not 0 <= self.max_age_seconds < math.inf:
            raise _wrong("max_age_seconds", self.max_age_seconds, "a finite number of seconds, 0 or more")
        if self.list_above not in {"auto", None} and not _is_count(self.list_above, least=0):
            raise _wrong("list_above", self.list_above, "a count of 0 or more, 'auto' or None")
        if self.engine not in get_args(EngineChoice):
            raise _wrong("engine", self.engine, f"one of {', '.join(get_args(EngineChoice))}")
        if self.preconditions not in get_args(Preconditions):
            raise _wrong("preconditions", self.preconditions, f"one of {', '.join(get_args(Preconditions))}")
        if self.max_concurrency is not None and not _is_count(self.max_concurrency, least=1):
            raise _wrong("max_concurrency", self.max_concurrency, "a count of 1 or more, or None")
        if not callable(self.clock):
            raise _wrong("clock", self.clock, "a function that returns seconds")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _wrong(name: str, value: object, expected: str) -> ConfigurationError:
    return ConfigurationError(f"the S3 setting {name} is {value!r}; it has to be {expected}")
