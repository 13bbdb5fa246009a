"""Which recorder a token stands for in this process."""

from __future__ import annotations

import os
import secrets
import threading
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from guidefs.filesystem.recorder import Recorder

__all__ = ["UNBOUND", "Binding", "bind", "find"]


@dataclass(slots=True, weakref_slot=True, eq=False)
class Binding:
    """The tie between wrapping filesystems and one recorder.

    Args:
        token: a random string that stands for the recorder in pickles and JSON, empty for no recorder at all. It is
            never a session's name, so that nobody gets at another's session by guessing.
        recorder: the recorder, `None` where this process does not know the token.
    """

    token: str
    recorder: Recorder | None = field(repr=False)


UNBOUND = Binding("", None)
"""The tie of a filesystem without a session: everything passes through."""


class _Registry:
    """The bindings of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_token: WeakValueDictionary[tuple[int, str], Binding] = WeakValueDictionary()
        self._by_recorder: WeakValueDictionary[int, Binding] = WeakValueDictionary()

    def bind(self, recorder: Recorder) -> Binding:
        """The binding of a recorder, made the first time it is asked for."""
        with self._lock:
            # An id is taken by another object only after its owner is gone, and a binding keeps its recorder alive.
            binding = self._by_recorder.get(id(recorder))
            if binding is None:
                binding = Binding(secrets.token_hex(16), recorder)
                self._by_recorder[id(recorder)] = binding
                self._by_token[os.getpid(), binding.token] = binding
            return binding

    def find(self, token: str) -> Binding:
        """The binding of a token, one without recorder if the token is not known."""
        return self._by_token.get((os.getpid(), token)) or Binding(token, None)

    def forget(self) -> None:
        """Untie everything in a forked child, where the locks of a copied session may be held for ever."""
        for binding in list(self._by_token.values()):
            binding.recorder = None
        self._lock = threading.Lock()  # the old one may be held by a thread that the child does not have
        self._by_token.clear()
        self._by_recorder.clear()


_registry = _Registry()


def bind(recorder: Recorder) -> Binding:
    """The binding of a recorder, the same for every filesystem that is tied to it.

    It lives as long as a filesystem that holds it.
    """
    return _registry.bind(recorder)


def find(token: str) -> Binding:
    """The binding that a token stands for in this process.

    Returns:
        A binding without recorder if the process does not know the token. It keeps the token, so that a filesystem
        that travels through another process is tied again when it comes home.
    """
    return _registry.find(token)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_registry.forget)
