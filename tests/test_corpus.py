"""Public repositories, laid out on disk and worked through in any order."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from guidefs import Context, Message, Session, SessionLog, Workspace

_SHARED = Path(os.environ.get("GUIDEFS_SHARED") or Path(__file__).resolve().parents[2] / "shared")
_CORPUS = sorted((_SHARED / "corpus").glob("*.json"))
_SEEDS = (1, 20, 300)

pytestmark = pytest.mark.skipif(not _SHARED.exists(), reason="the folder of shared repositories is absent")


@dataclass(frozen=True)
class Repository:
    """A repository on disk.

    Args:
        workspace: it, as a workspace whose home holds nothing.
        texts: the files that have to be delivered, by path: those that are no duplicate within their directory.
        paths: every path that an agent may read.
    """

    workspace: Workspace
    texts: dict[str, str]
    paths: tuple[str, ...]

    def shuffled(self, seed: int) -> list[str]:
        """All paths in a random order."""
        return random.Random(seed).sample(self.paths, len(self.paths))  # noqa: S311 - an order to read in, no secret


@pytest.fixture(params=[pytest.param(path, id=path.stem) for path in _CORPUS], scope="module")
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """One repository, with its links, its instruction files, and every other file empty."""
    described = json.loads(request.param.read_text("utf-8"))
    root = tmp_path_factory.mktemp("corpus") / "repository"
    (root / ".git").mkdir(parents=True)
    for path in described["other_paths"]:
        _place(root, path).touch()
    for path, text in described["instruction_files"].items():
        _place(root, path).write_bytes(text.encode())
    for path, target in described["symlinks"].items():
        _place(root, path).symlink_to(target)
    workspace = Workspace(str(root), max_bytes=1 << 20, home=str(root.parent / "home"))
    paths = [*described["other_paths"], *described["instruction_files"], *described["symlinks"]]
    return Repository(workspace, _expected(root, described), tuple(str(root / path) for path in paths))


def _place(root: Path, path: str) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _expected(root: Path, described: dict[str, Any]) -> dict[str, str]:
    """What the files say that a reader of the directory has to be told, the first of equal ones in candidate order."""
    expected: dict[str, str] = {}
    named = [*described["instruction_files"], *described["symlinks"]]
    for directory in {os.path.dirname(path) for path in named}:
        told: set[str] = set()
        for candidate in ("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md"):
            path = os.path.join(directory, candidate)
            if not (root / path).is_file() or (text := (root / path).read_bytes().decode()).strip() in told:
                continue
            told.add(text.strip())
            expected[path] = text
    return expected


def _paths(contexts: Iterable[Context]) -> list[str]:
    return [change.path for context in contexts for change in context.changes]


def _work(session: Session, paths: Iterable[str]) -> list[Context]:
    """Read paths one call each, appending what each call brings, and give all of it."""
    delivered: list[Context] = []
    for number, path in enumerate(paths):
        with session.call(number) as call:
            session.fs.cat_file(path)
        delivered.extend(call.contexts)
        for context in call.contexts:
            session.log.append(Message.of(context))
    return delivered


async def _awork(session: Session, paths: Iterable[str]) -> list[Context]:
    delivered: list[Context] = []
    for number, path in enumerate(paths):
        async with session.call(number) as call:
            session.fs.cat_file(path)
        delivered.extend(call.contexts)
        for context in call.contexts:
            session.log.append(Message.of(context))
    return delivered


def test_repositories_are_there() -> None:
    """Where the shared folder exists, it holds repositories."""
    assert _CORPUS


@pytest.mark.parametrize("seed", _SEEDS)
def test_every_file_is_delivered_once(repository: Repository, seed: int) -> None:
    """Read in any order, every instruction file is delivered once, whole, by the baseline or a call, and no copy is."""
    session = repository.workspace.session("first")
    prefix = session.prefix()
    assert prefix is not None
    contexts = [prefix, *_work(session, repository.shuffled(seed))]
    assert Counter(_paths(contexts)) == dict.fromkeys(repository.texts, 1)
    for context in contexts:
        for change in context.changes:
            assert repository.texts[change.path].replace("</system-reminder>", "<\\/system-reminder>") in context.text
    assert session.take() == ()
    assert session.stats.unavailable == 0


@pytest.mark.parametrize("seed", _SEEDS)
def test_fresh_run_delivers_nothing_again(repository: Repository, seed: int) -> None:
    """A fresh run over the kept log composes the same baseline and delivers nothing else, in any order."""
    log = SessionLog()
    first = repository.workspace.session("first", log=log)
    prefix = first.prefix()
    _work(first, repository.shuffled(seed))
    second = repository.workspace.session("second", log=log)
    again = second.prefix()
    assert again is not None
    assert prefix is not None
    assert again.text == prefix.text
    assert _work(second, repository.shuffled(-seed)) == []
    assert second.take() == ()
    assert second.stats.unavailable == 0


def test_fresh_run_over_a_log_with_the_baseline(repository: Repository) -> None:
    """A fresh run over a log that holds the baseline reuses its bytes and delivers nothing."""
    log = SessionLog()
    first = repository.workspace.session("first", log=log)
    prefix = first.prefix()
    assert prefix is not None
    log.append(Message.of(prefix))
    _work(first, repository.shuffled(7))
    second = repository.workspace.session("second", log=log)
    again = second.prefix()
    assert again is not None
    assert again.text == prefix.text
    assert _work(second, repository.shuffled(8)) == []
    assert second.take() == ()


def test_without_a_baseline_only_the_root_is_missing(repository: Repository) -> None:
    """Without a baseline, calls deliver every file below the working directory once, and none of its own."""
    session = repository.workspace.session("first")
    delivered = _paths(_work(session, repository.shuffled(4)))
    assert Counter(delivered) == {path: 1 for path in repository.texts if "/" in path}


def test_async_run_delivers_the_same(repository: Repository) -> None:
    """On an event loop the same order brings the same messages, byte for byte."""
    paths = repository.shuffled(5)
    plain = repository.workspace.session("plain")
    expected_prefix, expected = plain.prefix(), _work(plain, paths)

    async def run() -> None:
        session = repository.workspace.session("async")
        prefix = await session.aprefix()
        assert prefix == expected_prefix
        assert await _awork(session, paths) == expected
        assert session.stats.unavailable == 0

    asyncio.run(run())
