"""One conversation of an agent over one workspace."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar, get_args

from guidefs.driver.baseline import Composed
from guidefs.driver.call import ROOT, Call, innermost
from guidefs.driver.conductor import SessionConductor
from guidefs.driver.engine import Stats
from guidefs.driver.state import SessionState
from guidefs.errors import UsageError
from guidefs.filesystem import GuideFileSystem
from guidefs.log.ledger import Ledger
from guidefs.log.session_log import SessionLog
from guidefs.tools.decorator import observed_tool
from guidefs.tools.file_tools import FileTools
from guidefs.tools.shell import observed_shell
from guidefs.values.context import Context
from guidefs.values.diagnostic import Diagnostic
from guidefs.values.touch import Operation
from guidefs.watch.changes import ChangeSource
from guidefs.watch.sweep import Swept, sweep
from guidefs.workspace.recording import CallRecorder, SessionRecorder
from guidefs.workspace.step import Step
from guidefs.workspace.tool_host import SessionToolHost
from guidefs.workspace.visibility import Visibility
from guidefs.workspace.watching import Watch, is_on_local_disk, source_for

if TYPE_CHECKING:
    from guidefs.workspace.workspace import Workspace

__all__ = ["Session"]

Inheritance: TypeAlias = Literal["none", "baseline", "all"]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
_log = logging.getLogger("guidefs")


class Session(Visibility):
    """One agent run: it knows what the model was told, and brings what it has to be told next.

    Made by `Workspace.session`; making one asks the filesystem nothing. It may be used from several threads and tasks.

    Args:
        workspace: where the agent works.
        name: the host's name of the conversation.
        log: the messages of the conversation, from which the state is rebuilt.
        ledger: the records of rendered messages, for hosts that have no place for them beside their messages.
        on_event: called with each diagnostic, from the thread or loop where it arises; what it raises is logged.
    """

    def __init__(
        self,
        workspace: Workspace,
        name: str,
        *,
        log: SessionLog,
        ledger: Ledger,
        on_event: Callable[[Diagnostic], None] | None = None,
    ) -> None:
        self.name = name
        self.log = log
        self._on_event = on_event
        self.ledger = ledger
        key = object()
        conductor = SessionConductor(
            SessionState(workspace.config, workspace.place, log),
            workspace.engine(),
            resolve=workspace.address.resolve,
            filesystem=lambda call: self._wrapped(CallRecorder(call)),
            report=self._report,
            ledger=ledger,
        )
        super().__init__(workspace, conductor, key)
        self._host = SessionToolHost(
            workspace.address, workspace.storage, key=key, open_call=self.call, keep=self._keep
        )
        self.fs: Any = self._wrapped(SessionRecorder(key, self))
        self.tools = FileTools(self._host)

    def __repr__(self) -> str:
        return f"<guidefs.Session {self.name!r} over {self.workspace!r}>"

    @property
    def stats(self) -> Stats:
        """What was asked of the backend since the start: `batches`, `stats`, `reads`, `unavailable`."""
        return self._conductor.engine.stats

    def prefix(self) -> Context | None:
        """Compose the message of what holds from the start: the user-global file, then the root down to here.

        Put it before the conversation and leave it as it is for the whole run. Composing it again reads everything
        again and becomes the new state to compare with. What changed since in directories that a kept log shows waits
        in `take()`. At most two round trips.

        Returns:
            The message, `None` where there is nothing to say.

        Raises:
            UsageError: the filesystem can only be used on an event loop; await `aprefix()`.
            NotFoundError: the workspace is a local directory that does not exist.
            NotADirectoryFileError: the workspace is a local file.
            AccessDeniedError: the local directory cannot be read.
        """
        if not self.workspace.config.enabled:
            return None
        self._conductor.check_sync()
        self.workspace.check_directory()
        return self._established(self._conductor.compose())

    async def aprefix(self) -> Context | None:
        """Compose the baseline on an event loop; see `prefix`."""
        if not self.workspace.config.enabled:
            return None
        self.workspace.check_directory()
        return self._established(await self._conductor.acompose())

    def call(self, call_id: Hashable | None = None, *, parent: object | None = None) -> Call:
        """Make the context manager around one tool call, for `with` or `async with`.

        Args:
            call_id: the host's id of the call, for `confirm` and `rollback`.
            parent: the outer call of a composite; left out, the innermost call of this session that is open here.
                `ROOT` means none, whatever is open.

        Raises:
            UsageError: `parent` is no call of a session.
        """
        if parent is None:
            outer = innermost(self._key)
        elif parent is ROOT:
            outer = None
        elif isinstance(parent, Call):
            outer = parent
        else:
            raise UsageError(f"parent must be a call or guidefs.ROOT, not {parent!r}")
        return Call(self._conductor, self._key, call_id, outer)

    def step(self) -> Step:
        """Make the context manager around one step of the agent loop.

        What the calls of the step brought and has not been confirmed when it ends is due again.
        """
        return Step(self._conductor)

    def tool(
        self, *, path: str | Sequence[str] = "path", operation: Operation | Mapping[str, Operation] = "read"
    ) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
        """Decorate a tool function, plain or async, whose accesses the wrapped filesystem does not see.

        Signature, annotations, name and docstring stay. Inside an open call it only touches; outside it opens a call
        of its own and appends its text to a string result.

        Args:
            path: the name of the parameter that holds the path, or the names of several.
            operation: what the tool does with it: `read`, `write` or `edit`; a mapping from parameter to operation
                where they differ.
        """
        return observed_tool(self._host, path=path, operation=operation)

    def shell(
        self, *, max_entries: int = 200_000, max_directories: int = 256
    ) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
        """Decorate a tool function, plain or async, that runs commands: what a command changed counts as touched.

        Signature, annotations, name and docstring stay, and its text goes where that of `tool` goes. After each run the
        working directory on the local disk is looked at once for what was made, written, renamed or removed meanwhile,
        by the change times of the filesystem; what others changed at the same time counts, too. Directories such as
        `.git` and `node_modules` (`guidefs.watch.changes.IGNORED_DIRECTORIES`) are not entered. What a command only
        read is not seen. On other filesystems the files that were told are checked again, and nothing more.

        Args:
            max_entries: how many files and directories are looked at.
            max_directories: how many changed directories count at most, the shallowest first. What exceeds either
                bound is logged as a warning.
        """
        cwd = self.workspace.address.cwd
        if not is_on_local_disk(self.workspace.address):
            return observed_shell(self._host, lambda _: Swept((".",), complete=True))
        bounds = {"max_entries": max_entries, "max_directories": max_directories}
        return observed_shell(self._host, lambda since: sweep(cwd, since, **bounds))

    def watch(self, *, poll_seconds: float | None = None, source: ChangeSource | None = None) -> Watch:
        """Listen for changes of instruction files that no call touched.

        The iterator, plain or async, yields the messages that a change brings, as soon as it is noticed: of a file that
        the model was told of, and of a new or changed one anywhere below the working directory. On the local disk the
        events of the operating system are the trigger (extra `watch`); elsewhere, and where `poll_seconds` is given,
        the files that the session knows are looked at in that interval.

        Args:
            poll_seconds: the interval of polling, in seconds; `None` for events on the local disk and 10 s elsewhere.
            source: what tells of changes, instead of either.

        Raises:
            ConfigurationError: the interval is no positive number.
            MissingExtraError: watchfiles is not installed.
        """
        address = self.workspace.address
        if source is None:
            source = source_for(self._conductor, address, poll_seconds)
        names = self.workspace.config.names_in_order
        return Watch(self._conductor, address, names, source, take=self.take, keep=self._keep)

    def child(
        self,
        name: str,
        *,
        inherit: Inheritance = "none",
        log: SessionLog | None = None,
        on_event: Callable[[Diagnostic], None] | None = None,
    ) -> Session:
        """Start the session of a sub-agent, which has its own visible state.

        Args:
            name: the host's name of the sub-agent.
            inherit: what of this session's messages the sub-agent is given: `none`, its `baseline`, or `all`. What it
                is given is not told it again.
            log: the messages of the sub-agent so far; left out, an empty one in memory.
            on_event: called with each diagnostic; left out, as for this session.

        Raises:
            UsageError: `inherit` is none of the three.
        """
        if inherit not in get_args(Inheritance):
            raise UsageError(f"inherit must be one of {', '.join(get_args(Inheritance))}, not {inherit!r}")
        child = Session(
            self.workspace,
            name,
            log=SessionLog() if log is None else log,
            ledger=self.ledger,
            on_event=self._on_event if on_event is None else on_event,
        )
        if inherit != "none":
            child._conductor.inherit(self._conductor, everything=inherit == "all")
        return child

    def preflight(self, path: str, operation: Operation = "write") -> tuple[Context, ...]:
        """Get the instructions for a path before the first access to it.

        They are pending as if a call had brought them: show them to the model, and later accesses repeat nothing.

        Args:
            path: relative to the working directory, or absolute.
            operation: what is going to be done.
        """
        with self.call(parent=ROOT) as call:
            call.touch(path, operation)
        return call.contexts

    async def apreflight(self, path: str, operation: Operation = "write") -> tuple[Context, ...]:
        """Get the instructions for a path before the first access to it, on an event loop; see `preflight`."""
        async with self.call(parent=ROOT) as call:
            call.touch(path, operation)
        return call.contexts

    def _established(self, composed: Composed) -> Context | None:
        if composed.injected is not None:
            self._keep((composed.injected,))
        return composed.prefix

    def _wrapped(self, recorder: SessionRecorder | CallRecorder) -> Any:
        fs = self.workspace.address.fs
        return None if fs is None else GuideFileSystem(fs, recorder=recorder)

    def _report(self, event: Diagnostic) -> None:
        _log.debug("session %r: %r", self.name, event)
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception:  # noqa: BLE001 - a listener's fault is not the tool call's
            _log.exception("the listener for diagnostics failed at %r", event)
