"""One session at work: its state, its engine, and the calls that are open in it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from guidefs.driver.baseline import Composed, compose
from guidefs.driver.call import Call
from guidefs.driver.delivery import Report
from guidefs.driver.engine import Engine
from guidefs.driver.explanation import beside, explain
from guidefs.driver.near_misses import NearMisses
from guidefs.driver.observation import Observed, apply_delta, apply_window, is_missing
from guidefs.driver.reconciliation import Job, reconcile
from guidefs.driver.rounds import AsyncRounds, ThreadRounds
from guidefs.driver.state import SessionState
from guidefs.driver.status import Status, status_of
from guidefs.log.ledger import Ledger
from guidefs.log.message import Message
from guidefs.log.surface import Sighting, sightings
from guidefs.log.window import Window
from guidefs.values.context import Context
from guidefs.values.explanation import Explanation
from guidefs.values.record import Record
from guidefs.values.scope import Scope

__all__ = ["SessionConductor"]

_log = logging.getLogger("guidefs")


class SessionConductor:
    """Everything that the calls of one session share.

    Args:
        state: what the session knows.
        engine: runs what has to be asked.
        resolve: turns a tool's path into an absolute one; `None` for a path that is no touch.
        filesystem: makes the wrapped filesystem of a call.
        report: what to do with diagnostics; must not raise.
        ledger: knows the records of rendered messages by their fingerprints.
    """

    def __init__(
        self,
        state: SessionState,
        engine: Engine,
        *,
        resolve: Callable[[str], str | None],
        filesystem: Callable[[Call], Any],
        report: Report,
        ledger: Ledger,
    ) -> None:
        self.state = state
        self.engine = engine
        self.resolve = resolve
        self.filesystem = filesystem
        self._report = report
        self._ledger = ledger
        self._window = Window()
        self._near_misses = NearMisses(state, engine.names, report)
        self._threads = ThreadRounds(self._run)
        self._tasks = AsyncRounds(self._arun)

    def check_sync(self) -> None:
        """Refuse a plain call over a filesystem that only an event loop can use."""
        if self.state.config.enabled:
            self.engine.check_sync()

    def compose(self) -> Composed:
        """Compose the baseline from this thread."""
        composed = self.engine.run(compose(self.state, self._report))
        self._near_misses.look(())
        self._enter((composed.prefix, composed.injected))
        return composed

    async def acompose(self) -> Composed:
        """Compose the baseline on the running event loop."""
        composed = await self.engine.arun(compose(self.state, self._report))
        self._near_misses.look(())
        self._enter((composed.prefix, composed.injected))
        return composed

    def reconcile(self, job: Job) -> None:
        """Find out what a finished call's touches bring."""
        if self.state.config.enabled:
            self._threads.submit(job)

    async def areconcile(self, job: Job) -> None:
        """Find out what a finished call's touches bring, on the running event loop."""
        if self.state.config.enabled:
            await self._tasks.submit(job)

    def accept(self, owner: object) -> None:
        """Make what a finished outermost call holds pending."""
        with self.state.lock:
            self.state.accept(owner)

    def drop(self, owner: object) -> None:
        """Undo what a call, or a call inside it, holds."""
        with self.state.lock:
            self.state.synchronise()
            self.state.drop_owned(owner)

    def begin_step(self) -> object:
        """Open a step of the agent loop."""
        step = object()
        with self.state.lock:
            self.state.step = step
        return step

    def end_step(self, step: object) -> None:
        """End a step: what belongs to it and has not reached the log is forgotten, and due again."""
        with self.state.lock:
            self.state.synchronise()
            if self.state.step is step:
                self.state.step = None
            self.state.drop_step(step)

    def confirm(self, call_id: object | None) -> None:
        """Take what finished calls hold for appended by the host."""
        with self.state.lock:
            self.state.synchronise()
            for message in self.state.records(call_id):
                self.state.log.append(message)
            self.state.synchronise()

    def rollback(self, call_id: object | None) -> None:
        """Take what finished calls hold for lost."""
        with self.state.lock:
            self.state.synchronise()
            self.state.drop_call(call_id)

    def observe(self, messages: Iterable[object], *, delta: bool) -> Observed:
        """Take what the model is about to be sent for the truth."""
        with self.state.lock:
            self.state.synchronise()
            shown = self.state.shown_results()
            if delta:
                found = [sighting for message in messages for sighting in sightings(message, shown)]
                return apply_delta(self.state, self._recognised(found))
            window = self._recognised(self._window.look(messages, shown))
            if is_missing(self.state, window):
                # Hosts change messages in place, also ones that held nothing of ours before.
                window = self._recognised(self._window.look_again(shown))
            return apply_window(self.state, window)

    def inherit(self, other: SessionConductor, *, everything: bool) -> None:
        """Start with what another session was told."""
        with other.state.lock, self.state.lock:
            self.state.inherit(other.state, everything=everything)

    def explain(self, path: str) -> Explanation:
        """Explain each file on the way to an absolute path, beside what the model has."""
        found = self.engine.run(explain(self.state.place, self.state.config, path))
        with self.state.lock:
            self.state.synchronise()
            return beside(found, self.state.effective())

    def status(self) -> Status:
        """Lay out what the session knows."""
        with self.state.lock:
            return status_of(self.state)

    def hand_out(self) -> None:
        """Note that the host took the messages that no call owns."""
        with self.state.lock:
            self.state.hand_out()

    def rearm(self, scopes: Iterable[Scope] | None) -> None:
        """Take what the log says for out of the model's sight."""
        with self.state.lock:
            self.state.synchronise()
            self.state.rearm(scopes)

    def _run(self, jobs: Sequence[Job]) -> None:
        self.engine.run(reconcile(self.state, jobs, self._report))
        self._enter_jobs(jobs)

    async def _arun(self, jobs: Sequence[Job]) -> None:
        await self.engine.arun(reconcile(self.state, jobs, self._report))
        self._enter_jobs(jobs)

    def _enter_jobs(self, jobs: Sequence[Job]) -> None:
        self._near_misses.look([path for job in jobs for path in job.paths])
        self._enter(job.context for job in jobs)
        self._keep(record for job in jobs for record in job.shown)

    def _enter(self, contexts: Iterable[Context | None]) -> None:
        """Enter rendered messages into the ledger."""
        self._keep(Record.of(context) for context in contexts if context is not None)

    def _keep(self, records: Iterable[Record]) -> None:
        try:
            for record in records:
                self._ledger.put(record.frame, record.to_json())
        except Exception:  # noqa: BLE001 - a ledger that cannot be written must not take away what was found out
            _log.exception("the ledger does not take records, so a later run will not recognise some messages")

    def _recognised(self, found: Iterable[Sighting]) -> list[Message]:
        """The messages of ours among some frames: those with a record, beside them or in the ledger."""
        messages = []
        for sighting in found:
            record = sighting.record or self._kept(sighting.frame)
            if record is not None and record.changes:
                # The log keeps the text of a baseline, so that a resumed run can go on with the same bytes.
                text = sighting.text if record.is_baseline else ""
                messages.append(Message(text, record.source, record.meta, record.frame))
        return messages

    def _kept(self, frame: str) -> Record | None:
        try:
            return Record.from_json(self._ledger.get(frame))
        except Exception:  # noqa: BLE001 - a message that is not recognised is told again, which does no harm
            _log.exception("the ledger cannot be asked, so messages without a record are not recognised")
            return None
