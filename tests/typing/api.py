"""How the public surface is used, for type checkers alone: nothing here is ever run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_type

import guidefs
from guidefs import (
    ROOT,
    Call,
    Config,
    Context,
    GuideError,
    Message,
    Seen,
    Session,
    SessionLog,
    Workspace,
)
from guidefs.storage import Answer, AsyncProvider, Limits, Marker, Provider, Question, Text, Version
from guidefs.testing import FakeProvider, FaultyProvider

workspace = Workspace("s3://bucket/repo", cwd=".", max_bytes=65_536, storage_options={"anon": True})
assert_type(workspace.config, Config)
assert_type(Workspace.from_file("guidefs.toml", "/repo"), Workspace)

log = SessionLog()
session = workspace.session("thread-1", log=log)
assert_type(session, Session)
assert_type(session.prefix(), Context | None)
assert_type(session.take(), tuple[Context, ...])
assert_type(session.preflight("a/b"), tuple[Context, ...])
assert_type(session.child("reviewer", inherit="all"), Session)
assert_type(session.stats.unavailable, int)

with session.step(), session.call("id") as call:
    assert_type(call, Call)
    assert_type(call.contexts, tuple[Context, ...])
    assert_type(call.text, str)
    assert_type(call.body, str)
    assert_type(call.meta, dict[str, Any])
    call.touch("a/b", "write")
    call.fail()

with session.call("inner", parent=call), session.call(parent=ROOT):
    pass

session.confirm("id")
session.rollback()
session.rearm(["p/AGENTS.md"])
observed = session.observe([Seen("text", call.meta), "text", {"role": "user", "content": "text"}], delta=True)
assert_type(observed.confirmed, int)

log.append(Message("text", {"kind": "user"}, None))
log.compact(keep=[0, 1])
log.compact(keep=lambda message: message.text != "")
assert_type(log.visible(), tuple[Message, ...])
assert_type(guidefs.encode(call.contexts), dict[str, Any])
assert_type(guidefs.frames("text"), list[str])
assert_type(guidefs.strip(call.text), str)


@session.tool(path="path")
def count(path: str, *, limit: int = 3) -> str:
    """A plain tool keeps its signature."""
    return path * limit


@session.tool(path=["source", "target"], operation={"source": "read", "target": "write"})
async def move(source: str, target: str) -> int:
    """So does an async one."""
    return len(source) + len(target)


assert_type(count("a", limit=4), str)


async def on_a_loop(session: Session) -> None:
    """The same on an event loop."""
    assert_type(await session.aprefix(), Context | None)
    async with session.step(), session.call() as call:
        assert_type(call, Call)
    assert_type(await move("a", "b"), int)
    assert_type(await session.apreflight("a"), tuple[Context, ...])


class Theirs:
    """A provider of anybody's: the class needs nothing of ours but the values."""

    def fetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch."""
        return [Text(Version("1"), "rules") for _ in questions]

    async def afetch(self, questions: Sequence[Question | Marker], limits: Limits) -> Sequence[Answer]:
        """Answer a batch on an event loop."""
        return self.fetch(questions, limits)


plain: Provider = Theirs()
on_loop: AsyncProvider = Theirs()
fake: Provider = FakeProvider()
faulty: AsyncProvider = FaultyProvider(fake)

# What a type checker has to refuse.
Workspace()  # type: ignore[call-arg] # an address is needed
session.call("id", ROOT)  # type: ignore[call-arg] # the parent is given by name
session.observe([], True)  # type: ignore[call-arg] # noqa: FBT003 - options are given by name, as is shown here
call.touch("a", "delete")  # type: ignore[arg-type] # an operation that is none
session.child("a", inherit="some")  # type: ignore[arg-type] # an inheritance that is none
count(7)  # type: ignore[arg-type] # a decorated tool keeps its types


def failed(error: GuideError) -> str:
    """Errors have codes."""
    assert_type(error.code, str)
    return error.code


stored: Mapping[str, Any] = call.meta
