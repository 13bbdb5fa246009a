"""The examples of the page about changes without a call, run as they stand there."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import pytest

_PAGE = Path(__file__).parents[2] / "docs" / "watch.md"
_PATIENCE_SECONDS = 60


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell tool tells the rules of the directory that its command wrote to, and the watch what others change."""
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "nobody"))
    root = tmp_path / "repo"
    for name in (".git", "api"):
        (root / name).mkdir(parents=True)
    (root / "api" / "AGENTS.md").write_text("rules of api")
    shell, watch = re.findall(r"```python\n(.*?)```", _PAGE.read_text(), re.DOTALL)
    shown: list[str] = []

    def take(text: str) -> None:
        shown.append(text)
        names["changes"].close()

    names: dict[str, Any] = {"print": take}
    exec(shell.replace("path/to/repo", str(root)), names)  # noqa: S102 - our own page
    assert "rules of api" in names["run"]("echo y > api/x; echo done")
    names["session"].confirm()
    (root / "api" / "AGENTS.md").write_text("newer rules")
    alarm = threading.Timer(_PATIENCE_SECONDS, lambda: names["changes"].close())  # noqa: PLW0108 - made by the example
    alarm.start()
    exec(watch, names)  # noqa: S102 - our own page
    alarm.cancel()
    assert ["newer rules" in text for text in shown] == [True]
