"""Which links the local provider follows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest

from guidefs.errors import ConfigurationError
from guidefs.storage.provider import Limits
from guidefs.values.answer import Answer, Question, Text, Unavailable
from guidefs_local import LocalProvider
from guidefs_local.links import path_of


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root with links of every kind, itself reached through a link."""
    real, outside = tmp_path / "real", tmp_path / "outside"
    (real / "sub").mkdir(parents=True)
    outside.mkdir()
    (real / "sub" / "plain.md").write_text("inside")
    (outside / "AGENTS.md").write_text("outside")
    (outside / "large.md").write_text("x" * 5_000)
    (real / "inward.md").symlink_to("sub/plain.md")
    (real / "outward.md").symlink_to(outside / "AGENTS.md")
    (real / "large.md").symlink_to(outside / "large.md")
    (real / "inward").symlink_to("sub")
    (real / "outward").symlink_to(outside)
    root = tmp_path / "root"
    root.symlink_to("real")
    return root


def _ask(path: Path, symlinks: Literal["follow", "contained", "refuse"], root: Path | None) -> Answer:
    provider = LocalProvider(None, symlinks=symlinks, root=None if root is None else str(root))
    [answer] = provider.fetch([Question(str(path))], Limits(max_source_bytes=1_000))
    return answer


@pytest.mark.parametrize(
    ("name", "follow", "contained", "refuse", "refuse_without_root"),
    [
        ("sub/plain.md", True, True, True, True),
        ("inward.md", True, True, False, False),
        ("outward.md", True, False, False, False),
        ("inward/plain.md", True, True, False, True),
        ("outward/AGENTS.md", True, False, False, True),
    ],
)
def test_each_policy(
    tree: Path, name: str, *, follow: bool, contained: bool, refuse: bool, refuse_without_root: bool
) -> None:
    """A candidate is loaded or unavailable as its policy says; links above the root do not count."""
    loaded = {
        "follow": _ask(tree / name, "follow", tree),
        "contained": _ask(tree / name, "contained", tree),
        "refuse": _ask(tree / name, "refuse", tree),
        "refuse without root": _ask(tree / name, "refuse", None),
    }
    assert {policy: isinstance(answer, Text) for policy, answer in loaded.items()} == {
        "follow": follow,
        "contained": contained,
        "refuse": refuse,
        "refuse without root": refuse_without_root,
    }
    assert all(isinstance(answer, Text | Unavailable) for answer in loaded.values())


def test_an_escape_is_explained(tree: Path) -> None:
    """The answer for an escaping candidate names it and the setting, and not its size."""
    answer = _ask(tree / "large.md", "contained", tree)
    assert isinstance(answer, Unavailable)
    assert "large.md" in answer.error
    assert "'contained'" in answer.error


def test_a_sibling_with_the_same_prefix_is_outside(tree: Path, tmp_path: Path) -> None:
    """Containment compares whole components."""
    (tmp_path / "realistic").mkdir()
    (tmp_path / "realistic" / "AGENTS.md").write_text("outside")
    (tree / "near.md").symlink_to(tmp_path / "realistic" / "AGENTS.md")
    assert isinstance(_ask(tree / "near.md", "contained", tree), Unavailable)


def test_a_path_is_judged_by_what_was_opened(tree: Path) -> None:
    """The real path is that of the open file, whatever the names say by then."""
    descriptor = os.open(tree / "outward.md", os.O_RDONLY)
    try:
        (tree / "outward.md").unlink()
        (tree / "outward.md").write_text("inside")
        assert path_of(descriptor, str(tree / "outward.md")).endswith("/outside/AGENTS.md")
    finally:
        os.close(descriptor)


def test_an_unknown_policy_is_refused() -> None:
    """The message names the value and the known ones."""
    with pytest.raises(ConfigurationError, match=r"'never'.*'follow', 'contained', 'refuse'"):
        LocalProvider(None, symlinks="never")  # type: ignore[arg-type] # the mistake under test


def test_containment_needs_a_root() -> None:
    """The message says which setting is missing."""
    with pytest.raises(ConfigurationError, match="root="):
        LocalProvider(None, symlinks="contained")
