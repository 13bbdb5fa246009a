"""Lexical algebra on paths."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidefs.values.path import ancestors, descend, displayed, is_within, join, normalise, parent, relative

components = st.text(st.characters(blacklist_characters="/", blacklist_categories=()), min_size=1, max_size=5)
names = components.filter(lambda name: name not in {".", ".."})
raw = st.lists(st.one_of(components, st.sampled_from(["", ".", "..", "..x", "..."])), max_size=8).map("/".join)
rooted = st.lists(names, max_size=5).map(lambda parts: "/" + "/".join(parts))
unrooted = st.lists(names, min_size=1, max_size=5).map("/".join)
normal = st.one_of(rooted, unrooted)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ""),
        ("/", "/"),
        ("a//b/./c/", "a/b/c"),
        ("/a/../b", "/b"),
        ("/../../a", "/a"),
        ("a/../../b", "b"),
        ("..x/...", "..x/..."),
        ("//a", "/a"),
        (" a / b ", " a / b "),
    ],
)
def test_normalise(path: str, expected: str) -> None:
    """Empty and dot components vanish, double dots take one back, and other names stay as they are."""
    assert normalise(path) == expected


@given(raw)
def test_normalise_is_idempotent(path: str) -> None:
    """A normalised path stays as it is, rooted or not as it was."""
    once = normalise(path)
    assert normalise(once) == once
    assert once.startswith("/") == path.startswith("/")


@given(raw)
def test_normalise_agrees_with_the_standard_library(path: str) -> None:
    """For rooted paths it is what POSIX tools take the path for."""
    assert normalise(f"/{path}") == "/" + posixpath.normpath(f"/{path}").lstrip("/")


@given(normal, raw)
def test_join_never_leaves_its_form(base: str, path: str) -> None:
    """A path below a directory keeps the directory's form and is normalised."""
    joined = join(base, path)
    assert normalise(joined) == joined
    assert joined.startswith("/") == base.startswith("/")


@given(normal, st.lists(names, min_size=1, max_size=4).map("/".join))
def test_relative_is_the_inverse_of_join(base: str, path: str) -> None:
    """What was joined below a directory is found again relative to it."""
    assert relative(join(base, path), base) == path
    assert is_within(join(base, path), base)


@given(normal)
def test_path_is_within_itself(path: str) -> None:
    """A directory lies within itself, as the dot."""
    assert relative(path, path) == "."


@pytest.mark.parametrize(
    ("path", "base", "expected"),
    [
        ("/ab/c", "/a", None),
        ("/a", "/a/b", None),
        ("/a/b", "/", "a/b"),
        ("bucket/repo/x", "bucket/repo", "x"),
        ("bucket/repo2", "bucket/repo", None),
        ("/a/..x", "/a", "..x"),
        ("/A/b", "/a", None),
        ("bucket", "", "bucket"),
    ],
)
def test_relative_compares_components(path: str, base: str, expected: str | None) -> None:
    """Paths are compared component by component, never by their first characters."""
    assert relative(path, base) == expected


@given(normal)
def test_ancestors_lead_to_the_top(path: str) -> None:
    """Every ancestor is the parent of the one before, and the top has none."""
    chain = ancestors(path)
    assert chain[0] == path
    assert [parent(step) for step in chain] == [*chain[1:], None]
    assert all(is_within(path, step) for step in chain)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/b", ["/a/b", "/a", "/"]),
        ("/", ["/"]),
        ("bucket/repo/x", ["bucket/repo/x", "bucket/repo", "bucket"]),
        ("bucket", ["bucket"]),
    ],
)
def test_ancestors_end_at_the_root_or_the_bucket(path: str, expected: list[str]) -> None:
    """On a rooted filesystem the chain ends at the root, on an object store at the bucket."""
    assert ancestors(path) == expected


@pytest.mark.parametrize(
    ("base", "path", "expected"),
    [
        ("/w", "/w/a/b/c.py", ["/w/a", "/w/a/b"]),
        ("/w", "/w/c.py", []),
        ("/w", "/w", []),
        ("/w", "/other/a/c.py", []),
        ("/w", "/wa/b/c", []),
        ("/", "/a/b", ["/a"]),
        ("b/w", "b/w/..x/y/z", ["b/w/..x", "b/w/..x/y"]),
        ("", "b/w/x", ["b", "b/w"]),
        ("/w", "/w/a/../b/c", ["/w/a", "/w", "/w/b"]),
    ],
)
def test_descend(base: str, path: str, expected: list[str]) -> None:
    """The way down holds the directories strictly below, to the parent of what was touched; outside there is none."""
    assert descend(base, path) == expected


@given(normal, st.lists(names, min_size=1, max_size=5))
def test_descend_goes_one_step_at_a_time(base: str, parts: list[str]) -> None:
    """Each directory on the way down is the parent of the next one."""
    target = join(base, "/".join(parts))
    way = descend(base, target)
    assert len(way) == len(parts) - 1
    assert [parent(step) for step in [*way, target]] == [base, *way]


@pytest.mark.parametrize("code", [*range(0x20), 0x7F, 0x85, 0x2028, 0x2029])
def test_control_characters_are_displayed_escaped(code: int) -> None:
    """C0 controls, DEL, U+0085, U+2028 and U+2029 are shown as four lower-case hex digits."""
    assert displayed(f"a{chr(code)}b") == f"a\\u{code:04x}b"


@pytest.mark.parametrize(
    "character",
    [" ", "~", "\u00a0", "\u0084", "\u0086", "\u2027", "\u202a", "\u202e", "\u200b", "\ufeff", "é", "😀", "\\", "`"],
)
def test_other_characters_are_displayed_as_they_are(character: str) -> None:
    """Every other character is shown as it is."""
    assert displayed(f"a{character}b") == f"a{character}b"


@given(st.text(st.characters(blacklist_categories=())))
def test_displayed_names_are_one_line_of_utf8(name: str) -> None:
    """A displayed name can be encoded, has no line break of any kind, and is the same when displayed again."""
    shown = displayed(name)
    assert len(shown.encode().decode().splitlines()) <= 1
    assert displayed(shown) == shown
