"""Every setting, its default and its bounds."""

from __future__ import annotations

import math
from typing import Any

import pytest

from guidefs import Config, ConfigurationError
from guidefs.config import Home


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known home and no `DSH_HOME`."""
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.delenv("DSH_HOME", raising=False)


def test_defaults() -> None:
    """Every setting but the budget has its documented default."""
    config = Config(max_bytes=1)
    assert config.max_source_bytes == 1024 * 1024
    assert config.max_batch_bytes == 8 * 1024 * 1024
    assert config.root_markers == (".git",)
    assert config.candidates == ("AGENTS.md", "CLAUDE.md")
    assert config.local_candidates == ("AGENTS.local.md", "CLAUDE.local.md")
    assert config.resolved_home == Home("/home/u/.dsh", "~/.dsh")


def test_budget_is_required() -> None:
    """There is no default budget."""
    with pytest.raises(ConfigurationError, match="max_bytes is missing"):
        Config.of({})
    with pytest.raises(TypeError):
        Config()  # type: ignore[call-arg] # what is tested


@pytest.mark.parametrize(
    ("max_bytes", "enabled"),
    [
        (1, True),
        (65_536, True),
        (0.5, True),
        (0, False),
        (-1, False),
        (math.inf, False),
        (-math.inf, False),
        (math.nan, False),
    ],
)
def test_budget_that_switches_off(max_bytes: float, *, enabled: bool) -> None:
    """Zero, negative, NaN and infinite budgets switch all loading off; they are no errors."""
    assert Config(max_bytes=max_bytes).enabled is enabled


@pytest.mark.parametrize("value", ["1", None, True, [1], b"1"])
def test_budget_has_to_be_a_number(value: Any) -> None:
    """A budget that is no number is an error that shows it."""
    with pytest.raises(ConfigurationError, match="max_bytes") as raised:
        Config(max_bytes=value)
    assert repr(value) in str(raised.value)


@pytest.mark.parametrize("name", ["max_source_bytes", "max_batch_bytes"])
@pytest.mark.parametrize("value", [0, -1, 1.0, "1", None, True, math.inf])
def test_caps_have_to_be_positive_integers(name: str, value: Any) -> None:
    """Caps that are no positive integers are errors that name setting and value."""
    with pytest.raises(ConfigurationError, match=name) as raised:
        Config.of({"max_bytes": 1, name: value})
    assert repr(value) in str(raised.value)


@pytest.mark.parametrize("name", ["candidates", "local_candidates"])
def test_candidates_that_are_no_file_names_are_ignored(name: str) -> None:
    """Entries that are empty, dots, or hold a slash or backslash are ignored; the others keep their order."""
    config = Config.of({"max_bytes": 1, name: ["", "B.md", ".", "..", "a/b", "a\\b", "..x", "A.md", " "]})
    assert getattr(config, name) == ("B.md", "..x", "A.md", " ")


@pytest.mark.parametrize("name", ["candidates", "local_candidates", "root_markers"])
def test_lists_of_names_may_be_empty(name: str) -> None:
    """An empty list switches off what it lists, and does not mean the default."""
    assert getattr(Config.of({"max_bytes": 1, name: []}), name) == ()


@pytest.mark.parametrize("name", ["candidates", "local_candidates", "root_markers"])
@pytest.mark.parametrize("value", ["AGENTS.md", 7, None, [1], [None], {"a"}])
def test_lists_of_names_have_to_be_lists_of_names(name: str, value: Any) -> None:
    """A single string, or a list of something else, is an error that names the setting."""
    with pytest.raises(ConfigurationError, match=name):
        Config.of({"max_bytes": 1, name: value})


def test_names_load_in_order() -> None:
    """Base candidates come before local ones, each name once."""
    config = Config(max_bytes=1, candidates=["B", "A"], local_candidates=["C", "A"])
    assert config.names_in_order == ("B", "A", "C")


@pytest.mark.parametrize("name", ["budget", "", "maxBytes", "resolved_home"])
def test_unknown_settings_are_named(name: str) -> None:
    """An unknown setting is an error that names it and lists the known ones."""
    with pytest.raises(ConfigurationError, match=rf"'{name}'.*max_source_bytes"):
        Config.of({"max_bytes": 1, name: 1})


@pytest.mark.parametrize(
    ("configured", "address", "label"),
    [
        (None, "/home/u/.dsh", "~/.dsh"),
        ("~/.dsh", "/home/u/.dsh", "~/.dsh"),
        ("~/.dsh/", "/home/u/.dsh", "~/.dsh"),
        ("~\\.dsh", "/home/u/.dsh", "~/.dsh"),
        ("/home/u/.dsh", "/home/u/.dsh", "~/.dsh"),
        ("~", "/home/u", "$DSH_HOME"),
        ("~/x", "/home/u/x", "$DSH_HOME"),
        ("~\\x", "/home/u/x", "$DSH_HOME"),
        ("/etc/dsh", "/etc/dsh", "$DSH_HOME"),
        ("~other", None, "$DSH_HOME"),
        ("s3://bucket/home", "s3://bucket/home", "$DSH_HOME"),
        ("s3://bucket/home/", "s3://bucket/home", "$DSH_HOME"),
        ("", "/home/u/.dsh", "~/.dsh"),
    ],
)
def test_home(configured: str | None, address: str | None, label: str) -> None:
    """The home is expanded, and shown by its default name only where it is the default one."""
    home = Config(max_bytes=1, home=configured).resolved_home
    assert home.label == label
    assert address is None or home.address == address


@pytest.mark.parametrize(
    ("value", "address"), [("/env", "/env"), ("~/env", "/home/u/env"), ("", "/home/u/.dsh"), (" \t", "/home/u/.dsh")]
)
def test_home_of_the_environment(monkeypatch: pytest.MonkeyPatch, value: str, address: str) -> None:
    """`DSH_HOME` names the home unless it is blank or the setting does."""
    monkeypatch.setenv("DSH_HOME", value)
    assert Config(max_bytes=1).resolved_home.address == address
    assert Config(max_bytes=1, home="/own").resolved_home.address == "/own"


def test_home_has_to_be_a_path() -> None:
    """A home that is no text is an error that shows it."""
    with pytest.raises(ConfigurationError, match=r"home.*7"):
        Config(max_bytes=1, home=7)  # type: ignore[arg-type] # what is tested


def test_home_urls_are_told_from_paths() -> None:
    """A URL names a filesystem; a path lies on this host's disk."""
    assert Config(max_bytes=1, home="memory://x").resolved_home.is_url
    assert not Config(max_bytes=1, home="/x").resolved_home.is_url


def test_config_is_immutable_and_keyword_only() -> None:
    """A configuration never changes after it was made, and is made by keywords."""
    config = Config(max_bytes=1)
    with pytest.raises(AttributeError):
        config.max_bytes = 2  # type: ignore[misc] # what is tested
    with pytest.raises(TypeError):
        Config(1)  # type: ignore[call-arg] # what is tested
