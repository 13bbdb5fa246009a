"""Which directory is the project root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guidefs.values.answer import Answer, Exists, Marker, Unavailable
from guidefs.values.path import join

__all__ = ["Root", "marker_questions", "project_root"]


@dataclass(frozen=True, slots=True)
class Root:
    """The project root.

    Args:
        directory: its absolute path.
        failure: the marker that could not be examined and why, where that decided; `None` otherwise.
        marker: the absolute path of the marker that was found; `None` where none was.
    """

    directory: str
    failure: tuple[str, str] | None = None
    marker: str | None = None


def marker_questions(walk: Sequence[str], markers: Sequence[str]) -> list[Marker]:
    """Every marker in every directory of the walk, in the order in which they decide.

    Args:
        walk: the working directory and the directories above it, nearest first.
        markers: the names that make a directory the root.
    """
    return [Marker(join(directory, marker)) for directory in walk for marker in dict.fromkeys(markers)]


def project_root(walk: Sequence[str], markers: Sequence[str], answers: Mapping[str, Answer]) -> Root:
    """Walk upward to the first directory that has a marker.

    In each directory the markers are tried in order, and the first that is there or cannot be examined decides. None
    there: the working directory. One that cannot be examined ends the walk at the working directory, since walking on
    could take a parent project for this one.

    Args:
        walk: the working directory and the directories above it, nearest first.
        markers: the names that make a directory the root.
        answers: what was answered for each marker's path.
    """
    for directory in walk:
        for marker in markers:
            path = join(directory, marker)
            match answers[path]:
                case Exists():
                    return Root(directory, marker=path)
                case Unavailable(error):
                    return Root(walk[0], (path, error))
                case _:
                    continue
    return Root(walk[0])
