"""What file tools need: stats, ranged reads, and writes under a guard."""

from __future__ import annotations

from unittest import SkipTest

from guidefs.errors import GuardUnsupportedError, StaleVersionError
from guidefs.storage.provider import Chunk, CreateOnly, Guard, IfContent, IfVersion, Stat, Written
from guidefs.storage.text import fingerprint
from guidefs.testing.asking import Asking
from guidefs.testing.expectation import ensure, expect, expect_failure
from guidefs.values.answer import Absent, Version

__all__ = ["AccessTests"]

TEN = b"0123456789"


class AccessTests(Asking):
    """The primitives, those of the provider or those that are built for it."""

    def test_stats(self) -> None:
        """A stat tells a file with its size from a directory, and what is absent."""
        self.put(self.path("sub", "file"), TEN)
        found = self.both_ways("stat", self.path("sub", "file"))
        expect(type(found), Stat, "the kind of the answer")
        expect(found.kind, "file", "what the path leads to")
        ensure(found.size in {10, None}, f"the size, if it is stated, is 10 ({found.size})")
        expect(self.both_ways("stat", self.path("sub")), Stat("directory", None, None), "a directory")
        expect(self.both_ways("stat", self.path("none")), Absent(), "a missing name")

    def test_stats_and_answers_have_one_version(self) -> None:
        """A stat and a fetch of one file tell the same version."""
        self.require("versions")
        self.put(self.path("file"), TEN)
        known = self.known_version_of(self.path("file"))
        expect(self.both_ways("stat", self.path("file")).version, known, "the version of the stat")

    def test_ranged_reads(self) -> None:
        """A read has the asked-for bytes, fewer at the end, and none past it."""
        self.put(self.path("file"), TEN)
        for offset, max_bytes in ((0, 100), (0, 10), (3, 4), (8, 5), (9, 1), (10, 5), (99, 1), (0, 0)):
            chunk = self.both_ways("read", self.path("file"), offset=offset, max_bytes=max_bytes)
            expect(type(chunk), Chunk, "the kind of the result")
            expect(chunk.data, TEN[offset : offset + max_bytes], f"{max_bytes} bytes from {offset}")

    def test_an_empty_file_is_read(self) -> None:
        """A read of an empty file is empty, not an error."""
        self.put(self.path("file"), b"")
        expect(self.both_ways("read", self.path("file"), offset=0, max_bytes=10).data, b"", "the bytes")

    def test_reads_that_fail(self) -> None:
        """A missing file and a directory are the matching built-in errors."""
        self.put(self.path("sub", "file"), b"")
        for name, kind in (("none", FileNotFoundError), ("sub", OSError)):
            expect_failure(kind, lambda name=name: self._read(name), f"reading {name!r}")  # type: ignore[misc] # bound

    def test_a_creation(self) -> None:
        """A new file is created, with its parents, also an empty one."""
        self._need("create")
        for name, data in (("new", TEN), ("deep/below/new", TEN), ("empty", b"")):
            self._write(name, data, CreateOnly())
            expect(self.get(self.path(name)), data, f"the content of {name!r}")

    def test_a_creation_never_replaces(self) -> None:
        """A file that exists is left alone, an empty one too, and whatever is to be written."""
        self._need("create")
        for name, old, new in (("file", b"old", b"new"), ("empty", b"", b"new"), ("other", b"old", b"")):
            self.put(self.path(name), old)
            self._fails(FileExistsError, name, new, CreateOnly())
            expect(self.get(self.path(name)), old, f"the content of {name!r}")

    def test_a_replacement_by_content(self) -> None:
        """A file that still has its content is replaced, also by nothing."""
        self._need("content")
        self.put(self.path("file"), b"old")
        for old, new in ((b"old", b"new"), (b"new", b""), (b"", b"again")):
            self._write("file", new, IfContent(fingerprint(old)))
            expect(self.get(self.path("file")), new, f"the content written over {old!r}")

    def test_a_stale_content_is_refused(self) -> None:
        """A file that has other content now is left alone."""
        self._need("content")
        self.put(self.path("file"), b"his")
        self._fails(StaleVersionError, "file", b"new", IfContent(fingerprint(b"old")))
        expect(self.get(self.path("file")), b"his", "the content")

    def test_a_replacement_by_version(self) -> None:
        """A file that still has its version is replaced, also by nothing."""
        self._need("version")
        self.put(self.path("file"), b"old")
        for new in (b"new", b""):
            self._write("file", new, IfVersion(self.known_version_of(self.path("file"))))
            expect(self.get(self.path("file")), new, "the content")

    def test_a_stale_version_is_refused(self) -> None:
        """A file that has another version now is left alone, whatever is to be written."""
        self._need("version")
        self.put(self.path("file"), b"old")
        guard = IfVersion(self.known_version_of(self.path("file")))
        self.put(self.path("file"), b"his")
        for new in (b"new", b""):
            self._fails(StaleVersionError, "file", new, guard)
            expect(self.get(self.path("file")), b"his", "the content")

    def test_a_vanished_file_is_stale(self) -> None:
        """A file that is gone is not created again by a replacement."""
        guards: dict[str, Guard] = {"content": IfContent(fingerprint(b"old"))}
        self.put(self.path("file"), b"old")
        if "version" in self.guards:
            guards["version"] = IfVersion(self.known_version_of(self.path("file")))
        self.delete(self.path("file"))
        for name in self.guards & guards.keys():
            self._fails(StaleVersionError, "file", b"new", guards[name])
            expect(self.both_ways("stat", self.path("file")), Absent(), "the deleted file")

    def test_a_guard_that_cannot_hold_is_refused(self) -> None:
        """A guard that the backend cannot enforce writes nothing."""
        self.put(self.path("file"), b"old")
        unsupported: dict[str, Guard] = {
            "version": IfVersion(Version("made up")),
            "content": IfContent(fingerprint(b"old")),
        }
        for name in unsupported.keys() - self.guards:
            self._fails(GuardUnsupportedError, "file", b"new", unsupported[name])
        if "create" not in self.guards:
            self._fails(GuardUnsupportedError, "new", b"new", CreateOnly())
            expect(self.both_ways("stat", self.path("new")), Absent(), "the file that was not created")
        expect(self.get(self.path("file")), b"old", "the content")

    def test_the_mode_survives(self) -> None:
        """Replacing the content of a file keeps its permission bits."""
        self.require("permissions")
        self.put(self.path("file"), b"old")
        self.set_mode(self.path("file"), 0o751)
        self._write("file", b"new", IfContent(fingerprint(b"old")))
        expect(oct(self.mode_of(self.path("file"))), oct(0o751), "the mode")

    def test_a_link_is_written_through(self) -> None:
        """Writing through a link updates its target, and the link stays one."""
        self.require("links")
        self.put(self.path("target"), b"old")
        self.symlink(self.path("link"), "target")
        self._write("link", b"new", IfContent(fingerprint(b"old")))
        expect(self.get(self.path("target")), b"new", "the target's content")
        self.put(self.path("target"), b"newer")
        expect(self._read("link"), b"newer", "the content through the link")

    def _need(self, guard: str) -> None:
        if guard not in self.guards:
            raise SkipTest(f"{type(self).__name__}: the backend cannot guard by {guard}")

    def _read(self, name: str) -> bytes:
        chunk: Chunk = self.call("read", self.path(name), offset=0, max_bytes=100)
        return chunk.data

    def _write(self, name: str, data: bytes, guard: Guard) -> None:
        expect(type(self.call("write", self.path(name), data, guard)), Written, "the kind of the result")

    def _fails(self, kind: type[Exception], name: str, data: bytes, guard: Guard) -> None:
        error = expect_failure(kind, lambda: self.call("write", self.path(name), data, guard), f"writing {name!r}")
        ensure(name in str(error), f"the error names the path ({error})")
