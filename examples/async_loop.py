"""The same loop on an event loop, with parallel calls and `observe`: python examples/async_loop.py"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import guidefs


async def main() -> None:
    """Read two files at once and let the messages themselves say what the model has seen."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name in ("api", "web"):
            (root / name).mkdir()
            (root / name / "AGENTS.md").write_text(f"The rules of {name}.")
            (root / name / "main.py").write_text("pass\n")
        (root / ".git").mkdir()

        session = guidefs.Workspace(root, max_bytes=65_536, home=str(root / "no-home")).session("t1")
        prefix = await session.aprefix()
        messages: list[dict[str, object]] = [{"role": "user", "content": prefix.text}] if prefix else []

        async def read(call_id: str, path: str) -> dict[str, object]:
            async with session.call(call_id) as call:
                result = await session.tools.aread(path)
            content = "\n\n".join(filter(None, [result, call.text]))
            return {"role": "tool", "tool_call_id": call_id, "content": content, **call.meta}

        messages += await asyncio.gather(read("c1", "api/main.py"), read("c2", "web/main.py"))
        print(session.observe(messages))
        messages += [await read("c3", "api/main.py")]
        print(session.observe(messages))
        for message in messages:
            print(f"--- {message['role']}\n{message['content']}\n")


if __name__ == "__main__":
    asyncio.run(main())
