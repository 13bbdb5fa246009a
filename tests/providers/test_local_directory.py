"""The check of a workspace directory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from guidefs.errors import AccessDeniedError, FileInputOutputError, NotADirectoryFileError, NotFoundError
from guidefs_local import LocalProvider


@pytest.fixture
def provider() -> LocalProvider:
    """A provider with its defaults."""
    return LocalProvider(None)


def test_a_directory_passes(provider: LocalProvider, tmp_path: Path) -> None:
    """A readable directory is accepted, also through a link."""
    (tmp_path / "link").symlink_to(tmp_path)
    provider.check_directory(str(tmp_path / "link"))


def test_a_missing_directory(provider: LocalProvider, tmp_path: Path) -> None:
    """A directory that does not exist is named, with what to do."""
    with pytest.raises(NotFoundError, match=r"missing' does not exist; create it"):
        provider.check_directory(str(tmp_path / "missing"))


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_file_is_no_directory(provider: LocalProvider, tmp_path: Path, name: str) -> None:
    """A file, and a path through one, are told apart from a missing directory."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryFileError, match="file"):
        provider.check_directory(str(tmp_path / name))


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o100])
def test_a_closed_directory(
    provider: LocalProvider, common: Path, unprivileged: Callable[[], AbstractContextManager[None]], mode: int
) -> None:
    """A directory that cannot be listed and entered is refused."""
    (common / "closed").mkdir()
    (common / "closed").chmod(mode)
    with unprivileged(), pytest.raises(AccessDeniedError, match=r"closed' cannot be read.*grant"):
        provider.check_directory(str(common / "closed"))


def test_below_a_closed_directory(
    provider: LocalProvider, common: Path, unprivileged: Callable[[], AbstractContextManager[None]]
) -> None:
    """A directory that cannot be reached is refused, not missing."""
    (common / "closed" / "inner").mkdir(parents=True)
    (common / "closed").chmod(0)
    with unprivileged(), pytest.raises(AccessDeniedError):
        provider.check_directory(str(common / "closed" / "inner"))
    (common / "closed").chmod(0o700)


def test_an_impossible_name(provider: LocalProvider) -> None:
    """A name with a NUL is a typed error as well."""
    with pytest.raises(FileInputOutputError, match="null"):
        provider.check_directory("/tmp/\0")
