"""A small project on disk, the command line run in this process, and a filesystem where everything fails."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.registry import _registry

from guidefs.cli.main import main


@dataclass(frozen=True)
class Ran:
    """What one run of the command line left.

    Args:
        code: the exit code.
        out: what it wrote to standard output.
        err: what it wrote to standard error.
    """

    code: int
    out: str
    err: str

    @property
    def facts(self) -> dict[str, Any]:
        """The standard output as JSON."""
        parsed: dict[str, Any] = json.loads(self.out)
        return parsed

    @property
    def standings(self) -> dict[str, str]:
        """What became of each file."""
        return {file["path"]: file["standing"] for file in self.facts["files"]}

    @property
    def changes(self) -> list[list[tuple[str, str]]]:
        """The changes that each event of a simulation attached."""
        return [
            [(change["action"], change["path"]) for context in event["contexts"] for change in context["changes"]]
            for event in self.facts["events"]
        ]


class FullMoonError(Exception):
    """A failure of a kind that nobody has heard of."""


class HostileFileSystem(fsspec.AbstractFileSystem):  # type: ignore[misc] # fsspec ships no types
    """Fails at everything, in a way of its own."""

    protocol: ClassVar[str] = "hostile"
    root_marker = "/"
    cachable = False

    def info(self, path: str, **options: Any) -> Any:
        """Fail."""
        raise FullMoonError(f"the moon is full over {path}")

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:  # noqa: FBT001, FBT002 - fsspec's signature
        """Fail."""
        raise FullMoonError(f"the moon is full over {path}")


@pytest.fixture
def hostile() -> Iterator[str]:
    """The address of a workspace on a filesystem where everything fails."""
    fsspec.register_implementation("hostile", HostileFileSystem, clobber=True)
    yield "hostile://work"
    _registry.pop("hostile")


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a user-global file, and a wide terminal."""
    home = tmp_path / "nobody"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("DSH_HOME", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a root file, a package and a duplicate."""
    root = tmp_path / "project"
    for name, text in {
        "AGENTS.md": "root rule",
        "api/AGENTS.md": "api rule",
        "api/CLAUDE.md": "api rule\n",
        "api/src/main.py": "pass\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".git").mkdir()
    time.sleep(0.03)  # a file written in the last moment has no version yet that could be trusted
    return root


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the command line with some words."""

    def run_words(*words: object) -> Ran:
        code = main([str(word) for word in words])
        captured = capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    return run_words
