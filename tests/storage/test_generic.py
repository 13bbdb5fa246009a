"""What the generic provider concludes from a filesystem that nothing is known about."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from fsspec.spec import AbstractFileSystem

from guidefs.errors import GuardUnsupportedError, NotFoundError, NotRegularFileError, UsageError
from guidefs.storage import (
    Absent,
    AsyncGenericProvider,
    CreateOnly,
    Exists,
    GenericProvider,
    IfContent,
    IfVersion,
    Limits,
    Marker,
    Question,
    Stat,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
    Version,
    fingerprint,
)
from guidefs.storage.certainty import is_absence, is_empty_range
from guidefs.storage.details import Details, InfoSource, details_of
from guidefs.storage.generic import MAX_CONCURRENT_QUESTIONS

LIMITS = Limits(max_source_bytes=100, max_batch_bytes=1_000)


class Scripted(AbstractFileSystem):  # type: ignore[misc] # fsspec has no types
    """A filesystem that answers as it was told to, and notes its calls."""

    protocol = "scripted"
    cachable = False

    def __init__(self, info: Any = None, content: Any = b"text") -> None:
        super().__init__()
        self.script = {"info": info, "cat_file": content}
        self.calls: list[tuple[str, Mapping[str, Any]]] = []

    def _play(self, name: str, options: Mapping[str, Any]) -> Any:
        self.calls.append((name, options))
        value = self.script[name]
        if isinstance(value, Exception):
            raise value
        return value

    def info(self, path: str, **options: Any) -> Any:
        """Whatever it was told to."""
        return self._play("info", options)

    def cat_file(self, path: str, **options: Any) -> Any:
        """Whatever it was told to."""
        return self._play("cat_file", options)


def _chained(error: Exception, cause: BaseException | None) -> Exception:
    error.__cause__ = cause
    return error


def _with_status(name: str, status: object) -> Exception:
    error = Exception("from a client")
    setattr(error, name, status)
    return error


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"type": "file", "size": 5}, Details("file", 5, None)),
        ({"type": "file", "size": None}, Details("file", None, None)),
        ({"type": "file", "size": -1}, Details("file", None, None)),
        ({"type": "file", "size": True}, Details("file", None, None)),
        ({"type": "file", "size": "5"}, Details("file", None, None)),
        ({"type": "file"}, Details("file", None, None)),
        ({"type": "directory", "size": 0, "ETag": "x"}, Details("directory", None, None)),
        ({"type": "link", "ETag": "x"}, Details("other", None, None)),
        ({}, Details("other", None, None)),
        ({"type": "file", "ETag": '"abc"'}, Details("file", None, Version('etag:"abc"'))),
        ({"type": "file", "etag": '"abc"'}, Details("file", None, Version('etag:"abc"'))),
        ({"type": "file", "e_tag": '"abc"'}, Details("file", None, Version('etag:"abc"'))),
        ({"type": "file", "ETag": 'W/"abc"'}, Details("file", None, None)),
        ({"type": "file", "ETag": ""}, Details("file", None, None)),
        ({"type": "file", "ETag": None}, Details("file", None, None)),
        ({"type": "file", "generation": 12, "etag": "CAE="}, Details("file", None, Version("generation:12"))),
        ({"type": "file", "mtime": 1.0, "LastModified": "x", "created": 2}, Details("file", None, None)),
    ],
)
def test_what_an_info_says(info: Mapping[str, Any], expected: Details) -> None:
    """Only stated sizes and strong versions are believed; times never are."""
    assert details_of(info) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (FileNotFoundError("x"), True),
        (NotADirectoryError("x"), True),
        (IsADirectoryError("x"), True),
        (_chained(FileNotFoundError("x"), KeyError("x")), True),
        (_chained(FileNotFoundError("x"), FileNotFoundError("y")), True),
        (_chained(FileNotFoundError("x"), _with_status("status", 404)), True),
        (_chained(FileNotFoundError("x"), _with_status("status_code", 404)), True),
        (_chained(FileNotFoundError("x"), _with_status("code", 410)), True),
        (
            _chained(FileNotFoundError("x"), _with_status("response", {"ResponseMetadata": {"HTTPStatusCode": 404}})),
            True,
        ),
        (_chained(FileNotFoundError("x"), _with_status("status", 503)), False),
        (_chained(FileNotFoundError("x"), _with_status("code", "AccessDenied")), False),
        (_chained(FileNotFoundError("x"), TypeError("unexpected argument")), False),
        (_chained(FileNotFoundError("x"), TimeoutError("slow")), False),
        (_chained(FileNotFoundError("x"), ConnectionResetError("gone")), False),
        (PermissionError("x"), False),
        (OSError(22, "x"), False),
        (TimeoutError("x"), False),
    ],
)
def test_what_proves_absence(error: Exception, *, expected: bool) -> None:
    """A missing file is certain only if nothing in the exception says that something else went wrong."""
    assert is_absence(error) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(22, "The requested range is not satisfiable"), True),
        (_with_status("status", 416), True),
        (_chained(OSError(22, "x"), _with_status("status", 416)), True),
        (OSError(22, "Invalid argument"), False),
        (_with_status("status", 404), False),
    ],
)
def test_what_proves_an_empty_range(error: Exception, *, expected: bool) -> None:
    """The HTTP status 416 or its reason phrase says that the range lies past the end."""
    assert is_empty_range(error) is expected


def _answer(fs: Any, known: str | None = None) -> Any:
    [answer] = GenericProvider(fs).fetch([Question("/a", None if known is None else Version(known))], LIMITS)
    return answer


@pytest.mark.parametrize(
    ("info", "content", "expected"),
    [
        ({"type": "file", "size": 4, "ETag": "v"}, b"text", Text(Version("etag:v"), "text")),
        ({"type": "file", "size": 101, "ETag": "v"}, None, TooLarge(Version("etag:v"), 101)),
        ({"type": "file", "size": None}, b"x" * 104, TooLarge(None, None)),
        ({"type": "file", "size": 4}, b"x" * 5_000, TooLarge(None, 4)),
        ({"type": "directory"}, None, Absent()),
        ({"type": "link"}, b"text", Text(None, "text")),
        ({"type": "other"}, IsADirectoryError("x"), Absent()),
        ({"type": "file", "size": 0}, OSError(22, "The requested range is not satisfiable"), Text(None, "")),
        (FileNotFoundError("x"), None, Absent()),
        (PermissionError("no"), None, Unavailable("PermissionError: no")),
        (_chained(FileNotFoundError("x"), TimeoutError("slow")), b"text", Text(None, "text")),
        (_chained(FileNotFoundError("x"), TimeoutError("slow")), FileNotFoundError("x"), Absent()),
        (
            _chained(FileNotFoundError("x"), TimeoutError("slow")),
            TimeoutError("slow"),
            Unavailable("TimeoutError: slow"),
        ),
        ({"type": "file", "size": 4}, FileNotFoundError("vanished"), Absent()),
        (TypeError("odd"), None, Unavailable("TypeError: odd")),
        (None, None, Unavailable("AttributeError: 'NoneType' object has no attribute 'get'")),
    ],
)
def test_what_a_question_is_answered(info: Any, content: Any, expected: object) -> None:
    """Each combination of what `info` and `cat_file` do has its answer, and none is an exception."""
    assert _answer(Scripted(info, content)) == expected


def test_a_known_version_is_not_read() -> None:
    """An unchanged file costs one `info`."""
    fs = Scripted({"type": "file", "size": 4, "ETag": "v"})
    assert _answer(fs, "etag:v") == Unchanged()
    assert fs.calls == [("info", {})]


def test_the_range_is_passed_by_keyword() -> None:
    """A read asks for as much as decides about the size, and not more."""
    fs = Scripted({"type": "file"})
    _answer(fs)
    assert fs.calls[-1] == ("cat_file", {"start": 0, "end": 104})


def test_a_filesystem_without_versions_is_not_looked_at_again() -> None:
    """Once a file had no version, looking first would only cost a round trip."""
    fs = Scripted({"type": "file", "size": 4})
    provider = GenericProvider(fs)
    for _ in range(3):
        provider.fetch([Question("/a"), Question("/b")], LIMITS)
    assert [name for name, _ in fs.calls] == ["info"] + ["cat_file"] * 6


class Refreshable(Scripted):
    """One whose signature names `refresh`."""

    def info(self, path: str, refresh: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002 - as s3fs has it
        """Note whether it was passed."""
        return self._play("info", {"refresh": refresh})


def test_refresh_is_passed_only_where_it_is_named() -> None:
    """A backend that does not know the argument may call the file missing because of it."""
    info = {"type": "file", "size": 4, "ETag": "v"}
    plain, refreshable = Scripted(info), Refreshable(info)
    for fs in (plain, refreshable):
        GenericProvider(fs).fetch([Question("/a", Version("etag:v")), Marker("/a")], LIMITS)
    assert plain.calls == [("info", {})] * 2
    assert refreshable.calls == [("info", {"refresh": True})] * 2


def test_a_cached_listing_is_not_asked() -> None:
    """With a listing in the cache a file is read without looking, and a marker is looked at afresh."""
    forgotten: list[object] = []
    fs = Scripted({"type": "file", "size": 4, "ETag": "v"})
    fs.invalidate_cache = forgotten.append
    fs.dircache["/"] = []
    provider = GenericProvider(fs)
    assert provider.fetch([Question("/a", Version("etag:v"))], LIMITS) == [Text(None, "text")]
    assert [name for name, _ in fs.calls] == ["cat_file"]
    assert provider.fetch([Marker("/a")], LIMITS) == [Exists()]
    assert forgotten == [fs._parent("/a")]


def test_a_filesystem_without_a_signature_is_asked_plainly() -> None:
    """An `info` that cannot be inspected gets no extra argument."""

    class Odd:
        info = None

    assert InfoSource(Odd()).options == {}


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"type": "directory"}, Exists()),
        ({"type": "file"}, Exists()),
        (FileNotFoundError("x"), Absent()),
        (_chained(FileNotFoundError("x"), TimeoutError("slow")), Unavailable("FileNotFoundError: x")),
        (PermissionError("no"), Unavailable("PermissionError: no")),
    ],
)
def test_markers(info: Any, expected: object) -> None:
    """A marker exists if anything has its name, and is missing only for certain."""
    assert GenericProvider(Scripted(info)).fetch([Marker("/.git")], LIMITS) == [expected]


def test_a_full_batch_reads_no_further() -> None:
    """Before the first misfit nothing is read, though unchanged files are recognised."""
    fs = Scripted({"type": "file", "ETag": "v"}, b"x" * 60)
    questions = [Question("/0", Version("etag:v")), Question("/1"), Question("/2"), Question("/3")]
    answers = GenericProvider(fs).fetch(questions, Limits(max_source_bytes=100, max_batch_bytes=100))
    assert [type(answer) for answer in answers] == [Unchanged, Unavailable, Unavailable, Text]
    assert [name for name, _ in fs.calls].count("cat_file") == 2


def test_wrong_use_passes(make_async: Any) -> None:
    """A usage error of the filesystem itself is not an unavailable file, in either half."""
    with pytest.raises(UsageError):
        _answer(Scripted(UsageError("never")))
    fs = make_async(inner=Scripted(UsageError("never")), asynchronous=True)
    fs.inner.info = lambda path, **_: Scripted(UsageError("never")).info(path)
    with pytest.raises(UsageError):
        asyncio.run(AsyncGenericProvider(fs).afetch([Question("/a"), Question("/b")], LIMITS))


@pytest.mark.parametrize(("offset", "data"), [(0, b"0123"), (4, b"4567"), (8, b"89"), (12, b"")])
def test_a_backend_that_ignores_ranges_is_noticed(offset: int, data: bytes) -> None:
    """Too many bytes are the whole file, from which the piece is cut."""
    fs = Scripted({"type": "file", "size": 10}, b"0123456789")
    assert GenericProvider(fs).read("/a", offset=offset, max_bytes=4).data == data


def test_many_questions_run_together_within_bounds(make_async: Any) -> None:
    """An async batch runs concurrently, and never more than so many at a time."""
    fs = make_async(asynchronous=True)
    questions = [Question(f"/{number}") for number in range(3 * MAX_CONCURRENT_QUESTIONS)]
    answers = asyncio.run(AsyncGenericProvider(fs).afetch(questions, LIMITS))
    assert answers == [Absent()] * len(questions)
    assert fs.most_running == MAX_CONCURRENT_QUESTIONS


def test_a_full_async_batch_reads_no_further(make_async: Any) -> None:
    """Once what began is too much, what did not begin is not read, and the tail is kept."""
    fs = make_async(asynchronous=True)
    count = 4 * MAX_CONCURRENT_QUESTIONS
    for number in range(count):
        fs.inner.pipe_file(f"/{number}", b"x" * 100)
    read: list[str] = []
    cat_file = fs._cat_file

    async def recorded(path: str, **options: Any) -> Any:
        read.append(path)
        return await cat_file(path, **options)

    fs._cat_file = recorded
    questions = [Question(f"/{number}") for number in range(count)]
    answers = asyncio.run(AsyncGenericProvider(fs).afetch(questions, LIMITS))
    assert [type(answer) for answer in answers] == [Unavailable] * (count - 10) + [Text] * 10
    assert len(read) <= MAX_CONCURRENT_QUESTIONS + LIMITS.max_batch_bytes // 100 + 1


def test_stats() -> None:
    """A stat is what `info` says, and a failure is an answer."""
    assert GenericProvider(Scripted({"type": "file", "size": 3})).stat("/a") == Stat("file", 3, None)
    assert GenericProvider(Scripted(FileNotFoundError("x"))).stat("/a") == Absent()
    assert GenericProvider(Scripted(OSError("x"))).stat("/a") == Unavailable("OSError: x")


def test_reads_fail_with_types() -> None:
    """A directory and a missing file are the library's own errors."""
    with pytest.raises(NotRegularFileError):
        GenericProvider(Scripted({"type": "directory"})).read("/a", offset=0, max_bytes=1)
    with pytest.raises(NotFoundError):
        GenericProvider(Scripted(FileNotFoundError("x"))).read("/a", offset=0, max_bytes=1)


def test_a_guard_by_version_needs_one(foreign: Any) -> None:
    """Without versions a file can be guarded by its content only, and the error says so."""
    foreign.pipe_file("/a", b"old")
    with pytest.raises(GuardUnsupportedError, match="by its content"):
        GenericProvider(foreign).write("/a", b"new", IfVersion(Version("etag:v")))
    assert foreign.cat_file("/a") == b"old"


@pytest.mark.parametrize("guard", [CreateOnly(), IfVersion(Version("etag:v"))])
def test_nothing_is_written_when_the_guard_cannot_be_checked(guard: Any) -> None:
    """A failed look before a write is an error, never a go-ahead."""
    fs = Scripted(PermissionError("no"))
    with pytest.raises(OSError, match="could not be found out"):
        GenericProvider(fs).write("/a", b"new", guard)
    assert [name for name, _ in fs.calls] == ["info"]


def test_a_lost_race_to_create_is_told(foreign: Any) -> None:
    """Where the backend refuses a creation itself, its word counts after ours."""
    provider = GenericProvider(foreign)
    look = foreign.info

    def look_then_lose(path: str, **options: Any) -> Any:
        try:
            return look(path)
        finally:
            foreign.store.clear()
            foreign.pipe_file("/a", b"his")

    foreign.info = look_then_lose
    foreign.exists = lambda path, **_: path in foreign.store
    with pytest.raises(FileExistsError):
        provider.write("/a", b"new", CreateOnly())
    assert bytes(foreign.store["/a"].getvalue()) == b"his"


def test_a_missing_parent_is_made_only_when_it_must_be(foreign: Any) -> None:
    """Making a directory can make a bucket, so it waits until the write asks for it."""
    made: list[str] = []

    class Strict(type(foreign)):  # type: ignore[misc] # fsspec has no types
        def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **options: Any) -> None:
            if self._parent(path) not in ("/", *made):
                raise FileNotFoundError(path)
            super().pipe_file(path, value, mode=mode)

        def makedirs(self, path: str, exist_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - fsspec's signature
            made.append(path)

    provider = GenericProvider(Strict())
    provider.write("/a", b"text", CreateOnly())
    assert made == []
    provider.write("/sub/a", b"text", CreateOnly())
    assert made == ["/sub"]


def test_the_guarantee_is_modest(foreign: Any) -> None:
    """Whatever the backend does, no more than best effort is promised."""
    provider = GenericProvider(foreign)
    assert provider.write("/a", b"old", CreateOnly()).guarantee == "best-effort"
    assert provider.write("/a", b"new", IfContent(fingerprint(b"old"))).guarantee == "best-effort"
