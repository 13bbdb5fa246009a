"""A moto server that decides about one write after the other; run it with `python -m guidefs.testing.moto_server PORT`.

moto checks the condition of a PUT and stores the object in two steps, so that under load two writers may both be told
that they were the first. A store that honours conditions does both in one step (docs of S3, "conditional writes").
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["OneWriteAtATime", "main"]

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
_READING = {"GET", "HEAD", "OPTIONS"}


class OneWriteAtATime:
    """Lets reads of a WSGI application overlap, and writes wait for each other.

    Args:
        application: the application.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        if environ["REQUEST_METHOD"] in _READING:
            return self._application(environ, start_response)
        with self._lock:
            return list(self._application(environ, start_response))


def main(port: str) -> None:
    """Serve on 127.0.0.1 until the process ends."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import run_simple

    application = OneWriteAtATime(DomainDispatcherApplication(create_backend_app))
    run_simple("127.0.0.1", int(port), application, threaded=True, request_handler=MotoRequestHandler)


if __name__ == "__main__":
    main(*sys.argv[1:])
