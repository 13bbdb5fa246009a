"""What the model of a session sees: how the host says it, how people look at it."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from guidefs.driver.call import innermost
from guidefs.driver.conductor import SessionConductor
from guidefs.driver.observation import Observed
from guidefs.driver.status import Status
from guidefs.errors import UsageError
from guidefs.reconcile.effective import Loaded
from guidefs.values.context import Context
from guidefs.values.explanation import Explanation
from guidefs.workspace.nearby import with_neighbours

if TYPE_CHECKING:
    from guidefs.workspace.workspace import Workspace

__all__ = ["Visibility"]


class Visibility:
    """The part of a session that is about what the model sees.

    Args:
        workspace: where the agent works.
        conductor: the session at work.
        key: the identity of the session, by which its open calls are found.
    """

    def __init__(self, workspace: Workspace, conductor: SessionConductor, key: object) -> None:
        self.workspace = workspace
        self._conductor = conductor
        self._key = key
        self.key = key
        self._unowned: list[Context] = []
        self._lock = threading.Lock()

    def take(self) -> tuple[Context, ...]:
        """Take the messages that no call owns: found when the baseline was composed, by a watch, or kept by a tool.

        They are pending like any other. Each is handed out once.
        """
        with self._lock:
            taken, self._unowned = tuple(self._unowned), []
        self._conductor.hand_out()
        return taken

    def observe(self, messages: Iterable[object], *, delta: bool = False) -> Observed:
        """Take what the model is about to be sent for the truth: the last thing before each request.

        A message of ours counts as visible while its record and its text, found by its fingerprint, are both there.
        What is there is confirmed; what is pending and not there is forgotten and due again; what left is due again,
        even if nothing changed on disk. A baseline counts this way once it was seen; one that the host keeps out of
        the messages always counts as visible.

        The cost grows with what is new since the last look, where the host hands the same message objects again; they
        are held until the next look.

        Args:
            messages: all messages, oldest first: strings, `Seen` objects, or mappings in the form of OpenAI's chat
                messages or responses items, or of Anthropic's messages, with `call.meta` merged into them or into their
                `metadata`. A record that the host had no place for is taken from the session's ledger.
            delta: whether these are only the newest messages, of a conversation that a server manages: what is in them
                is confirmed, and what is not says nothing.

        Returns:
            How many messages were confirmed, forgotten and made due again.
        """
        return self._conductor.observe(messages, delta=delta)

    def confirm(self, call_id: Hashable | None = None) -> None:
        """Say that messages were appended to the conversation, for hosts that neither log nor `observe`.

        Args:
            call_id: the call whose messages they were; `None` for all that are pending.
        """
        self._conductor.confirm(call_id)

    def rollback(self, call_id: Hashable | None = None) -> None:
        """Say that messages were lost on their way, so that they are due again.

        Args:
            call_id: the call whose messages they were; `None` for all that are pending.
        """
        self._conductor.rollback(call_id)
        current = innermost(self._key)
        while call_id is not None and current is not None:
            for call in current.find(lambda found: found.id == call_id):
                call.undo()
            current = current.parent

    def rearm(self, paths: Iterable[str] | None = None) -> None:
        """Say that messages left the model's sight, so that what they said is due again.

        Args:
            paths: instruction files as the model was shown them; every message that speaks of one of them is gone,
                with all that it said. `None` for all messages of the log. A baseline that is kept outside the log
                stays in force, and what is pending stays pending.
        """
        if paths is None:
            self._conductor.rearm(None)
            return
        wanted = set(paths)
        with self._conductor.state.lock:
            effective = self._conductor.state.effective()
        self._conductor.rearm(
            scope for scope, state in effective.items() if isinstance(state, Loaded) and state.path in wanted
        )

    def explain(self, path: str) -> Explanation:
        """Explain why each instruction file on the way to a path is in force or not, and whether the model has it.

        Costs at most two round trips, and one listing a directory for links and near misses. It changes nothing.

        Args:
            path: relative to the working directory, or absolute.

        Raises:
            UsageError: the path is blank or lies on another filesystem, or the filesystem can only be used on an
                event loop.
        """
        resolved = self.workspace.address.resolve(path)
        if resolved is None:
            raise UsageError(f"{path!r} names no path of this workspace; give one inside it")
        explanation = self._conductor.explain(resolved)
        return with_neighbours(explanation, self.workspace.address.fs)

    def status(self) -> Status:
        """Lay out what the model sees, what is on its way to it and what is due, without a look at the disk."""
        return self._conductor.status()

    def _keep(self, contexts: tuple[Context, ...]) -> None:
        with self._lock:
            self._unowned.extend(contexts)
