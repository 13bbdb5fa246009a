"""What is believed of the answers that a provider gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guidefs.storage.batch import bounded
from guidefs.storage.provider import Limits
from guidefs.values.answer import (
    Absent,
    Answer,
    Exists,
    Marker,
    NotText,
    Question,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
)

__all__ = ["ContractBreachError", "vetted"]

_TO_QUESTIONS = (Unchanged, Absent, Unavailable, TooLarge, NotText, Text)
_TO_MARKERS = (Exists, Absent, Unavailable)


class ContractBreachError(Exception):
    """A provider broke its contract, so none of the answers of this batch can be used."""


def vetted(answers: object, questions: Sequence[Question | Marker], limits: Limits) -> list[Answer]:
    """Check that every question got an answer that it can have, and enforce both bounds once more.

    Args:
        answers: what the provider returned, of whatever type.
        questions: what it was asked.
        limits: the bounds of the batch.

    Raises:
        ContractBreachError: the answers are not a sequence of the right length, or one is no answer to its question.
    """
    if isinstance(answers, str | bytes) or not isinstance(answers, Sequence):
        raise ContractBreachError(f"expected a sequence of answers, got {type(answers).__name__}")
    if len(answers) != len(questions):
        raise ContractBreachError(f"{len(questions)} questions got {len(answers)} answers")
    checked = list(answers)
    doubtful = _doubtful(checked, questions)
    for position in doubtful:
        checked[position] = _checked(checked[position], questions[position], limits)
    return bounded(checked, limits) if any(isinstance(checked[position], Text) for position in doubtful) else checked


def _doubtful(answers: Sequence[Any], questions: Sequence[Question | Marker]) -> list[int]:
    """The places of all answers that have to be looked at: on a quiet touch, hundreds do not."""
    return [
        position
        for position, answer in enumerate(answers)
        if type(answer) is not Absent and not (type(answer) is Unchanged and _is_conditional(questions[position]))
    ]


def _is_conditional(question: Question | Marker) -> bool:
    return type(question) is Question and question.known is not None


def _checked(answer: Any, question: Question | Marker, limits: Limits) -> Answer:
    if not isinstance(answer, _TO_MARKERS if isinstance(question, Marker) else _TO_QUESTIONS):
        raise ContractBreachError(f"{question!r} cannot be answered by {type(answer).__name__}")
    match answer:
        case Unchanged() if not _is_conditional(question):
            raise ContractBreachError(f"{question!r} knows no version that could be unchanged")
        case Text(version, text):
            if not isinstance(text, str):
                raise ContractBreachError(f"the text of {question.path!r} is {type(text).__name__}, not str")
            _check_version(version, question)
            return _bounded_text(answer, limits)
        case TooLarge(version) | NotText(version):
            _check_version(version, question)
    return answer  # type: ignore[no-any-return] # the type was checked above


def _check_version(version: object, question: Question | Marker) -> None:
    if version is not None and not isinstance(version, str):
        raise ContractBreachError(f"the version of {question.path!r} is {type(version).__name__}, not str or None")


def _bounded_text(answer: Text, limits: Limits) -> Text | TooLarge | NotText:
    try:
        size = len(answer.text.encode())
    except UnicodeEncodeError:  # a lone surrogate: this text cannot have come from UTF-8
        return NotText(answer.version)
    return TooLarge(answer.version, size) if size > limits.max_source_bytes else answer
