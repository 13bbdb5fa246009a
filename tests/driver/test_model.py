"""Random sessions, held against a slow model of the specification that knows files by their texts alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guidefs import Context, Message, SessionLog, Workspace
from guidefs.testing import FakeProvider, FaultyProvider

ROOT = "/w"
CWD = "c"
NAMES = ("AGENTS.md", "CLAUDE.md")
DIRECTORIES = (".", "c", "c/p", "c/p/q", "c/user-global", "o")
TEXTS = ("one", "two", " one\n", "three", "")
TOUCHED = ("x", "p/x", "p/q/x", "p/q/r/x", "user-global/x", "../o/x", "../x")
SPACE = " \n"

Change = tuple[str, str, str, str | None]
"""Action, scope, path, digest."""


def sha1(text: str) -> str:
    """The digest of a text."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def key_of(directory: str) -> str:
    """The directory part of a scope."""
    return "./user-global" if directory == "user-global" else directory


def place_of(key: str, name: str) -> str:
    """The path of a scope's file as the model is shown it."""
    directory = key.removeprefix("./")
    return name if directory == "." else f"{directory}/{name}"


@dataclass
class Model:
    """What the specification says, without versions, reads or batches.

    Args:
        files: texts by shown path.
        failing: the paths that cannot be looked at.
        log: the messages, each with whether it is visible.
        pending: the messages on their way, oldest first.
        baseline: the digests that the baseline shows, by scope; `None` before there is one.
        keys: digest and duplicate key of each text that the session last came to know, by scope.
    """

    files: dict[str, str] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)
    log: list[tuple[list[Change], bool]] = field(default_factory=list)
    pending: list[list[Change]] = field(default_factory=list)
    baseline: dict[str, str] | None = None
    keys: dict[str, tuple[str, str]] = field(default_factory=dict)

    def visible(self) -> dict[str, Change]:
        """The newest visible change of each scope, at its first place."""
        state: dict[str, Change] = {}
        for changes, seen in self.log:
            state.update({change[1]: change for change in changes} if seen else {})
        return state

    def effective(self) -> dict[str, Change]:
        """The newest change of each scope that counts, at its first place."""
        state: dict[str, Change] = {}
        for scope, digest in (self.baseline or {}).items():
            key, name = scope.split("\0")
            state[scope] = ("set", scope, place_of(key, name), digest)
        state.update(self.visible())
        for changes in self.pending:
            state.update({change[1]: change for change in changes})
        return state

    def baseline_keys(self) -> list[str]:
        """The directories of the baseline; the home holds nothing here."""
        return [".", *(key_of("/".join(CWD.split("/")[: n + 1])) for n in range(CWD.count("/") + 1))]

    def directories(self, touched: str) -> list[str]:
        """What a touch examines, in order."""
        parts: list[str] = []
        for part in f"{CWD}/{touched}".split("/"):
            parts = parts[:-1] if part == ".." else [*parts, part]
        way: list[str] = []
        if parts[0] == CWD:
            way = [key_of("/".join(parts[: n + 1])) for n in range(1, len(parts) - 1)]
        first = self.baseline_keys() if self.baseline is not None else []
        return list(dict.fromkeys((*first, *(scope.split("\0")[0] for scope in self.effective()), *way)))

    def examine(self, keys: Iterable[str], told: dict[str, Change]) -> list[Change]:
        """The changes that are due, against what was told."""
        effective = self.effective()
        due: list[Change] = []
        for key in keys:
            seen: set[str] = set()
            for name in NAMES:
                scope, path = f"{key}\0{name}", place_of(key, name)
                before = told.get(scope)
                loaded = before[3] if before is not None and before[0] != "remove" else None
                if path in self.failing:
                    self._keep_counting(scope, effective.get(scope), seen)
                elif path not in self.files:
                    due.extend([("remove", scope, path, None)] if loaded is not None else [])
                    self.keys.pop(scope, None)
                else:
                    due.extend(self._read(scope, path, loaded, seen))
        return due

    def _keep_counting(self, scope: str, now: Change | None, seen: set[str]) -> None:
        """A file that fails and is in force still hides its copies."""
        known = self.keys.get(scope)
        if known is not None and now is not None and now[0] != "remove" and now[3] == known[0]:
            seen.add(known[1])

    def _read(self, scope: str, path: str, loaded: str | None, seen: set[str]) -> list[Change]:
        """What a file that can be read says, where `loaded` is the digest that the model has."""
        digest, trimmed = sha1(self.files[path]), sha1(self.files[path].strip(SPACE))
        self.keys[scope] = (digest, trimmed)
        if trimmed in seen:
            return [("remove", scope, path, None)] if loaded is not None else []
        seen.add(trimmed)
        if loaded == digest:
            return []
        return [("set" if loaded is None else "replace", scope, path, digest)]

    def write(self, path: str, text: str) -> None:
        """A file is written."""
        self.files[path] = text

    def delete(self, path: str) -> None:
        """A file is deleted."""
        self.files.pop(path, None)

    def fail(self, path: str) -> None:
        """A file fails from now on."""
        self.failing.add(path)

    def heal(self, path: str) -> None:
        """A file works again."""
        self.failing.discard(path)

    def compact(self, keep: set[int]) -> None:
        """All messages but some leave sight."""
        self.log = [(changes, seen and number in keep) for number, (changes, seen) in enumerate(self.log)]

    def touch(self, path: str) -> list[Change]:
        """One touch."""
        due = self.examine(self.directories(path), self.effective())
        if due:
            self.pending.append(due)
        return due

    def prefix(self) -> tuple[list[Change], list[Change]]:
        """Compose a baseline; what it shows, and what is reported beside it."""
        first = self.baseline_keys()
        logged = list(dict.fromkeys(scope.split("\0")[0] for scope in self.visible()))
        shown = self.examine(first, {})
        self.baseline = {scope: digest for _, scope, _, digest in shown if digest is not None}
        due = self.examine(dict.fromkeys((*first, *logged)), self.effective())
        reported = [c for c in due if c[1].split("\0")[0] not in first or c[1] in self.visible()]
        if reported:
            scopes = {change[1] for change in reported}
            self.pending = [[c for c in changes if c[1] not in scopes] for changes in self.pending]
            self.pending.append(reported)
        return shown, reported

    def append(self) -> None:
        """Everything pending reaches the log, in order."""
        self.log.extend((changes, True) for changes in self.pending if changes)
        self.pending = []

    def lose(self) -> None:
        """Everything pending is lost."""
        for changes in self.pending:
            for change in changes:
                self.keys.pop(change[1], None)
        self.pending = []

    def resume(self) -> None:
        """A new run over the same log."""
        self.pending, self.baseline, self.keys = [], None, {}


class Product:
    """The same steps, taken through the public surface."""

    def __init__(self) -> None:
        self.disk = FakeProvider()
        self.disk.mkdir(f"{ROOT}/.git")
        self.faults = FaultyProvider(self.disk)
        self.workspace = Workspace(
            MemoryFileSystem(),
            f"{ROOT}/{CWD}",
            provider=self.faults,
            max_bytes=1 << 20,
            home="memory:///nobody",
            candidates=NAMES,
            local_candidates=(),
        )
        self.log = SessionLog()
        self.session = self.workspace.session("s", log=self.log)
        self.waiting: list[Context] = []

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        self.disk.put(f"{ROOT}/{path}", text)

    def delete(self, path: str) -> None:
        """Delete a file."""
        self.disk.delete(f"{ROOT}/{path}")

    def fail(self, path: str) -> None:
        """Let a file fail."""
        self.faults.fail(f"{ROOT}/{path}")

    def heal(self, path: str) -> None:
        """Let a file work again."""
        self.faults.heal(f"{ROOT}/{path}")

    def compact(self, keep: set[int]) -> None:
        """Take all messages but some out of sight."""
        self.log.compact(keep=keep)

    def touch(self, path: str) -> list[Change]:
        """One touch."""
        with self.session.call() as call:
            call.touch(path, "read")
        self.waiting.extend(call.contexts)
        return changes_of(call.contexts)

    def prefix(self) -> tuple[list[Change], list[Change]]:
        """Compose a baseline."""
        prefix = self.session.prefix()
        taken = self.session.take()
        superseded = {change.scope for context in taken for change in context.changes}
        self.waiting = [c for c in self.waiting if not superseded & {change.scope for change in c.changes}]
        self.waiting.extend(taken)
        return changes_of([prefix] if prefix else []), changes_of(taken)

    def append(self) -> None:
        """Append what waits to the log."""
        for context in self.waiting:
            self.log.append(Message.of(context))
        self.waiting = []

    def lose(self) -> None:
        """Lose what waits."""
        self.session.rollback()
        self.waiting = []

    def resume(self) -> None:
        """Start a new run over the log."""
        self.session = self.workspace.session("s", log=self.log)
        self.waiting = []


def changes_of(contexts: Iterable[Context]) -> list[Change]:
    """What contexts say in their metadata."""
    found: list[Change] = []
    for context in contexts:
        entries: list[dict[str, Any]] = context.meta["changes"]
        found.extend((e["action"], e["scope"], e["path"], e.get("digest")) for e in entries)
    return found


def histories(directories: Sequence[str], texts: Sequence[str], touched: Sequence[str]) -> st.SearchStrategy[Any]:
    """Random histories over some directories, texts and touched paths."""
    paths = st.builds(place_of, st.sampled_from(directories), st.sampled_from(NAMES))
    touches = st.tuples(st.just("touch"), st.sampled_from(touched))
    writes = st.tuples(st.just("write"), paths, st.sampled_from(texts))
    return st.lists(
        st.one_of(
            writes,
            writes,
            touches,
            touches,
            touches,
            st.tuples(st.sampled_from(["delete", "fail", "heal"]), paths),
            st.tuples(st.just("compact"), st.sets(st.integers(0, 6), max_size=5)),
            st.tuples(st.sampled_from(["append", "lose", "prefix", "resume"])),
        ),
        max_size=25,
    )


def follow(script: list[tuple[Any, ...]]) -> None:
    """Take the same steps on the product and on the model, comparing what each says."""
    model, product = Model(), Product()
    for operation, *arguments in script:
        if operation == "prefix":
            # A host appends what it has before it composes; how an overtaken message counts is tested apart.
            product.append()
            model.append()
        assert getattr(product, operation)(*arguments) == getattr(model, operation)(*arguments)
    product.append()
    assert product.session.status().pending == ()


@given(histories(DIRECTORIES, TEXTS, TOUCHED))
@settings(max_examples=1000)
def test_random_sessions_follow_the_model(script: list[tuple[Any, ...]]) -> None:
    """After any history each touch and each baseline says exactly what the specification says, in its order."""
    follow(script)


@given(histories(["c/p"], ["one", " one\n", "two"], ["p/x"]))
@settings(max_examples=1500)
@example(
    [
        ("write", "c/p/AGENTS.md", "one"),
        ("touch", "p/x"),
        ("append",),
        ("resume",),
        ("fail", "c/p/AGENTS.md"),
        ("write", "c/p/CLAUDE.md", "one"),
        ("touch", "p/x"),
    ]
)
def test_siblings_of_one_directory_follow_the_model(script: list[tuple[Any, ...]]) -> None:
    """So they do where two siblings of one directory become copies, part, fail and come back."""
    follow(script)


@given(histories(["c"], ["one", " one\n", "two"], ["x"]))
@settings(max_examples=1000)
def test_siblings_of_the_baseline_follow_the_model(script: list[tuple[Any, ...]]) -> None:
    """So they do where the siblings are the baseline's."""
    follow(script)
