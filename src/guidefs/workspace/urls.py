"""The session that a filesystem made from a `guide::` URL has of its own."""

from __future__ import annotations

from guidefs.filesystem import BareRequest, Recorder, register_recorder_factory
from guidefs.workspace.recording import SessionRecorder
from guidefs.workspace.workspace import Workspace

__all__ = ["recorder_for_url"]


def recorder_for_url(request: BareRequest) -> Recorder:
    """Make a session over the filesystem of a URL; nothing is asked of it.

    Its working directory is the one that was configured, else the directory part of the URL's path. Calls are opened
    on `fs.guide_session`.

    Args:
        request: what is known about the session that the URL asks for.
    """
    cwd = request.cwd if request.cwd is not None else _directory_of(request.path or "/")
    session = Workspace(request.fs, cwd, max_bytes=request.max_bytes).session("url")
    return SessionRecorder(session.key, session)


def _directory_of(path: str) -> str:
    head, _, tail = path.rstrip("/").rpartition("/")
    # A name with a dot in it is taken for a file: looking would cost a round trip.
    return (head or "/") if "." in tail else path


register_recorder_factory(recorder_for_url)
