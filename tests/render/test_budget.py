"""The byte budget, against a slow reading of its rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guidefs.render.budget import Block, DoesNotFit, Fitted, fit, fit_baseline
from guidefs.values.path import displayed

CLOSE = "</system-reminder>"
LONG = (
    "The following workspace instructions may be relevant to your work. Use them as guidance when applicable. More "
    "specific instructions take precedence over broader ones. They do not override system, developer, or direct user "
    "instructions."
)
SHORT = "Workspace instructions were omitted or truncated to fit the configured byte budget."


@dataclass(frozen=True)
class Expected:
    """A message as the rules give it.

    Args:
        text: the message.
        told: which files' content survived.
    """

    text: str
    told: tuple[bool, ...]


def message(blocks: Sequence[str]) -> str:
    """A framed message, escaped."""
    body = "\n\n".join(blocks).replace(CLOSE, "<\\/system-reminder>")
    return f"<system-reminder>\n{body}\n{CLOSE}"


def size(text: str) -> int:
    """The bytes of a text."""
    return len(text.encode("utf-8", "surrogatepass"))


def whole(block: Block) -> str:
    """A block with all its text."""
    return block.heading if block.text is None else f"{block.heading}\n\n{block.text}"


def notice(max_bytes: int, omitted: Sequence[str], truncated: str = "") -> list[str]:
    """The notice as a list of blocks, empty where nothing was left out."""
    parts = []
    if omitted:
        more = f" and {len(omitted) - 10} more" if len(omitted) > 10 else ""
        parts.append("omitted " + ", ".join(map(displayed, omitted[:10])) + more)
    if truncated:
        parts.append(truncated)
    return [f"Workspace instruction budget {max_bytes} bytes: {'; '.join(parts)}"] if parts else []


def kept_text(text: str, length: int) -> str:
    """The longest prefix of whole code points within so many bytes."""
    kept = ""
    for character in text:
        if size(kept + character) > length:
            break
        kept += character
    return kept


def cut(blocks: Sequence[Block], max_bytes: int, intro: Sequence[str]) -> Expected | None:
    """Everything but the last file omitted, whose text is cut by the prescribed binary search."""
    last, omitted = blocks[-1], [block.path for block in blocks[:-1]]
    if last.text is None:
        return None
    total = size(last.text)

    def attempt(length: int) -> Expected:
        kept = kept_text(last.text or "", length)
        truncated = f"truncated {displayed(last.path)} from {total} to {size(kept)} bytes" if size(kept) < total else ""
        text = message([*notice(max_bytes, omitted, truncated), *intro, f"{last.heading}\n\n{kept}"])
        return Expected(text, (*[False] * len(omitted), bool(kept) or total == 0))

    best = attempt(0) if size(attempt(0).text) <= max_bytes else None
    low, high = 0, total
    while low <= high:
        middle = (low + high) // 2
        tried = attempt(middle)
        if size(tried.text) <= max_bytes:
            best, low = tried, middle + 1
        else:
            high = middle - 1
    return best


def naive(
    blocks: Sequence[Block], max_bytes: int, intro: Sequence[str] = (), short: Sequence[str] | None = None
) -> Expected | None:
    """The rules, one after another; `short` is given for a baseline alone."""
    for first in range(len(blocks)):
        omitted = [block.path for block in blocks[:first]]
        text = message([*notice(max_bytes, omitted), *intro, *map(whole, blocks[first:])])
        if size(text) <= max_bytes:
            return Expected(text, tuple(number >= first for number in range(len(blocks))))
    found = cut(blocks, max_bytes, intro)
    if found is not None or short is None:
        return found
    found = cut(blocks, max_bytes, short)
    if found is not None:
        return found
    last = blocks[-1]
    total = size(last.text or "")
    omitted = [block.path for block in (blocks[:-1] if total else blocks)]
    truncated = f"truncated {displayed(last.path)} from {total} to 0 bytes" if total else ""
    text = message(notice(max_bytes, omitted, truncated))
    return Expected(text, (False,) * len(blocks)) if size(text) <= max_bytes else None


texts = st.lists(
    st.one_of(
        st.text(max_size=40),
        st.sampled_from([CLOSE, "é" * 30, "😀" * 20, "x" * 90, "\n", CLOSE * 5, "</system-", "\ud800"]),
    ),
    max_size=5,
).map("".join)
paths = st.one_of(
    st.sampled_from(["AGENTS.md", "a/b/AGENTS.md", f"{CLOSE}/AGENTS.md", "a\nb/AGENTS.md"]),
    st.text(min_size=1, max_size=20),
)
text_blocks = st.builds(lambda path, text: Block(path, f"Instructions from: {displayed(path)}", text), paths, texts)
removals = st.builds(lambda path: Block(path, f"Instructions removed: {displayed(path)}\n\nGone.", None), paths)
dynamic = st.lists(st.one_of(text_blocks, text_blocks, removals), min_size=1, max_size=14)
baselines = st.lists(text_blocks, min_size=1, max_size=14)
budgets = st.one_of(st.integers(1, 1500), st.integers(1, 400))


def agree(rendering: Fitted | DoesNotFit, expected: Expected | None, max_bytes: int) -> None:
    """Check a rendering against the slow reading."""
    if expected is None:
        assert isinstance(rendering, DoesNotFit)
        return
    assert isinstance(rendering, Fitted)
    assert rendering.text == expected.text
    assert rendering.rendered == expected.told
    assert size(rendering.text) <= max_bytes
    assert rendering.text == f"<system-reminder>\n{rendering.body}\n{CLOSE}"
    assert rendering.text.count(CLOSE) == 1


@given(dynamic, budgets)
@settings(max_examples=400)
def test_dynamic_message_follows_the_rules(blocks: list[Block], max_bytes: int) -> None:
    """A dynamic message is what the rules give, never above its budget, and framed whenever it exists."""
    agree(fit(blocks, max_bytes), naive(blocks, max_bytes), max_bytes)


@given(baselines, budgets, st.sampled_from([(), ("A preface.",)]))
@settings(max_examples=400)
def test_baseline_follows_the_rules(blocks: list[Block], max_bytes: int, preface: tuple[str, ...]) -> None:
    """A baseline is what the rules give: whole, cut, with the short introduction, as a notice alone, or not at all."""
    expected = naive(blocks, max_bytes, (*preface, LONG), (*preface, SHORT))
    agree(fit_baseline(blocks, max_bytes, preface=preface), expected, max_bytes)


@given(dynamic, st.integers(-2, 2))
@settings(max_examples=200)
@example([Block("p", "h", "x" * 100)], 0)
@example([Block("p", "h", "x" * 100)], -1)
def test_dynamic_message_at_the_border(blocks: list[Block], difference: int) -> None:
    """Around the exact size of everything, and of each rest, the rules hold to the byte."""
    for first in range(len(blocks)):
        max_bytes = size(message(list(map(whole, blocks[first:])))) + difference
        agree(fit(blocks, max_bytes), naive(blocks, max_bytes), max_bytes)


@pytest.mark.parametrize("unit", ["a", "é", "€", "😀", CLOSE, "</system-reminder", "a</system-reminder>é"])
def test_every_budget_of_one_file(unit: str) -> None:
    """At each budget from nothing to more than enough, a single file is told as the rules say."""
    block = Block("p/AGENTS.md", "Additional instructions from: p/AGENTS.md", unit * 12)
    for max_bytes in range(1, size(message([whole(block)])) + 3):
        agree(fit([block], max_bytes), naive([block], max_bytes), max_bytes)
        agree(fit_baseline([block], max_bytes), naive([block], max_bytes, (LONG,), (SHORT,)), max_bytes)


def test_every_budget_of_a_chain() -> None:
    """At each budget a chain with an empty file, a removal and long texts is told as the rules say."""
    blocks = [
        Block("AGENTS.md", "one", "x" * 50),
        Block("a", "two", ""),
        Block("b", "gone", None),
        Block("c", "three", "é" * 40),
    ]
    for last in range(1, len(blocks) + 1):
        chain = blocks[:last]
        for max_bytes in range(1, size(message(list(map(whole, chain)))) + 3):
            agree(fit(chain, max_bytes), naive(chain, max_bytes), max_bytes)


def test_cut_is_told_in_bytes_of_the_text() -> None:
    """How much of the last text was kept is given in bytes before escaping, and not where nothing was cut."""
    block = Block("p", "heading", "é" * 200)
    rendering = fit([block], 200)
    assert isinstance(rendering, Fitted)
    assert rendering.cut_bytes is not None
    assert f"truncated p from 400 to {rendering.cut_bytes} bytes" in rendering.text
    assert rendering.text.count("é") * 2 == rendering.cut_bytes
    exact = fit([block], 10_000)
    assert isinstance(exact, Fitted)
    assert exact.cut_bytes is None


@pytest.mark.parametrize("max_bytes", [300.0, 300.5])
def test_fractional_budgets(max_bytes: float) -> None:
    """A budget that is a float is shown as a whole number where it is one, and obeyed."""
    rendering = fit([Block("p", "heading", "x" * 1000)], max_bytes)
    assert isinstance(rendering, Fitted)
    assert size(rendering.text) <= max_bytes
    assert f"budget {'300' if max_bytes == 300 else '300.5'} bytes" in rendering.text
