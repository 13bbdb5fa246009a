"""Filesystems made from `guide::` URLs have a session of their own."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

import guidefs


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one nested instruction file; no home directory and no budget in the environment."""
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("GUIDEFS_MAX_BYTES", raising=False)
    root = tmp_path / "project"
    (root / "a").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "a" / "AGENTS.md").write_text("a rule")
    (root / "a" / "x.txt").write_text("content")
    return root


def test_accesses_inside_a_call_of_its_session_bring_instructions(project: Path) -> None:
    """What is read through the filesystem inside a call of `guide_session` is told with that call."""
    fs = fsspec.filesystem("guide", target_protocol="file", max_bytes=65_536, cwd=str(project))
    with fs.guide_session.call("c") as call:
        assert fs.cat_file(str(project / "a" / "x.txt")) == b"content"
    assert [change.path for context in call.contexts for change in context.changes] == ["a/AGENTS.md"]


def test_the_working_directory_comes_from_the_url(project: Path) -> None:
    """Without a configured working directory it is the one that the URL names."""
    fs, path = fsspec.core.url_to_fs(f"guide::file://{project}", guide={"max_bytes": 65_536})
    assert fs.guide_session.workspace.address.cwd == str(project)
    assert path == str(project)


def test_the_budget_may_come_from_the_environment(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`GUIDEFS_MAX_BYTES` is the budget where the URL has none."""
    monkeypatch.setenv("GUIDEFS_MAX_BYTES", "1234")
    fs, _ = fsspec.core.url_to_fs(f"guide::file://{project}")
    assert fs.guide_session.workspace.config.max_bytes == 1234


def test_a_url_without_a_budget_is_refused(project: Path) -> None:
    """Nobody guesses a budget: the error says how to configure one."""
    with pytest.raises(guidefs.ConfigurationError, match="GUIDEFS_MAX_BYTES"):
        fsspec.core.url_to_fs(f"guide::file://{project}")


def test_the_session_of_a_wrapped_filesystem_is_found_through_it(project: Path) -> None:
    """`session.fs.guide_session` is the session."""
    session = guidefs.Workspace(project, max_bytes=65_536).session("s")
    assert session.fs.guide_session is session
