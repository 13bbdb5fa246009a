"""Everything that one run of a session knows, and the transitions between what it knows."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence

from guidefs.config import Config
from guidefs.driver.examination import Examination
from guidefs.driver.pending import Owner, Pending, PendingMessage
from guidefs.driver.place import Place
from guidefs.log.message import Message
from guidefs.log.session_log import SessionLog
from guidefs.reconcile.effective import Effective, Loaded, State, directories, folded
from guidefs.reconcile.plan import plan
from guidefs.reconcile.remembered import Remembered, Updates
from guidefs.reconcile.territory import Territory
from guidefs.values.scope import Scope

__all__ = ["SessionState"]

_MOST_EXAMINATIONS = 16


class SessionState:
    """What one run knows. Every method expects `lock` to be held, and none does I/O.

    Args:
        config: the settings.
        place: where the session works.
        log: the messages of the session; other components may append to it at any time.
    """

    def __init__(self, config: Config, place: Place, log: SessionLog) -> None:
        self.lock = threading.RLock()
        self.config = config
        self.place = place
        self.log = log
        self.territory: Territory | None = None
        self.remembered = Remembered()
        self.pending = Pending()
        self.step: object | None = None
        self.revision = 0
        self.composed = False
        self._baseline: dict[Scope, State] | None = None
        self._baseline_message: Message | None = None
        self._log_position, _ = log.since(0)
        self._log_revision = log.revision
        self._effective: tuple[int, Effective] | None = None
        self._examinations: dict[tuple[str, ...], Examination] = {}
        self._tickets = itertools.count(1)
        self._judged: dict[Scope, int] = {}

    def synchronise(self) -> None:
        """Take in what was appended to the log, or left its visible part, since the last look."""
        if self.log.revision == self._log_revision:
            return
        self._log_revision = self.log.revision
        self.revision += 1
        self._log_position, appended = self.log.since(self._log_position)
        for message in appended:
            if self._baseline_message is not None and _same_record(message, self._baseline_message):
                # From here on the log tells whether the model still sees the baseline.
                self._baseline = self._baseline_message = None
            for change in message.changes:
                self.pending.confirm(change)

    def effective(self) -> Effective:
        """The newest state of each scope: the baseline, then the visible log, then what is pending."""
        if self._effective is None or self._effective[0] != self.revision:
            state = dict(self._baseline or {})
            state.update(self.logged())
            self._effective = (self.revision, folded(self.pending.changes(), state))
        return self._effective[1]

    def logged(self) -> dict[Scope, State]:
        """The state that the visible log alone tells; older baselines in it count only until a newer one."""
        return {
            scope: logged.state
            for scope, logged in self.log.surface().items()
            if not (logged.baseline and self._baseline is not None)
        }

    def known_directories(self) -> list[str]:
        """The directories that any touch checks again."""
        composed = self.fixed_territory().baseline_directories() if self.composed else []
        return list(dict.fromkeys((*composed, *directories(self.effective()))))

    def touched_directories(self, path: str) -> list[str]:
        """The directories that a touch of one path makes known."""
        return self.fixed_territory().touched_directories(path)

    def examination(self, paths: Iterable[str]) -> Examination:
        """The files that a touch of some paths examines, with the question about each."""
        touched = dict.fromkeys(key for path in paths for key in self.touched_directories(path))
        key = tuple(touched)
        kept = self._examinations.get(key)
        if kept is not None and kept.revision == self.revision:
            return kept
        if kept is not None or len(self._examinations) >= _MOST_EXAMINATIONS:
            self._examinations.clear()
        targets = self.fixed_territory().targets((*self.known_directories(), *touched))
        chain = {*touched, *self.fixed_territory().baseline_directories()}
        made = Examination(plan(targets, self.effective(), self.remembered, chain=chain), self.revision)
        self._examinations[key] = made
        return made

    def learn(self, updates: Updates) -> None:
        """Take in what is known of files in any case."""
        if self.remembered.update(updates):
            self.revision += 1

    def fix_territory(self, root: str) -> None:
        """Fix the project root, and with it the meaning of every scope."""
        territory = Territory(root, self.place.cwd, self.config.names_in_order, self.place.home)
        if territory == self.territory:
            return
        if self.territory is not None:
            # What was remembered belongs to the files of the old root.
            self.remembered.forget(self.remembered.scopes())
        self.territory = territory
        self.revision += 1

    def begin_baseline(self, loaded: Mapping[Scope, Loaded], message: Message | None) -> None:
        """Make a newly composed baseline the state that later touches are compared with.

        Args:
            loaded: the files that it shows.
            message: the message that shows them, to recognise it in the log; `None` where there is none.
        """
        self.composed = True
        self._baseline = dict(loaded)
        self._baseline_message = message
        self.revision += 1

    def continue_baseline(self) -> None:
        """Go on with the baseline that the log shows."""
        self.composed = True
        self._baseline = self._baseline_message = None
        self.revision += 1

    def inherit(self, other: SessionState, *, everything: bool) -> None:
        """Start with what another session was told, as a sub-agent does that is given its messages.

        Args:
            other: the other session; its lock is held, too.
            everything: whether its visible messages are inherited beside its baseline.
        """
        other.synchronise()
        self.territory, self.composed = other.territory, other.composed
        self.remembered = other.remembered.copy()
        self._baseline = None if other._baseline is None else dict(other._baseline)
        self._baseline_message = other._baseline_message
        for message in other.log.guidance(texts=True):
            if everything or message.identity is not None:
                self.log.append(message)
        if everything:
            for pending in other.pending:
                self.log.append(Message.record(pending.frame, pending.changes, shown=pending.shown))
        self.synchronise()
        self.revision += 1

    def ticket(self) -> int:
        """A number that orders fetches by their start."""
        return next(self._tickets)

    def is_overtaken(self, scope: Scope, ticket: int) -> bool:
        """Whether a fetch that started later was judged already."""
        return self._judged.get(scope, 0) > ticket

    def mark_judged(self, scopes: Iterable[Scope], ticket: int) -> None:
        """Note which fetch the state of some scopes comes from."""
        for scope in scopes:
            self._judged[scope] = ticket

    def add_pending(self, message: PendingMessage) -> None:
        """Take in a rendered message; what was pending before of its scopes stays, since both will be seen."""
        self.pending.add(message)
        self.revision += 1

    def accept(self, owner: Owner) -> None:
        """Make what a finished outermost call staged pending for the step that is open now."""
        for message in self.pending:
            if message.staged and owner in message.owners:
                message.staged, message.step = False, self.step

    def drop_owned(self, owner: Owner) -> None:
        """Undo everything that a call, or a call inside it, staged or left pending."""
        self._forget(self.pending.drop(lambda message: owner in message.owners))

    def drop_call(self, call_id: object | None) -> None:
        """Undo what finished calls left pending: those with this id, or all of them."""
        self._forget(self.pending.drop(lambda m: not m.staged and (call_id is None or m.belongs_to(call_id))))

    def drop_step(self, step: object) -> None:
        """Forget what is still pending at the end of the step that it belongs to."""
        self._forget(self.pending.drop(lambda message: not message.staged and message.step is step))

    def shown_results(self) -> set[str]:
        """The fingerprints of tool results that count as told: those pending, and those that the log shows."""
        pending = {message.frame for message in self.pending if message.shown}
        return pending | {message.frame for message in self.log.guidance() if message.is_shown}

    def sent_frames(self) -> list[str]:
        """The pending messages that the host was handed, by their frames."""
        return [message.frame for message in self.pending if message.handed_out]

    def hand_out(self) -> None:
        """Note that the host took the messages that no call owns."""
        for message in self.pending:
            message.taken = True

    def drop_unseen(self, shown: Collection[str]) -> int:
        """Forget what the host was handed and does not show.

        Returns:
            How many messages that were.
        """
        before = len(self.pending)
        self._forget(self.pending.drop(lambda m: m.handed_out and m.frame not in shown))
        return before - len(self.pending)

    def records(self, call_id: object | None) -> Sequence[Message]:
        """The log records of what finished calls left pending: those with this id, or all of them."""
        return [
            Message.record(message.frame, message.changes, shown=message.shown)
            for message in self.pending
            if not message.staged and (call_id is None or message.belongs_to(call_id))
        ]

    def rearm(self, scopes: Iterable[Scope] | None) -> None:
        """Take the messages of the log that speak of some scopes, or all of them, for no longer visible."""
        gone = None if scopes is None else set(scopes)

        self.log.hide(lambda message: gone is None or any(change.scope in gone for change in message.changes))
        self.synchronise()

    def _forget(self, scopes: set[Scope]) -> None:
        self.remembered.forget(scopes)
        if scopes:
            self.revision += 1

    def fixed_territory(self) -> Territory:
        """The directories of this run, once the project root is fixed.

        Raises:
            AssertionError: it is not fixed yet, a fault of the caller.
        """
        if self.territory is None:
            raise AssertionError("the project root is fixed before anything is known")
        return self.territory


def _same_record(message: Message, other: Message) -> bool:
    return message.identity == other.identity and message.identity is not None and message.changes == other.changes
