"""The table of touches: what each method records, for each shape of its arguments."""

from __future__ import annotations

import asyncio
import inspect
import io
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from fsspec.asyn import AsyncFileSystem
from fsspec.callbacks import Callback
from fsspec.implementations.local import LocalFileSystem

from guidefs.filesystem import GuideFileSystem

A, B, C = "@/d/a.txt", "@/d/b.txt", "@/d/sub/c.txt"
MISSING = "@/d/missing.txt"
RECURSIVE, NOT_RECURSIVE = True, False
OPEN_FILE = object()
"""Stands for an open local file."""


@dataclass(frozen=True)
class Case:
    """One call; `@` stands for the root of the tested filesystem and `%` for a local directory."""

    method: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    only: str = ""

    def __str__(self) -> str:
        shape = [type(arg).__name__ for arg in self.args] + [f"{k}={v}" for k, v in self.kwargs.items()]
        return f"{self.method}({', '.join(shape)})".replace(" ", "").replace("/", "|")


def case(
    method: str, *args: Any, reads: Any = (), writes: Any = (), edits: Any = (), only: str = "", **kwargs: Any
) -> Case:
    """One row of the table."""
    read, written, edited = ((value,) if isinstance(value, str) else tuple(value) for value in (reads, writes, edits))
    return Case(method, args, kwargs, read, written, edited, only)


READS = [
    case("cat_file", A, reads=A),
    case("cat_file", path=A, reads=A),
    case("cat_file", A, start=1, end=2, reads=A),
    case("cat_file", PurePosixPath(A), reads=A, only="sync"),
    case("read_bytes", A, reads=A),
    case("read_bytes", path=A, reads=A),
    case("read_text", A, reads=A),
    case("read_text", path=A, encoding="utf-8", reads=A),
    case("head", A, 1, reads=A),
    case("tail", path=A, size=1, reads=A),
    case("read_block", A, 0, 1, reads=A),
    case("read_block", fn=A, offset=0, length=1, reads=A),
    case("cat", A, reads=A),
    case("cat", path=A, reads=A),
    case("cat", [A, B], reads=(A, B)),
    case("cat", [A, A], reads=A),
    case("cat", "@/d/*.txt", reads=(A, B)),
    case("cat", [A, MISSING], on_error="omit", reads=A),
    case("cat", [A, MISSING], on_error="return", reads=A),
    case("cat_ranges", [A, B], [0, 0], [1, 1], reads=(A, B)),
    case("cat_ranges", [A, A], [0, 1], [1, 2], reads=A),
    case("cat_ranges", paths=[A, MISSING], starts=0, ends=1, reads=A, only="sync"),
    case("cat_ranges", paths=[MISSING, A], starts=[0, 0], ends=[1, 1], on_error="return", reads=A),
    case("get_file", A, "%/new.txt", reads=A),
    case("get_file", "@/d", "%/new", only="sync"),
    case("get_file", A, OPEN_FILE, reads=A, only="memory"),
    case("get", A, "%/new.txt", reads=A),
    case("get", rpath=A, lpath="%/new.txt", reads=A),
    case("get", [A, B], ["%/1", "%/2"], reads=(A, B)),
    case("get", [A, B], "%/into/", reads=(A, B)),
    case("get", "@/d/*.txt", "%/into/", reads=(A, B)),
    case("get", "@/d", "%/new", recursive=True, reads=(A, B, C)),
    case("get", "@/d", "%/new", RECURSIVE, reads=(A, B, C)),
    case("get", "@/d", "%/new"),
    case("get", A, "%/new.txt", callback=Callback(), reads=A),
    case("get", A, "%/new.txt", NOT_RECURSIVE, Callback(), reads=A),
    case("download", A, "%/new.txt", reads=A),
    case("download", "@/d", "%/new", recursive=True, reads=(A, B, C)),
]

WRITES = [
    case("pipe_file", "@/d/new", b"x", writes="@/d/new"),
    case("pipe_file", path="@/d/new", value=b"x", writes="@/d/new"),
    case("pipe_file", "@/d/new", b"x", mode="create", writes="@/d/new"),
    case("pipe_file", PurePosixPath("@/d/new"), b"x", writes="@/d/new", only="sync"),
    case("write_bytes", "@/d/new", b"x", writes="@/d/new"),
    case("write_bytes", path="@/d/new", value=b"x", writes="@/d/new"),
    case("write_text", "@/d/new", "x", writes="@/d/new"),
    case("write_text", path="@/d/new", value="x", encoding="utf-8", writes="@/d/new"),
    case("touch", "@/d/new", writes="@/d/new"),
    case("touch", path=A, truncate=True, writes=A),
    case("pipe", "@/d/new", b"x", writes="@/d/new"),
    case("pipe", path="@/d/new", value=b"x", writes="@/d/new"),
    case("pipe", {"@/d/new": b"x", A: b"y"}, writes=("@/d/new", A)),
    case("put_file", "%/tree/1", "@/d/new", writes="@/d/new"),
    case("put_file", lpath="%/tree/1", rpath="@/d/new", writes="@/d/new", only="memory"),
    case("put_file", "%/tree", "@/d/new", only="sync"),
    case("put", "%/tree/1", "@/d/new", writes="@/d/new"),
    case("put", lpath="%/tree/1", rpath="@/d/new", writes="@/d/new"),
    case("put", "%/tree/1", "@/d/", writes="@/d/1"),
    case("put", ["%/tree/1", "%/tree/in/2"], ["@/d/x", "@/d/y"], writes=("@/d/x", "@/d/y")),
    case("put", "%/tree", "@/d/new", recursive=True, writes=("@/d/new/1", "@/d/new/in/2")),
    case("put", "%/tree/*", "@/d/sub/", writes="@/d/sub/1"),
    case("upload", "%/tree/1", "@/d/new", writes="@/d/new"),
    case("upload", "%/tree", "@/d/new", recursive=True, callback=Callback(), writes=("@/d/new/1", "@/d/new/in/2")),
]

COPIES = [
    case("cp_file", A, "@/d/new", reads=A, writes="@/d/new"),
    case("cp_file", path1=A, path2="@/d/new", reads=A, writes="@/d/new"),
    *(case(name, A, "@/d/new", reads=A, writes="@/d/new") for name in ("copy", "cp")),
    *(case(name, path1=A, path2="@/d/new", reads=A, writes="@/d/new") for name in ("copy", "cp")),
    case("copy", [A, B], ["@/d/x", "@/d/y"], reads=(A, B), writes=("@/d/x", "@/d/y")),
    case("copy", "@/d", "@/e", recursive=True, reads="@/d", writes="@/e"),
    case("copy", A, "@/d/sub/", reads=A, writes="@/d/sub/a.txt"),
    case("copy", "@/d/*.txt", "@/d/sub", reads="@/d/*.txt", writes="@/d/sub/*.txt"),
    case("copy", [A, B], "@/d/sub/", reads=(A, B), writes=("@/d/sub/a.txt", "@/d/sub/b.txt")),
]

EDITS = [
    *(case(name, A, "@/d/new", edits=A, writes="@/d/new") for name in ("mv", "move", "rename")),
    *(case(name, path1=A, path2="@/d/new", edits=A, writes="@/d/new") for name in ("mv", "move", "rename")),
    case("mv", "@/d", "@/e", recursive=True, edits="@/d", writes="@/e"),
    case("mv", A, A),
    case("mv_file", A, "@/d/new", edits=A, writes="@/d/new", only="async"),
    case("rm_file", A, edits=A),
    case("rm_file", path=A, edits=A),
    *(case(name, A, edits=A) for name in ("rm", "delete")),
    *(case(name, path=A, edits=A) for name in ("rm", "delete")),
    case("rm", [A, B], edits=(A, B)),
    case("rm", "@/d", recursive=True, edits="@/d"),
    case("rm", "@/d/", RECURSIVE, edits="@/d"),
    case("rm", "@/d/*.txt", edits="@/d/*.txt", only="memory"),
    case("rm", PurePosixPath(A), edits=A, only="local"),
]

NOTHING = [
    *(case(name, "@/d") for name in ("ls", "listdir", "find", "du", "disk_usage", "walk", "isdir", "tree")),
    *(case(name, path="@/d") for name in ("ls", "listdir", "find", "du", "disk_usage", "walk", "isdir", "tree")),
    *(case(name, A) for name in ("info", "stat", "exists", "lexists", "isfile", "size", "checksum", "ukey", "created")),
    *(case(name, path=A) for name in ("info", "stat", "exists", "isfile", "size", "checksum", "ukey", "modified")),
    case("exists", MISSING),
    case("isfile", MISSING),
    case("glob", "@/d/*"),
    case("glob", "@/**", detail=True),
    case("find", "@/d", withdirs=True, detail=True),
    case("ls", "@/d", detail=False),
    case("sizes", [A, B]),
    case("expand_path", "@/d/*.txt"),
    case("expand_path", "@/d", recursive=True),
    case("mkdir", "@/d/dir"),
    case("makedir", "@/d/dir"),
    case("makedirs", "@/d/dir/dir", exist_ok=True),
    case("mkdirs", "@/d/dir"),
    case("rmdir", "@/empty"),
    case("invalidate_cache", "@/d"),
    case("unstrip_protocol", A),
]

TABLE = [*READS, *WRITES, *COPIES, *EDITS, *NOTHING]
BACKENDS = ("memory", "local", "native")
HALVES = ("sync", "async")
UNSUPPORTED = {"created", "modified"}
"""What the filesystem of coroutines does not have."""


def runs(row: Case, backend: str, half: str) -> bool:
    """Whether a row of the table is about this backend and half."""
    if backend == "native":
        there = hasattr(AsyncFileSystem, f"_{row.method}") if half == "async" else row.method not in UNSUPPORTED
        return there and row.only in {"", half} and row.method != "mv_file"
    return row.only in {"", backend, half} and not (row.method == "mv_file" and half == "sync")


@pytest.fixture
def root(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The directory of the tested tree."""
    return str(tmp_path / "root") if request.node.callspec.params["backend"] == "local" else "/root"


@pytest.fixture
def tree(request: pytest.FixtureRequest, root: str, tmp_path: Path, memory: Any, native: Any) -> Any:
    """The inner filesystem with its tree, and a local tree to upload."""
    backend = request.node.callspec.params["backend"]
    inner = {"memory": memory, "local": LocalFileSystem(), "native": native({})}[backend]
    inner.makedirs(f"{root}/d/sub")
    inner.makedirs(f"{root}/empty")
    inner.pipe({f"{root}{path[1:]}": b"text" for path in (A, B, C)})
    (tmp_path / "tree" / "in").mkdir(parents=True)
    (tmp_path / "into").mkdir()
    (tmp_path / "tree" / "1").write_bytes(b"one")
    (tmp_path / "tree" / "in" / "2").write_bytes(b"two")
    return inner


def filled_in(value: Any, root: str, local: Path) -> Any:
    """The arguments of a row with its placeholders replaced."""
    if value is OPEN_FILE:
        return io.BytesIO()
    if isinstance(value, str):
        return value.replace("@", root).replace("%", str(local))
    if isinstance(value, PurePosixPath):
        return PurePosixPath(filled_in(str(value), root, local))
    if isinstance(value, list):
        return [filled_in(item, root, local) for item in value]
    if isinstance(value, dict):
        return {filled_in(key, root, local): filled_in(item, root, local) for key, item in value.items()}
    return value


def run(fs: Any, half: str, row: Case, args: Any, kwargs: Any) -> None:
    """Call one half of a method to its end."""
    if half == "sync":
        result = getattr(fs, row.method)(*args, **kwargs)
        if inspect.isgenerator(result):
            list(result)
        return

    async def call() -> None:
        result = getattr(fs, f"_{row.method}")(*args, **kwargs)
        if inspect.isasyncgen(result):
            [item async for item in result]
        elif inspect.isawaitable(result):
            await result

    asyncio.run(call())


@pytest.mark.parametrize(
    ("backend", "half", "row"),
    [
        pytest.param(backend, half, row, id=f"{backend}-{half}-{row}")
        for backend in BACKENDS
        for half in HALVES
        for row in TABLE
        if runs(row, backend, half)
    ],
)
def test_a_method_records_its_touches(
    backend: str, half: str, row: Case, root: str, tree: Any, tmp_path: Path, recorder: Any
) -> None:
    """What a successful call records is what its row says, each path once an operation."""
    fs = GuideFileSystem(tree, recorder=recorder, asynchronous=half == "async")
    args, kwargs = (filled_in(given, root, tmp_path) for given in (list(row.args), row.kwargs))
    run(fs, half, row, args, kwargs)
    expected = [
        (filled_in(path, root, tmp_path), operation)
        for operation, paths in (("edit", row.edits), ("read", row.reads), ("write", row.writes))
        for path in paths
    ]
    assert sorted(recorder.touches) == sorted(expected)


def test_paths_that_can_be_taken_only_once_are_seen(guide: Any, recorder: Any) -> None:
    """An iterator of paths is consumed by the inner filesystem, and every path counts."""
    guide.fs.pipe({"/a": b"", "/b": b""})
    guide.rm(path for path in ("/a", "/b"))
    assert guide.fs.find("/") == []
    guide.fs.pipe({"/a": b"", "/b": b""})
    guide.rm(path=map(str, ("/a", "/b")))
    assert recorder.touches == [("/a", "edit"), ("/b", "edit")] * 2


def test_urls_of_the_inner_filesystem_are_its_paths(guide: Any, recorder: Any) -> None:
    """A path with the protocol in front is the same path."""
    guide.pipe_file("memory://dir/f", b"text")
    guide.cat("memory:///dir/f")
    guide.open("memory://dir/f").close()
    assert recorder.touches == [("/dir/f", "write"), ("/dir/f", "read"), ("/dir/f", "read")]


@pytest.mark.parametrize("name", ["line\nbreak", 'quo"te', "tab\tand \\ back", "\udcff not text", "é ü", " ", "#?*[]"])
def test_names_of_any_kind_are_recorded_as_they_are(tmp_path: Path, recorder: Any, name: str) -> None:
    """Names are neither interpreted nor cleaned."""
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    path = f"{tmp_path}/{name}"
    fs.pipe_file(path, b"text")
    with fs.open(path, "a") as file:
        file.write("more")
    assert recorder.touches == [(path, "write"), (path, "edit")]


def test_a_backend_that_reports_no_transfers_is_judged_by_the_local_end(
    memory: Any, recorder: Any, tmp_path: Path
) -> None:
    """Where a bulk copy ignores its callback, what became or was a local file counts."""

    class Silent(type(memory)):  # type: ignore[misc]  # the class is only known at run time
        """Copies without telling the callback."""

        def get(self, rpath: Any, lpath: Any, callback: Any = None, **kwargs: Any) -> None:
            super().get(rpath, lpath, **kwargs)

        def put(self, lpath: Any, rpath: Any, callback: Any = None, **kwargs: Any) -> None:
            super().put(lpath, rpath, **kwargs)

    inner = Silent(global_store=False, skip_instance_cache=True)
    inner.pipe({"/d/a": b"", "/d/b": b""})
    fs = GuideFileSystem(inner, recorder=recorder)
    fs.get("/d/a", str(tmp_path / "a"))
    fs.get(["/d/a", "/d/b"], [str(tmp_path / "1"), str(tmp_path / "2")])
    fs.get("/d/b", f"{tmp_path}/")
    fs.get("/d", str(tmp_path / "nothing"))
    fs.put(str(tmp_path / "a"), "/new")
    fs.put(str(tmp_path), "/nothing")
    assert recorder.touches == [
        ("/d/a", "read"),
        ("/d/a", "read"),
        ("/d/b", "read"),
        ("/d/b", "read"),
        ("/new", "write"),
    ]


def test_the_callback_of_the_caller_sees_what_it_would_see(guide: Any, recorder: Any, tmp_path: Path) -> None:
    """Progress, hooks and children of a callback are the caller's, with and without an observer."""

    class Noting(Callback):  # type: ignore[misc]  # fsspec ships no types
        """Keeps what it is told."""

        def __init__(self) -> None:
            self.notes: list[Any] = []
            super().__init__(hooks={"hook": lambda size, value, **_: self.notes.append(("hook", size, value))})

        def branched(self, path_1: Any, path_2: Any, **kwargs: Any) -> Any:
            self.notes.append(("branched", path_1))
            return super().branched(path_1, path_2, **kwargs)

        def close(self) -> None:
            self.notes.append("closed")

    guide.fs.pipe({"/d/a": b"", "/d/b": b""})
    seen = []
    for fs in (guide.fs, guide):
        callback = Noting()
        fs.get("/d", str(tmp_path / "out"), recursive=True, callback=callback)
        seen.append((callback.notes, callback.size, callback.value))
    assert seen[0] == seen[1]
    assert ("branched", "/d/a") in seen[1][0]
    assert recorder.touches == [("/d/a", "read"), ("/d/b", "read")]
