"""Providers are found by protocol, through transparent wrappers, and imported only when they are chosen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper
from fsspec.implementations.cached import SimpleCacheFileSystem
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.spec import AbstractFileSystem

from guidefs.errors import ConfigurationError, MissingExtraError, NotFoundError, SandboxDeniedError
from guidefs.storage import (
    AsyncGenericProvider,
    Bridge,
    GenericProvider,
    Limits,
    Marker,
    MemoryProvider,
    Question,
    Text,
    Unavailable,
    provider_for,
)
from guidefs.storage.directory import DirectoryProvider
from guidefs_local import LocalProvider

Install = Callable[..., str]


class Wrapper(AbstractFileSystem):  # type: ignore[misc] # fsspec has no types
    """A wrapper that shows just what its inner filesystem has."""

    guidefs_transparent = True
    cachable = False
    protocol: ClassVar[Any] = "wrapper"

    def __init__(self, fs: Any) -> None:
        super().__init__()
        self.fs = fs


class Opaque(Wrapper):
    """A wrapper that does not say so."""

    guidefs_transparent = False


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a distribution with a provider module for the `foreign` protocol."""

    def installed(source: str, *, name: str = "someone-else", module: str = "their_provider", extra: str = "") -> str:
        site = tmp_path / name
        info = site / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{module}.py").write_text(source)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[guidefs.providers]\nforeign = {module}:Theirs {extra}\n")
        monkeypatch.syspath_prepend(str(site))
        monkeypatch.delitem(sys.modules, module, raising=False)
        return module

    return installed


THEIRS = """
class Theirs:
    SETTINGS = frozenset({"colour", "depth"})
    def __init__(self, filesystem, *, colour=None, depth=None):
        self.filesystem, self.colour = filesystem, colour
    def fetch(self, questions, limits):
        return []
"""


def test_the_installed_ones_are_found_by_protocol(foreign: Any) -> None:
    """Local and memory filesystems have providers of their own; any other has the generic one."""
    assert isinstance(provider_for(fsspec.filesystem("file"), {}), LocalProvider)
    assert isinstance(provider_for(fsspec.filesystem("memory"), {}), MemoryProvider)
    assert isinstance(provider_for(foreign, {}), GenericProvider)


def test_an_async_filesystem_gets_the_async_generic_one(make_async: Any) -> None:
    """Which half the generic provider has depends on the filesystem."""
    assert isinstance(provider_for(make_async(), {}), AsyncGenericProvider)


def test_a_third_party_is_found(install: Install, foreign: Any) -> None:
    """An entry point of anybody's distribution answers for its protocol, with its settings."""
    install(THEIRS)
    provider: Any = provider_for(foreign, {"colour": "blue"})
    assert type(provider).__name__ == "Theirs"
    assert (provider.filesystem, provider.colour) == (foreign, "blue")


def test_nothing_else_is_imported(install: Install) -> None:
    """A provider that is not chosen is not imported."""
    module = install("raise RuntimeError('imported')")
    provider_for(fsspec.filesystem("memory"), {})
    assert module not in sys.modules


def test_a_third_party_goes_before_ours(install: Install, foreign: Any) -> None:
    """Where two distributions answer for one protocol, the one that somebody added is used."""
    install(THEIRS, name="guidefs", module="ours")
    install(THEIRS + "    OTHER = True\n")
    assert hasattr(provider_for(foreign, {}), "OTHER")


@pytest.mark.parametrize(
    ("options", "requirement"),
    [
        ({"name": "guidefs", "module": "guidefs_far"}, "'guidefs[far]'"),
        ({"name": "guidefs", "module": "guidefs_far", "extra": "[rush]"}, "'guidefs[rush]'"),
        ({"name": "someone-else"}, "'someone-else'"),
        ({"name": "someone-else", "extra": "[cloud]"}, "'someone-else[cloud]'"),
    ],
)
def test_a_missing_package_is_named(install: Install, foreign: Any, options: dict[str, str], requirement: str) -> None:
    """A provider that cannot be imported says what to install, and what was missing."""
    install("import a_package_that_is_not_there", **options)
    with pytest.raises(MissingExtraError) as caught:
        provider_for(foreign, {})
    assert f"pip install {requirement}" in str(caught.value)
    assert "a_package_that_is_not_there" in str(caught.value)
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_an_unknown_setting_is_named(install: Install, foreign: Any) -> None:
    """The message has the setting and those that there are."""
    install(THEIRS)
    with pytest.raises(ConfigurationError, match=r"'size' for Theirs.*its settings: colour, depth"):
        provider_for(foreign, {"size": 1})


def test_a_provider_without_declared_settings_takes_none(install: Install, foreign: Any) -> None:
    """A class that declares nothing is made without settings."""
    install(THEIRS.replace("SETTINGS", "OTHER"))
    assert provider_for(foreign, {}) is not None
    with pytest.raises(ConfigurationError, match="its settings: none"):
        provider_for(foreign, {"colour": "blue"})


def test_settings_reach_the_local_provider(tmp_path: Path) -> None:
    """What the local provider declares is passed on and checked there."""
    fs = fsspec.filesystem("file")
    provider_for(fs, {"symlinks": "contained", "root": str(tmp_path)})
    with pytest.raises(ConfigurationError, match="symlinks"):
        provider_for(fs, {"symlinks": "sometimes"})
    with pytest.raises(ConfigurationError, match="max_age_seconds"):
        provider_for(fs, {"max_age_seconds": 1})


def test_wrappers_are_looked_through(tmp_path: Path) -> None:
    """Directories, async wrappers and what calls itself transparent lead to the provider of what they wrap."""
    local = fsspec.filesystem("file")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "AGENTS.md").write_text("text")
    fs = DirFileSystem("sub", Wrapper(DirFileSystem(str(tmp_path), AsyncFileSystemWrapper(local, asynchronous=False))))
    provider = provider_for(fs, {})
    assert isinstance(provider, DirectoryProvider)
    assert isinstance(provider.inner, LocalProvider)
    [answer, root, itself] = Bridge(provider, fs).fetch(
        [Question("AGENTS.md"), Marker("/AGENTS.md"), Marker("")], Limits()
    )
    assert isinstance(answer, Text)
    assert root == itself


def test_an_opaque_wrapper_is_itself() -> None:
    """A wrapper that does not call itself transparent is a filesystem of its own."""
    assert isinstance(provider_for(Opaque(fsspec.filesystem("memory")), {}), GenericProvider)


def test_a_caching_wrapper_is_not_looked_through(clean_memory: Any, tmp_path: Path) -> None:
    """What a caching filesystem shows is what counts, so that guidance and tools see the same."""
    clean_memory.pipe_file("/AGENTS.md", b"old")
    caching = SimpleCacheFileSystem(fs=clean_memory, cache_storage=str(tmp_path))
    provider = provider_for(caching, {})
    assert isinstance(provider, GenericProvider)
    bridge = Bridge(provider, caching)
    assert bridge.fetch([Question("/AGENTS.md")], Limits()) == [Text(None, "old")]
    clean_memory.pipe_file("/AGENTS.md", b"new")
    assert bridge.fetch([Question("/AGENTS.md")], Limits()) == [Text(None, caching.cat_file("/AGENTS.md").decode())]


def test_a_path_out_of_the_directory_is_refused(tmp_path: Path) -> None:
    """A path that climbs out of a shown directory is unavailable in a batch and denied to a tool."""
    (tmp_path / "shown").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "shown" / "file").write_text("text")
    fs = DirFileSystem(str(tmp_path / "shown"), fsspec.filesystem("file"))
    bridge = Bridge(provider_for(fs, {}), fs)
    [out, inside] = bridge.fetch([Question("../secret"), Question("file")], Limits())
    assert isinstance(out, Unavailable)
    assert isinstance(inside, Text)
    assert isinstance(bridge.stat("../secret"), Unavailable)
    with pytest.raises(SandboxDeniedError, match="secret"):
        bridge.read("a/../../secret", offset=0, max_bytes=1)


def test_a_directory_is_checked_where_it_lies(tmp_path: Path) -> None:
    """The check of a workspace directory goes through a shown directory, and not out of it."""
    (tmp_path / "work").mkdir()
    provider: Any = provider_for(DirFileSystem(str(tmp_path), fsspec.filesystem("file")), {})
    provider.check_directory("work")
    with pytest.raises(NotFoundError):
        provider.check_directory("missing")
    with pytest.raises(SandboxDeniedError):
        provider.check_directory("..")


def test_the_whole_disk_as_a_directory(tmp_path: Path) -> None:
    """A directory filesystem over the root adds nothing to a path."""
    (tmp_path / "file").write_text("text")
    fs = DirFileSystem("/", fsspec.filesystem("file"))
    bridge = Bridge(provider_for(fs, {}), fs)
    [file, root] = bridge.fetch([Question(str(tmp_path / "file").lstrip("/")), Marker("")], Limits())
    assert isinstance(file, Text)
    assert not isinstance(root, Unavailable)
