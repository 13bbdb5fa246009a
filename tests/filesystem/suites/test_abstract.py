"""fsspec's own suite of abstract tests, on filesystems and on their wrapped twins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.tests.abstract import (
    AbstractCopyTests,
    AbstractFixtures,
    AbstractGetTests,
    AbstractOpenTests,
    AbstractPipeTests,
    AbstractPutTests,
)

from guidefs.filesystem import GuideFileSystem

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


class Suite(
    AbstractFixtures,  # type: ignore[misc]  # fsspec ships no types
    AbstractCopyTests,  # type: ignore[misc]  # the same
    AbstractGetTests,  # type: ignore[misc]  # the same
    AbstractOpenTests,  # type: ignore[misc]  # the same
    AbstractPipeTests,  # type: ignore[misc]  # the same
    AbstractPutTests,  # type: ignore[misc]  # the same
):
    """Every abstract test on a wrapped filesystem that is always in a call, some on the inner one as well."""

    @pytest.fixture
    def fs(self, twin: str, inner: Any, recorder: Any) -> Any:
        """The tested filesystem."""
        return inner if twin == "inner" else GuideFileSystem(inner, recorder=recorder)


class TestLocal(Suite):
    """The local disk."""

    @pytest.fixture
    def inner(self) -> Any:
        """The local disk, making directories as they are needed."""
        return LocalFileSystem(auto_mkdir=True)

    @pytest.fixture
    def fs_path(self, tmp_path: Path) -> str:
        """A directory of the test's own."""
        return str(tmp_path)


class TestMemory(Suite):
    """The memory filesystem."""

    @pytest.fixture
    def inner(self, memory: Any) -> Any:
        """A memory filesystem of the test's own."""
        return memory

    @pytest.fixture
    def fs_join(self) -> Any:
        """Joins with a slash."""
        return lambda *parts: "/".join(parts)

    @pytest.fixture
    def fs_path(self) -> str:
        """The root."""
        return ""


@pytest.mark.differential(
    "test_copy_directory_to_existing_directory",
    "test_copy_file_to_new_directory",
    "test_get_directory_recursive",
    "test_get_directory_to_existing_directory",
    "test_get_directory_to_new_directory",
    "test_put_file_to_new_directory",
)
class TestDirectory(Suite):
    """A directory of the local disk seen as a root, which fails some of the tests by itself."""

    @pytest.fixture
    def inner(self, tmp_path: Path) -> Any:
        """A filesystem of the test's own directory."""
        return DirFileSystem(str(tmp_path / "inner"), LocalFileSystem(auto_mkdir=True))

    @pytest.fixture
    def fs_path(self) -> str:
        """The root."""
        return ""


@pytest.mark.differential("test_open_exclusive")
class TestObjectStore(Suite):
    """An S3 server, which notices an exclusive creation only when the file is closed."""

    @pytest.fixture
    def inner(self, s3: Any) -> Any:
        """The object store."""
        return s3

    @pytest.fixture
    def fs_path(self, bucket: str) -> str:
        """A bucket of the test's own."""
        return bucket

    @pytest.fixture
    def supports_empty_directories(self) -> bool:
        """Directories are prefixes of keys."""
        return False
