"""The same loop on an event loop, with parallel calls and `observe`: python examples/async_loop.py"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import guidefs


@dataclass
class Use:
    """One tool call that the model asks for."""

    id: str
    arguments: dict[str, str]


def scripted_model(turns: list[list[Use]]) -> Iterator[list[Use]]:
    """A model that asks for what is written down, turn by turn, and then for nothing."""
    yield from turns
    yield []


def make_project(root: Path) -> None:
    """Write a small project with instructions at its root and in two directories."""
    (root / ".git").mkdir()
    (root / "AGENTS.md").write_text("Run the tests before you finish.")
    for name in ("api", "web"):
        (root / name).mkdir()
        (root / name / "AGENTS.md").write_text(f"The rules of {name}.")
        (root / name / "main.py").write_text("pass\n")


async def main() -> None:
    """Run two turns, the first with two calls at once, and let the messages say what the model has seen."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        make_project(root)
        session = guidefs.Workspace(root, max_bytes=65_536, home=str(root / "no-home")).session("t1")
        prefix = await session.aprefix()
        messages: list[dict[str, object]] = [{"role": "user", "content": prefix.text}] if prefix else []

        async def run(use: Use) -> dict[str, object]:
            try:
                async with session.call(use.id) as call:
                    result = await session.tools.aread(**use.arguments)
            except Exception as error:  # noqa: BLE001 - whatever a tool raises is what the model is told
                result = str(error)
            content = "\n\n".join(filter(None, [result, call.text]))
            return {"role": "tool", "tool_call_id": use.id, "content": content, **call.meta}

        turns = [
            [Use("c1", {"path": "api/main.py"}), Use("c2", {"path": "web/main.py"})],
            [Use("c3", {"path": "api/main.py"}), Use("c4", {"path": "api/missing.py"})],
        ]
        model = scripted_model(turns)
        session.observe(messages)
        while uses := next(model):
            messages += await asyncio.gather(*map(run, uses))
            session.observe(messages)  # the last thing before each request
        for message in messages:
            print(f"--- {message['role']}\n{message['content']}\n")
        print(session.stats)


if __name__ == "__main__":
    asyncio.run(main())
