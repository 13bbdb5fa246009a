"""The simplest hand-written agent loop, with a scripted model: python examples/loop.py"""

from __future__ import annotations

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


def scripted_model(uses: list[list[Use]]) -> Iterator[list[Use]]:
    """A model that asks for what is written down, turn by turn."""
    yield from uses
    yield []


def main() -> None:
    """Run two turns over a small project and print what the model is sent."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / ".git").mkdir()
        (root / "AGENTS.md").write_text("Run the tests before you finish.")
        (root / "api").mkdir()
        (root / "api" / "AGENTS.md").write_text("Money is Decimal, never float.")
        (root / "api" / "orders.py").write_text("TOTAL = 1.5\n")

        ws = guidefs.Workspace(root, max_bytes=65_536, home=str(root / "no-home"))
        session = ws.session("t1")
        prefix = session.prefix()
        messages = [{"role": "user", "content": prefix.text}] if prefix else []
        model = scripted_model([[Use("c1", {"path": "api/orders.py"})], [Use("c2", {"path": "api/orders.py"})]])
        while uses := next(model):
            for use in uses:
                try:
                    with session.call(use.id) as call:
                        result = session.tools.read(**use.arguments)
                except Exception as error:  # noqa: BLE001 - whatever a tool raises is what the model is told
                    result = str(error)
                content = "\n\n".join(filter(None, [result, call.text]))
                messages.append({"role": "tool", "tool_call_id": use.id, "content": content})
                session.confirm(use.id)
        for message in messages:
            print(f"--- {message['role']}\n{message['content']}\n")
        print(session.stats)


if __name__ == "__main__":
    main()
