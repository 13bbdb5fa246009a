"""A state machine that plays a host, its disk and its faults at random, and checks what the model believes.

    TestSession = guidefs.testing.machine.SessionMachine.TestCase

Needs hypothesis. The invariant: after a healthy touch, with room in the budget, somebody who reads every visible
message believes exactly what is on disk; and no text is ever told while it is still visible.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from functools import partial
from typing import Any

from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from guidefs.driver.call import Call
from guidefs.log.session_log import SessionLog
from guidefs.testing.fakes import FakeProvider
from guidefs.testing.faults import FaultyProvider
from guidefs.testing.machine_tree import DIRECTORIES, NAMES, ROOT, TEXTS, held_in, path_of, way_down
from guidefs.testing.reader import believed
from guidefs.values.context import encode
from guidefs.workspace.session import Session
from guidefs.workspace.workspace import Workspace

__all__ = ["AsyncSessionMachine", "SessionMachine"]

_BLOCKED = ("none", "inner", "outer", "raised")
directories = st.sampled_from(DIRECTORIES)
names = st.sampled_from(NAMES)


class SessionMachine(RuleBasedStateMachine):
    """A host over a store in memory; a subclass may keep the log elsewhere.

    It shows its messages to `observe` before each request, or, being blind, says by `confirm`, `rollback` and `rearm`
    what became of them.
    """

    def begin_log(self) -> SessionLog:
        """Start the log of a conversation."""
        return SessionLog()

    def reopen_log(self, log: SessionLog) -> SessionLog:
        """Open the log again in another process."""
        return log

    @initialize(metadata=st.booleans(), prefix=st.booleans(), blind=st.booleans())
    def begin(self, metadata: bool, prefix: bool, blind: bool) -> None:  # noqa: FBT001 - hypothesis passes by name
        """Start a conversation, with or without a place for metadata, a baseline, and a view of the messages."""
        self.blind = blind
        self.files: dict[str, str] = {}
        self.disk = FakeProvider()
        self.disk.mkdir(f"{ROOT}/.git")
        self.backend = FaultyProvider(self.disk)
        self.workspace = Workspace(
            MemoryFileSystem(), ROOT, provider=self.backend, max_bytes=1 << 20, home="memory:///nobody"
        )
        self.ids = itertools.count()
        self.keeps_metadata = metadata
        self.broken: set[str] = set()
        self.history: list[dict[str, Any]] = []
        self.session: Session = self.workspace.session("machine", log=self.begin_log())
        if prefix:
            self.compose()

    @rule(directory=directories, name=names, text=st.sampled_from(TEXTS))
    def write(self, directory: str, name: str, text: str) -> None:
        """Somebody creates or edits an instruction file."""
        self.disk.put(path_of(directory, name), text)
        self.files[path_of(directory, name)] = text

    @rule(directory=directories, name=names)
    def delete(self, directory: str, name: str) -> None:
        """Somebody deletes an instruction file."""
        self.disk.delete(path_of(directory, name))
        self.files.pop(path_of(directory, name), None)

    @rule(directory=directories)
    def copy(self, directory: str) -> None:
        """Somebody makes the second file of a directory a copy of the first, but for white space."""
        text = self.files.get(path_of(directory, NAMES[0]))
        if text is not None:
            self.write(directory, NAMES[1], f"{text} ")

    @rule(directory=directories, name=names, at=st.sampled_from(("stat", "read")))
    def break_file(self, directory: str, name: str, at: Any) -> None:
        """The backend begins to fail for one file."""
        self.backend.fail(path_of(directory, name), at=at)
        self.broken.add(path_of(directory, name))

    @rule()
    def heal(self) -> None:
        """The backend works again."""
        for path in self.broken:
            self.backend.heal(path)
        self.broken.clear()

    @rule(directory=directories)
    def touch(self, directory: str) -> None:
        """A tool reads a file."""
        self.deliver(self.play([directory])[0])

    @rule(touched=st.lists(directories, min_size=2, max_size=4))
    def touch_in_parallel(self, touched: list[str]) -> None:
        """Several tools read at the same time."""
        for call in self.play(touched):
            self.deliver(call)

    @rule(directory=directories)
    def fail(self, directory: str) -> None:
        """A tool fails: nothing is told."""
        call = self.play([directory], fails=True)[0]
        assert not call.contexts  # noqa: S101 - what a machine is for

    @rule(directory=directories)
    def block(self, directory: str) -> None:
        """A policy blocks a result after the fact: what it carried is lost."""
        call = self.play([directory])[0]
        self.session.rollback(call.id)
        self.history.append({"role": "tool", "content": "blocked"})

    @rule(directory=directories)
    def lose(self, directory: str) -> None:
        """A result never makes it into the messages."""
        call = self.play([directory])[0]
        if self.blind:
            self.session.rollback(call.id)

    @rule(inner=st.lists(directories, min_size=1, max_size=3), blocked=st.sampled_from(_BLOCKED))
    def nest(self, inner: list[str], blocked: str) -> None:
        """A composite runs tools inside; one of them, or all, may be blocked, or it raises in the end."""
        with ExitStack() as stack:
            outer = stack.enter_context(self.session.call(f"outer-{next(self.ids)}"))
            calls = self.play(inner)
            if blocked == "inner":
                self.session.rollback(calls[0].id)
            if blocked == "raised":
                error = RuntimeError("the tool failed")
                outer.__exit__(RuntimeError, error, None)
                stack.pop_all()
        if blocked == "outer":
            self.session.rollback(outer.id)
        elif blocked != "raised":
            self.deliver(outer)

    @rule(keep=st.integers(0, 3))
    def compact(self, keep: int) -> None:
        """The host summarises all but the newest messages."""
        kept = [] if self.blind or not keep else self.history[-keep:]
        self.history = [*self.baseline(), {"role": "user", "content": "summary"}, *kept]
        if self.blind:
            self.session.rearm()

    @rule(position=st.integers(0, 50))
    def clear(self, position: int) -> None:
        """The host clears the text of a message in place and leaves the metadata."""
        if self.history:
            self.damage(position, 0)

    @rule(position=st.integers(0, 50))
    def trim(self, position: int) -> None:
        """The host cuts a message in place."""
        if self.history:
            self.damage(position, 2)

    @rule(forget_log=st.booleans())
    def resume(self, forget_log: bool) -> None:  # noqa: FBT001 - hypothesis passes by name
        """The process ends well and another goes on with the kept messages."""
        self.request()
        fresh = forget_log and self.keeps_metadata and not self.blind
        self.start_again(self.begin_log() if fresh else self.reopen_log(self.session.log))

    @rule(directory=directories)
    def crash(self, directory: str) -> None:
        """The process dies between a result and the message that should have carried it."""
        self.play([directory])
        self.start_again(self.reopen_log(self.session.log))

    @rule()
    def compose(self) -> None:
        """The host composes a baseline and puts it in place of the old one, then what was found beside it."""
        self.request()
        prefix = self.prefix()
        self.history = [message for message in self.history if message["role"] != "baseline"]
        if prefix is not None:
            self.history.insert(0, {"role": "baseline", "content": prefix.text, **self.meta([prefix])})
        for context in self.session.take():
            self.history.append({"role": "user", "content": context.text, **self.meta([context])})
        if self.blind:
            self.session.confirm()
        self.request()

    @rule(directory=directories)
    def check(self, directory: str) -> None:
        """After a healthy touch, belief equals disk."""
        self.heal()
        self.request()
        self.deliver(self.play([directory])[0])
        belief = believed(message["content"] for message in self.history)
        known = {path.rpartition("/")[0] for path in belief} | set(way_down(directory))
        for place in known:
            expected = held_in(self.files, place)
            told = {path: text for path, text in belief.items() if path.rpartition("/")[0] == place}
            assert told == expected, f"in {place or '.'} the model believes {told}, the disk holds {expected}"  # noqa: S101 - as above

    def start_again(self, log: SessionLog) -> None:
        """Go on in another process."""
        self.session = self.workspace.session("machine", log=log, ledger=self.session.ledger)
        if self.baseline():
            # A run that is not shown the messages cannot know of a baseline that was kept out of its log.
            self.compose()
        self.request()

    def play(self, touched: Sequence[str], *, fails: bool = False) -> list[Call]:
        """Run one call for each directory, all at the same time where there are several."""
        ids = [f"call-{next(self.ids)}" for _ in touched]
        if len(touched) == 1:
            return [self._one(ids[0], touched[0], fails=fails)]
        # Threads carry no context variables by themselves, so each gets a copy with the open calls in it.
        with ThreadPoolExecutor(len(touched)) as pool:
            running = [
                pool.submit(copy_context().run, partial(self._one, call_id, directory, fails=fails))
                for call_id, directory in zip(ids, touched, strict=True)
            ]
            return [future.result() for future in running]

    def _one(self, call_id: str, directory: str, *, fails: bool) -> Call:
        with self.session.call(call_id) as call:
            call.touch(path_of(directory, "module.py"), "read")
            if fails:
                call.fail()
        return call

    def prefix(self) -> Any:
        """Compose the baseline."""
        return self.session.prefix()

    def deliver(self, call: Call) -> None:
        """Append a result with what it carries, and check that none of it is visible already."""
        belief = believed(message["content"] for message in self.history)
        self.history.append(
            {"role": "tool", "content": f"result\n\n{call.text}", **(call.meta if self.keeps_metadata else {})}
        )
        if self.blind:
            self.session.confirm(call.id)
        for path, text in believed([call.text]).items():
            assert belief.get(path) != text, f"{path} is told again while it is visible"  # noqa: S101 - as above

    def meta(self, contexts: Sequence[Any]) -> dict[str, Any]:
        """What is stored beside a message, where the host has a place for it."""
        return encode(contexts) if self.keeps_metadata else {}

    def request(self) -> None:
        """Show the messages to the session, as before each request to a model."""
        if not self.blind:
            self.session.observe(self.history)

    def baseline(self) -> list[dict[str, Any]]:
        """The baseline of a blind host, which it keeps out of what is compacted; none where the session looks."""
        return [message for message in self.history if self.blind and message["role"] == "baseline"]

    def damage(self, position: int, parts: int) -> None:
        """Cut a message in place, whole or in half. A blind host can only say that all of it is gone."""
        message = self.history[position % len(self.history)]
        content = message["content"]
        if self.blind:
            self.compact(keep=0)
        else:
            message["content"] = content[: len(content) // parts] if parts else "[cleared]"


class AsyncSessionMachine(SessionMachine):
    """The same host on an event loop."""

    def play(self, touched: Sequence[str], *, fails: bool = False) -> list[Call]:
        """Run one task for each directory."""
        return asyncio.run(self._aplay([(f"call-{next(self.ids)}", directory) for directory in touched], fails=fails))

    def prefix(self) -> Any:
        """Compose the baseline."""
        return asyncio.run(self.session.aprefix())

    async def _aplay(self, calls: Sequence[tuple[str, str]], *, fails: bool) -> list[Call]:
        return await asyncio.gather(*(self._aone(call_id, directory, fails=fails) for call_id, directory in calls))

    async def _aone(self, call_id: str, directory: str, *, fails: bool) -> Call:
        async with self.session.call(call_id) as call:
            call.touch(path_of(directory, "module.py"), "read")
            if fails:
                call.fail()
        return call
