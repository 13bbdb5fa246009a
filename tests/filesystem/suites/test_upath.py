"""universal_pathlib's own suite for paths, over a chained URL.

The cases are in its source distribution only. `GUIDEFS_UPATH_SOURCES` names a directory where one was unpacked, as
`pip download --no-deps --no-binary :all: universal_pathlib` with `tar` does it.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from guidefs.filesystem import GuideFileSystem

VARIABLE = "GUIDEFS_UPATH_SOURCES"
ROOTLESS = {f"test_rename_with_target_absolute[plain_{kind}_absolute]" for kind in ("upath", "path")}


def base() -> Any:
    """The suite, if its sources are there."""
    sources = os.environ.get(VARIABLE)
    if sources is None and not os.environ.get("CI"):
        pytest.skip(f"{VARIABLE} is not set", allow_module_level=True)
    import upath

    upath.__path__.extend(str(path) for path in sorted(Path(sources or "").glob("universal_pathlib-*/upath")))
    from upath.tests.cases import BaseTests  # type: ignore[import-not-found]  # in the source distribution only

    return BaseTests


class TestGuidePath(base()):  # type: ignore[misc]  # the class is only known at run time
    """Every case, on a path that is always in a call."""

    path: Any

    @pytest.fixture(autouse=True, name="path")
    def _path(self, request: pytest.FixtureRequest, recorder: Any) -> Iterator[None]:
        """A directory of the test's own in the memory filesystem, behind a wrapper."""
        if request.node.name in ROOTLESS:
            reason = "the class, unlike its instances, has no root marker that would make a plain path absolute"
            request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
        from upath import UPath
        from upath.registry import available_implementations, register_implementation

        from guidefs.filesystem.upath import GuidePath

        if "guide" not in available_implementations():
            register_implementation("guide", GuidePath)
        self.wrapper = GuideFileSystem(MemoryFileSystem(), recorder=recorder)
        token = self.wrapper.storage_options["session"]
        self.path = UPath(f"guide:///{uuid.uuid4().hex}", target_protocol="memory", session=token)
        self.prepare_file_system()
        assert recorder.touches
        yield
        self.wrapper.fs.rm("/", recursive=True)

    @pytest.fixture
    def local_testdir(self, tmp_path: Path) -> str:
        """A local directory with the files that the suite expects."""
        (tmp_path / "folder1").mkdir()
        for name in ("file1.txt", "file2.txt"):
            (tmp_path / "folder1" / name).write_text(name)
            (tmp_path / name).write_text("hello world")
        return str(tmp_path)

    @pytest.fixture
    def pathlib_base(self, local_testdir: str) -> Path:
        """That directory as a path."""
        return Path(local_testdir)

    @pytest.fixture
    def clear_fsspec_memory_cache(self) -> None:
        """Nothing: every test cleans the memory filesystem up."""

    def test_is_correct_class(self) -> None:
        """The registered class of paths is found."""
        assert type(self.path).__name__ == "GuidePath"
