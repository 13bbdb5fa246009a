"""Which candidates of a batch are asked for one by one and which by listing their directories."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from guidefs.values.answer import Question
from guidefs_s3.address import Address, Directory, is_plain
from guidefs_s3.reply import Listed

__all__ = ["Candidate", "Candidates", "Directories", "Plan", "is_new_chain", "plan"]

NAMES_WORTH_A_GET: Final = 10
"""How many listed names cost about the processor time of one GET.

Measured with `benchmarks/bench_s3.py`: s3fs spends 0.8 ms on a GET, 0.9 ms on a LIST and 0.06 ms on each name in it.
"""

REMEMBERED_DIRECTORIES: Final = 4_096


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question with the address of its file."""

    question: Question
    address: Address


Candidates: TypeAlias = Mapping[int, Candidate]
"""Candidates by their position in the batch."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to ask.

    Args:
        single: the candidates that are asked for by one GET each.
        listed: the others, by the directory whose listing answers them.
    """

    single: Candidates
    listed: Mapping[Directory, Candidates]


class Directories:
    """What earlier listings showed about directories: how many names they hold, and which cannot be listed.

    It decides only how to ask, never what to answer.
    """

    def __init__(self) -> None:
        self._names: OrderedDict[Directory, int | None] = OrderedDict()
        self._closed: set[str] = set()

    def learn(self, directory: Directory, listing: Listed) -> None:
        """Remember how large a directory was."""
        self._names[directory] = listing.names if listing.complete else None
        self._names.move_to_end(directory)
        if len(self._names) > REMEMBERED_DIRECTORIES:
            self._names.popitem(last=False)

    def close(self, bucket: str) -> None:
        """Remember that a bucket's directories cannot be listed."""
        self._closed.add(bucket)

    def expected_names(self, directory: Directory) -> int | None:
        """How many names the directory had, `None` if that is not known."""
        return self._names.get(directory)

    def worth_listing(self, directory: Directory, candidates: int) -> bool:
        """Whether one LIST is expected to cost less than one GET for each candidate."""
        if candidates < 2 or directory.bucket in self._closed:
            return False
        if directory not in self._names:
            return True
        names = self._names[directory]
        return names is not None and names <= candidates * NAMES_WORTH_A_GET


def plan(candidates: Candidates, *, list_above: int | None, directories: Directories) -> Plan:
    """Choose the requests for a batch.

    Args:
        candidates: what to ask for.
        list_above: up to this many candidates, each is asked for by itself; `None` for any number.
        directories: what is known about directories.
    """
    if list_above is None or len(candidates) <= list_above:
        return Plan(candidates, {})
    groups: dict[Directory, dict[int, Candidate]] = {}
    for position, candidate in candidates.items():
        if is_plain(candidate.address.key):
            groups.setdefault(candidate.address.directory, {})[position] = candidate
    listed = {d: group for d, group in groups.items() if directories.worth_listing(d, len(group))}
    elsewhere = {position for group in listed.values() for position in group}
    return Plan({p: candidate for p, candidate in candidates.items() if p not in elsewhere}, listed)


def is_new_chain(candidates: Candidates) -> bool:
    """Whether nothing is known yet, and the directories that could be listed lie one in the other, as in a baseline.

    Then listings would only delay what is found by a wave.
    """
    if any(candidate.question.known is not None for candidate in candidates.values()):
        return False
    directories = Counter(candidate.address.directory for candidate in candidates.values())
    several = sorted(((d.bucket, d.prefix) for d, count in directories.items() if count > 1), key=lambda d: len(d[1]))
    return all(inner[0] == outer[0] and inner[1].startswith(outer[1]) for outer, inner in pairwise(several))
