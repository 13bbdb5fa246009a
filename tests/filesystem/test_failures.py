"""Calls that fail record nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.local import LocalFileSystem

from guidefs.filesystem import GuideFileSystem

MISSING = "@/missing"
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("cat_file", (MISSING,), {}),
    ("read_bytes", (MISSING,), {}),
    ("read_text", (MISSING,), {}),
    ("head", (MISSING,), {}),
    ("tail", (MISSING,), {}),
    ("read_block", (MISSING, 0, 1), {}),
    ("cat", (MISSING,), {}),
    ("cat", (["@/there", MISSING],), {}),
    ("cat_ranges", (["@/there", MISSING], 0, 1), {"on_error": "raise"}),
    ("get_file", (MISSING, "@/new"), {}),
    ("get", (MISSING, "@/new"), {}),
    ("get", (["@/there", MISSING], ["@/1", "@/2"]), {}),
    ("download", (MISSING, "@/new"), {}),
    ("pipe_file", ("@/dir", b""), {}),
    ("pipe_file", ("@/there", b""), {"mode": "create"}),
    ("pipe", ("@/dir", b""), {}),
    ("pipe", ({"@/new": b"", "@/dir": b""},), {}),
    ("write_bytes", ("@/dir", b""), {}),
    ("write_text", ("@/dir", ""), {}),
    ("touch", ("@/no/dir",), {}),
    ("put_file", (MISSING, "@/new"), {}),
    ("put", (MISSING, "@/new"), {}),
    ("put", (["@/there", MISSING], ["@/1", "@/2"]), {}),
    ("upload", (MISSING, "@/new"), {}),
    ("cp_file", (MISSING, "@/new"), {}),
    ("copy", (MISSING, "@/new"), {}),
    ("cp", (MISSING, "@/new"), {}),
    ("mv", (MISSING, "@/new"), {}),
    ("move", (MISSING, "@/new"), {}),
    ("rename", (MISSING, "@/new"), {}),
    ("rm_file", (MISSING,), {}),
    ("rm", (MISSING,), {}),
    ("rm", (["@/there", MISSING],), {}),
    ("rm", ("@/dir",), {}),
    ("delete", (MISSING,), {}),
    ("open", (MISSING,), {}),
    ("open", (MISSING, "r"), {}),
    ("open", ("@/dir", "wb"), {}),
    ("open", ("@/there", "x"), {}),
    ("symlink", (MISSING, "@/there"), {}),
    ("link", (MISSING, "@/new"), {}),
]


def placed(value: Any, root: Path) -> Any:
    """Arguments with the placeholder for the directory replaced."""
    if isinstance(value, list):
        return [placed(item, root) for item in value]
    if isinstance(value, dict):
        return {placed(key, root): item for key, item in value.items()}
    return value.replace("@", str(root)) if isinstance(value, str) else value


def in_loop(function: Any) -> Any:
    """A coroutine function as a plain one."""
    return lambda *args, **kwargs: asyncio.run(function(*args, **kwargs))


@pytest.mark.parametrize("half", ["sync", "async"])
@pytest.mark.parametrize(("method", "args", "kwargs"), CALLS, ids=[f"{call[0]}-{n}" for n, call in enumerate(CALLS)])
def test_a_call_that_raises_records_nothing(
    tmp_path: Path, recorder: Any, half: str, method: str, args: Any, kwargs: Any
) -> None:
    """An access that failed, even in part, is no access, and its error is the inner filesystem's."""
    (tmp_path / "dir").mkdir()
    (tmp_path / "there").write_bytes(b"text")
    args = [placed(value, tmp_path) for value in args]
    with pytest.raises(Exception) as plain:  # noqa: PT011 - whatever the inner filesystem raises
        getattr(LocalFileSystem(), method)(*args, **kwargs)
    (tmp_path / "there").write_bytes(b"text")
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    plainly = half == "sync" or method == "open"
    call = getattr(fs, method) if plainly else in_loop(getattr(fs, f"_{method}"))
    with pytest.raises(type(plain.value)) as wrapped:
        call(*args, **kwargs)
    assert str(wrapped.value) == str(plain.value)
    assert recorder.touches == []


def test_a_cancelled_call_records_nothing(native: Any, recorder: Any) -> None:
    """Cancellation passes through, and leaves no touch."""
    inner = native({"/f": b"text"}, asynchronous=True)
    fs = GuideFileSystem(inner, recorder=recorder)

    async def main() -> None:
        task = asyncio.create_task(fs._cat_file("/f"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert recorder.touches == []


def test_a_download_with_one_failing_file_never_counts_that_one(memory: Any, recorder: Any, tmp_path: Path) -> None:
    """A bulk transfer that fails counts nothing; what a caller then fetches alone counts by itself."""
    memory.pipe({"/a": b"a", "/b": b"b"})
    fs = GuideFileSystem(memory, recorder=recorder)
    with pytest.raises(FileNotFoundError):
        fs.get(["/a", "/missing", "/b"], [str(tmp_path / name) for name in "123"])
    assert recorder.touches == []
    fs.get(["/a", "/b"], [str(tmp_path / name) for name in "13"])
    assert recorder.touches == [("/a", "read"), ("/b", "read")]


def test_wrong_arguments_are_refused_by_the_inner_filesystem(guide: Any, recorder: Any) -> None:
    """A call that makes no sense fails as it would without the wrapper."""
    with pytest.raises(TypeError):
        guide.cat_file()
    with pytest.raises(TypeError):
        guide.cat_ranges("/f", 0, 1)
    assert recorder.touches == []
