"""One tool call: touches gather in it, and at its end it brings the messages that they make relevant."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Literal, Protocol, get_args

from guidefs.driver.delivery import Owners, Result
from guidefs.driver.opening import Opening, innermost
from guidefs.driver.reconciliation import Job
from guidefs.errors import UsageError
from guidefs.values.context import Context, encode
from guidefs.values.digest import frame_fingerprint
from guidefs.values.record import Record
from guidefs.values.touch import Operation, Touch

__all__ = ["ROOT", "Call", "Conductor", "Parent", "innermost"]

_log = logging.getLogger("guidefs")


class _Root:
    """The type of `ROOT`."""

    def __repr__(self) -> str:
        return "guidefs.ROOT"


ROOT: Final = _Root()
"""As a call's `parent`: no outer call, whatever is open here."""

Parent = object
"""A `Call`, `ROOT`, or `None` for the innermost open call."""


class Conductor(Protocol):
    """What a call needs of its session."""

    def resolve(self, path: str) -> str | None:
        """The absolute path that a touch names; `None` for a path that is no touch."""
        ...

    def check_sync(self) -> None:
        """Raise `UsageError` where a plain `with` can never work."""
        ...

    def reconcile(self, job: Job) -> None:
        """Find out what a finished call's touches bring."""
        ...

    async def areconcile(self, job: Job) -> None:
        """Find out what a finished call's touches bring, on an event loop."""
        ...

    def accept(self, owner: object) -> None:
        """Make what a finished outermost call holds pending."""
        ...

    def drop(self, owner: object) -> None:
        """Undo what a call, or a call inside it, holds."""
        ...

    def filesystem(self, call: Call) -> Any:
        """The wrapped filesystem whose accesses belong to a call, wherever they happen."""
        ...


class Call:
    """One tool call of one session, as a plain or an async context manager.

    The accesses of the wrapped filesystem inside the block are its touches. When the block ends, they are reconciled
    with one batch; when it raises, they count for nothing, and what the calls inside it brought is undone.

    Args:
        conductor: the session at work.
        key: the identity of the session, by which its open calls are told from others'.
        call_id: the host's id of the call, by which `confirm` and `rollback` find it; any hashable value.
        parent: the outer call; `None` where there is none.
    """

    def __init__(self, conductor: Conductor, key: object, call_id: object | None, parent: Call | None) -> None:
        self.id = call_id
        self.parent = parent
        self._conductor = conductor
        # What is pending is found by this. It is not the call itself, which holds the texts that it brought.
        self._identity = object()
        self._opening = Opening(key, self)
        self._state: Literal["made", "open", "ended"] = "made"
        self._failed = False
        self._touches: dict[Touch, None] = {}
        self._inner: list[Call] = []
        self._own: tuple[Context, ...] = ()
        self._results: dict[str, Result] = {}
        self._shown: tuple[Record, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the block was entered and has not ended."""
        return self._state == "open"

    @property
    def touches(self) -> tuple[Touch, ...]:
        """What was touched directly in this call so far, each access of a path once, in order."""
        return tuple(self._touches)

    @property
    def contexts(self) -> tuple[Context, ...]:
        """The messages that the call brings, in order: those of the calls inside it, then its own.

        Empty while it is open, after it raised, and where it touched nothing.
        """
        return (*(context for inner in self._inner for context in inner.contexts), *self._own)

    @property
    def text(self) -> str:
        """The framed messages, joined by an empty line; empty where there is none."""
        return "\n\n".join(context.text for context in self.contexts)

    @property
    def body(self) -> str:
        """The messages without their frames, joined by an empty line, for hosts that frame by themselves."""
        return "\n\n".join(context.body for context in self.contexts)

    @property
    def meta(self) -> dict[str, Any]:
        """What the host stores on its message, a JSON mapping; empty where there is no message."""
        return encode(self.contexts, items=(record.to_json() for record in self.shown))

    @property
    def shown(self) -> tuple[Record, ...]:
        """The records of instruction files that need no message, since a tool's result shows them whole."""
        return (*(record for inner in self._inner for record in inner.shown), *self._shown)

    @property
    def fs(self) -> Any:
        """The wrapped filesystem bound to this call, for threads and executors that carry no context variables."""
        return self._conductor.filesystem(self)

    def touch(self, path: str, operation: Operation) -> None:
        """Note a successful access that the wrapped filesystem did not see.

        A blank path is no touch. A call that has ended takes no more touches.

        Args:
            path: relative to the working directory, or absolute with a leading `/` or a scheme.
            operation: `read`, `write` or `edit`.

        Raises:
            UsageError: the operation is none of the three.
        """
        if operation not in get_args(Operation):
            raise UsageError(f"operation must be one of {', '.join(get_args(Operation))}, not {operation!r}")
        resolved = self._conductor.resolve(path)
        if resolved is not None:
            self.take(Touch(resolved, operation))

    def take(self, touch: Touch) -> None:
        """Note a touch whose path is absolute already; a call that has ended takes none."""
        if self._state != "ended":
            self._touches[touch] = None

    def show(self, path: str, text_digest: str, result: str) -> None:
        """Note that the tool's result shows a whole text file, so that it need not be told a second time.

        Args:
            path: the file, as for `touch`.
            text_digest: the digest of its whole text.
            result: what the model is given, exactly as it will stand at the start of the host's message.
        """
        resolved = self._conductor.resolve(path)
        if resolved is not None:
            self._results[resolved] = Result(text_digest, frame_fingerprint(result))

    def fail(self) -> None:
        """Say that the tool failed without raising: what it touched itself counts for nothing.

        What successful calls inside it brought is kept.
        """
        self._failed = True

    def __enter__(self) -> Call:
        self._conductor.check_sync()
        return self._begin()

    async def __aenter__(self) -> Call:
        return self._begin()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()
        job = self._job(raised=kind is not None)
        if job is not None:
            with self._guarding():
                self._conductor.reconcile(job)
        self._settle(job, raised=kind is not None)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()
        job = self._job(raised=kind is not None)
        if job is not None:
            with self._guarding():
                await self._conductor.areconcile(job)
        self._settle(job, raised=kind is not None)

    def undo(self) -> None:
        """Take the call for blocked: what it and the calls inside it brought is lost, and due again."""
        self._conductor.drop(self._identity)
        self._inner = []
        self._own = ()
        self._shown = ()

    def find(self, matches: Callable[[Call], bool]) -> list[Call]:
        """The calls inside this one, at any depth and itself included, that match."""
        found = [self] if matches(self) else []
        return found + [call for inner in self._inner for call in inner.find(matches)]

    def _begin(self) -> Call:
        if self._state != "made":
            raise UsageError("a call is entered once; make a new one with session.call()")
        self._state = "open"
        self._opening.begin()
        return self

    def _leave(self) -> None:
        self._state = "ended"
        outer = self.parent
        self._opening.end(outer._opening if outer is not None and outer.is_open else None)

    def _job(self, *, raised: bool) -> Job | None:
        if raised or self._failed or not self._touches:
            return None
        chain = self._chain()
        ids = tuple(call.id for call in chain if call.id is not None)
        paths = tuple(dict.fromkeys(touch.path for touch in self._touches))
        return Job(paths, Owners(tuple(call._identity for call in chain), ids, staged=len(chain) > 1), self._results)

    def _chain(self) -> list[Call]:
        """This call and the open calls around it, innermost first."""
        chain: list[Call] = [self]
        while chain[-1].parent is not None and chain[-1].parent.is_open:
            chain.append(chain[-1].parent)
        return chain

    def _settle(self, job: Job | None, *, raised: bool) -> None:
        if raised:
            self.undo()
            return
        if job is not None:
            self._own = () if job.context is None else (job.context,)
            self._shown = job.shown
        outer = self.parent
        if outer is not None and outer.is_open:
            outer._inner.append(self)
        else:
            self._conductor.accept(self._identity)

    @contextmanager
    def _guarding(self) -> Iterator[None]:
        """Let nothing but a cancellation and a wrong use of the library take the tool's result away.

        Raises:
            UsageError: the call could never work as it was made.
        """
        try:
            yield
        except UsageError:
            self.undo()
            raise
        except Exception:  # noqa: BLE001 - whatever went wrong in guidance, the tool's own result stands
            _log.exception("the instructions of call %r could not be reconciled", self.id)
        except BaseException:
            self.undo()
            raise
