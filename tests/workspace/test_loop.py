"""The simplest hand-written loop, as it is printed in the documents, on a real disk."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from guidefs import Session, Workspace


@dataclass
class Use:
    """A model's request to run a tool."""

    id: str
    arguments: dict[str, Any] = field(default_factory=dict)


def user(text: str) -> dict[str, Any]:
    """A user's message."""
    return {"role": "user", "content": text}


def tool(call_id: str, text: str) -> dict[str, Any]:
    """A tool result's message."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}


class Model:
    """A model that asks for the given tool uses, one turn after another, then for none.

    Args:
        turns: what each turn asks for.
    """

    def __init__(self, *turns: list[Use]) -> None:
        self._turns: Iterator[list[Use]] = iter(turns)

    def __call__(self, messages: list[dict[str, Any]]) -> list[Use]:
        """Append the own turn and give the uses in it."""
        messages.append({"role": "assistant", "content": "..."})
        return next(self._turns, [])


def turns() -> Model:
    """Four turns: a read, reads of the same and of a deeper directory, one that fails, and the first again."""
    return Model(
        [Use("1", {"path": "p/a.txt"})],
        [Use("2", {"path": "p/a.txt"}), Use("3", {"path": "p/q/b.txt"})],
        [Use("4", {"path": "p/missing.txt"})],
        [Use("5", {"path": "p/q/b.txt"}), Use("6", {"path": "c.txt"})],
    )


def guided(messages: list[dict[str, Any]]) -> dict[str, int]:
    """How many times each rule stands in the messages."""
    text = "\n".join(message["content"] for message in messages)
    return {rule: text.count(rule) for rule in ("root rules", "p rules", "q rules")}


def loop(session: Session, model: Callable[[list[dict[str, Any]]], list[Use]]) -> list[dict[str, Any]]:
    """The loop."""
    prefix = session.prefix()
    messages = [user(prefix.text)] if prefix else []
    while uses := model(messages):
        for use in uses:
            try:
                with session.call(use.id) as call:
                    result = session.tools.read(**use.arguments)
            except Exception as error:  # noqa: BLE001 - as it is printed
                result = str(error)
            messages.append(tool(use.id, "\n\n".join(filter(None, [result, call.text]))))
            session.confirm(use.id)
    return messages


async def aloop(session: Session, model: Callable[[list[dict[str, Any]]], list[Use]]) -> list[dict[str, Any]]:
    """The loop of an async host."""
    prefix = await session.aprefix()
    messages = [user(prefix.text)] if prefix else []
    while uses := model(messages):
        for use in uses:
            try:
                async with session.call(use.id) as call:
                    result = await session.tools.aread(**use.arguments)
            except Exception as error:  # noqa: BLE001 - as it is printed
                result = str(error)
            messages.append(tool(use.id, "\n\n".join(filter(None, [result, call.text]))))
            session.confirm(use.id)
    return messages


def observing_loop(session: Session, model: Callable[[list[dict[str, Any]]], list[Use]]) -> list[dict[str, Any]]:
    """The loop of a host that shows its window before each request, instead of confirming."""
    prefix = session.prefix()
    messages = [user(prefix.text)] if prefix else []
    session.observe(messages)
    while uses := model(messages):
        for use in uses:
            try:
                with session.call(use.id) as call:
                    result = session.tools.read(**use.arguments)
            except Exception as error:  # noqa: BLE001 - as it is printed
                result = str(error)
            messages.append(tool(use.id, "\n\n".join(filter(None, [result, call.text]))) | call.meta)
        session.observe(messages)
    return messages


@pytest.mark.parametrize("run", [loop, observing_loop])
def test_loop_tells_each_rule_once(local: Workspace, run: Callable[..., list[dict[str, Any]]]) -> None:
    """The printed loop tells each rule once, whatever is read again, and nothing is unavailable."""
    session = local.session("t1")
    assert guided(run(session, turns())) == {"root rules": 1, "p rules": 1, "q rules": 1}
    assert session.stats.unavailable == 0


def test_async_loop_is_the_same(local: Workspace) -> None:
    """The async loop gives the same messages, byte for byte."""
    session = local.session("t1")
    assert asyncio.run(aloop(session, turns())) == loop(local.session("t2"), turns())
    assert session.stats.unavailable == 0


def test_loop_tells_a_failing_tool_as_its_result(local: Workspace) -> None:
    """A tool that fails becomes the error's text in the conversation, and brings nothing."""
    messages = loop(local.session("t1"), turns())
    (failed,) = [message for message in messages if message.get("tool_call_id") == "4"]
    assert "p/missing.txt" in failed["content"]
    assert "system-reminder" not in failed["content"]


def test_loop_tells_updates_and_removals(local: Workspace, disk: Path) -> None:
    """Files that change or go between two reads are told with the next result."""
    session = local.session("t1")

    def model(messages: list[dict[str, Any]]) -> list[Use]:
        turn = sum(message["role"] == "tool" for message in messages)
        if turn == 1:
            (disk / "p" / "AGENTS.md").write_text("new p rules\n")
        if turn == 2:
            (disk / "p" / "AGENTS.md").unlink()
        return [Use(str(turn), {"path": "p/a.txt"})] if turn < 4 else []

    results = [message["content"] for message in loop(session, model) if message["role"] == "tool"]
    assert "Additional instructions from: p/AGENTS.md" in results[0]
    assert "Updated instructions from: p/AGENTS.md" in results[1]
    assert "Instructions removed: p/AGENTS.md" in results[2]
    assert "system-reminder" not in results[3]


def test_loop_over_a_directory_without_instructions(tmp_path: Path) -> None:
    """A workspace without instruction files leaves the conversation as it would be."""
    from guidefs import Workspace

    (tmp_path / "a.txt").write_text("hello\n")
    session = Workspace(str(tmp_path), max_bytes=65_536, home=str(tmp_path / "home")).session("t1")
    messages = loop(session, Model([Use("1", {"path": "a.txt"})]))
    assert [message["role"] for message in messages] == ["assistant", "tool", "assistant"]
    assert "hello" in messages[1]["content"]
    assert "system-reminder" not in messages[1]["content"]
