"""Scopes, changes and records: what metadata holds, read back from anything."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidefs.reconcile.effective import Loaded, Removed, folded
from guidefs.values.change import Change
from guidefs.values.context import SOURCE, Context, changes_in, encode, metadata
from guidefs.values.digest import digest, frame_fingerprint, trimmed_digest
from guidefs.values.record import decode
from guidefs.values.scope import Scope, directory_key, directory_path

parts = st.text(st.characters(blacklist_characters="\0", blacklist_categories=()), max_size=12)
scopes = st.builds(Scope, parts, parts)
digests = st.text("0123456789abcdef", min_size=40, max_size=40)
changes = st.one_of(
    st.builds(Change, st.sampled_from(["set", "replace"]), scopes, parts, st.one_of(st.none(), digests)),
    st.builds(Change, st.just("remove"), scopes, parts, st.none()),
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=10,
)

WHITE_SPACE = [
    *"\t\n\v\f\r ",
    "\u00a0",
    "\u1680",
    *(chr(code) for code in range(0x2000, 0x200B)),
    "\u2028",
    "\u2029",
    "\u202f",
    "\u205f",
    "\u3000",
    "\ufeff",
]


@given(scopes)
def test_scope_round_trips(scope: Scope) -> None:
    """A scope is read back from its serialised form, whatever its names hold."""
    assert Scope.parse(scope.serialised()) == scope


@pytest.mark.parametrize("serialised", ["", "p/AGENTS.md", "p\0AGENTS.md\0", "\0\0", "a\0b\0c"])
def test_scope_needs_exactly_one_nul(serialised: str) -> None:
    """What does not hold exactly one U+0000 is no scope."""
    assert Scope.parse(serialised) is None


@pytest.mark.parametrize(
    ("relative", "key"),
    [
        (".", "."),
        ("a/b", "a/b"),
        ("user-global", "./user-global"),
        ("a/user-global", "a/user-global"),
        ("user-global/a", "user-global/a"),
    ],
)
def test_directory_keys(relative: str, key: str) -> None:
    """A project directory named user-global is written apart, any other as it is, and each is found again."""
    assert directory_key(relative) == key
    assert directory_path(key) == relative


@pytest.mark.parametrize("key", ["user-global", "/etc", "..", "../x", "a/../../x"])
def test_keys_that_name_no_directory_of_the_project(key: str) -> None:
    """The user-global key, absolute paths and paths that climb out name no directory below the root."""
    assert directory_path(key) is None


@given(changes)
def test_change_round_trips(change: Change) -> None:
    """A change is read back from its metadata, through JSON as well."""
    assert Change.from_json(change.to_json()) == change
    text = json.dumps(change.to_json())
    assert Change.from_json(json.loads(text)) == change


def test_removal_has_no_digest() -> None:
    """The entry of a removal has no digest; that of a text has."""
    scope = Scope("p", "AGENTS.md")
    assert Change("remove", scope, "p/AGENTS.md", None).to_json() == {
        "action": "remove",
        "scope": "p\0AGENTS.md",
        "path": "p/AGENTS.md",
    }
    assert Change("set", scope, "p/AGENTS.md", "d").to_json()["digest"] == "d"


GOOD = {"action": "set", "scope": "p\0AGENTS.md", "path": "p/AGENTS.md", "digest": "d"}


@pytest.mark.parametrize(
    "entry",
    [
        None,
        7,
        "set",
        [GOOD],
        {},
        {**GOOD, "action": "add"},
        {**GOOD, "action": None},
        {**GOOD, "action": ["set"]},
        {**GOOD, "scope": 1},
        {**GOOD, "scope": "p"},
        {**GOOD, "scope": "p\0a\0b"},
        {**GOOD, "path": None},
        {**GOOD, "digest": 1},
        {**GOOD, "digest": None},
        {key: value for key, value in GOOD.items() if key != "path"},
    ],
)
def test_malformed_entries(entry: Any) -> None:
    """An entry that is not well-formed is none."""
    assert Change.from_json(entry) is None


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (GOOD, "d"),
        ({**GOOD, "more": [1, {}]}, "d"),
        ({key: value for key, value in GOOD.items() if key != "digest"}, None),
        ({**GOOD, "action": "remove"}, None),
    ],
)
def test_well_formed_entries(entry: dict[str, Any], expected: str | None) -> None:
    """Unknown keys are passed over, and a text without a digest counts with an unknown one."""
    change = Change.from_json(entry)
    assert change is not None
    assert change.digest == expected


@given(st.lists(changes, max_size=8), st.lists(json_values, max_size=4))
def test_malformed_entries_are_skipped_one_by_one(good: list[Change], bad: list[Any]) -> None:
    """The well-formed entries of a record are found among any others."""
    record = metadata(good)
    record["changes"] = [*bad, *record["changes"]]
    found = changes_in(SOURCE, record)
    assert found[len(found) - len(good) :] == tuple(good)


@given(json_values, json_values)
def test_anything_may_stand_in_a_log(source: Any, meta: Any) -> None:
    """Any source and any metadata are read without an error, and without a change where they are not ours."""
    assert changes_in(source, meta) == ()


@pytest.mark.parametrize(
    ("source", "meta"),
    [
        ({"kind": "user"}, {}),
        ({"kind": "plugin", "plugin": "other"}, {}),
        (None, {}),
        (SOURCE, {"kind": "other"}),
        (SOURCE, {"version": 2}),
        (SOURCE, {"version": "1"}),
        (SOURCE, {"version": True}),
        (SOURCE, {"version": None}),
        (SOURCE, {"changes": GOOD}),
        (SOURCE, {"changes": "set"}),
    ],
)
def test_records_of_others(source: Any, meta: dict[str, Any]) -> None:
    """Other sources, kinds and versions say nothing, whatever entries they hold."""
    record = {"kind": "workspace-instructions", "version": 1, "changes": [GOOD], **meta}
    assert changes_in(source, record) == ()


@given(st.lists(changes, max_size=10))
def test_fold_of_metadata_round_trips(told: list[Change]) -> None:
    """The state folded from changes is the state folded from their metadata after a journey through JSON."""
    record = json.loads(json.dumps(metadata(told)))
    assert folded(changes_in(json.loads(json.dumps(dict(SOURCE))), record)) == folded(told)


@given(st.lists(changes, max_size=10), st.integers(0, 10))
def test_fold_is_the_newest_in_the_first_place(told: list[Change], cut: int) -> None:
    """Each scope has its newest state, at the place where it first occurred; folding in two parts is the same."""
    state = folded(told)
    newest = {change.scope: change for change in told}
    assert list(state) == list(newest)
    for scope, change in newest.items():
        assert state[scope] == (Removed() if change.action == "remove" else Loaded(change.path, change.digest))
    assert list(folded(told[cut:], folded(told[:cut])).items()) == list(state.items())


@given(st.text(max_size=50))
def test_digest_is_sha1_of_utf8(text: str) -> None:
    """The digest is the SHA-1 of the text as UTF-8, in lower-case hexadecimal."""
    assert digest(text) == hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


@pytest.mark.parametrize("space", WHITE_SPACE, ids=lambda character: f"U+{ord(character):04X}")
def test_ecmascript_white_space_is_trimmed(space: str) -> None:
    """Each character of ECMAScript's set is trimmed on both sides, and nowhere else."""
    assert trimmed_digest(f"{space}a{space}b{space}") == digest(f"a{space}b")


@pytest.mark.parametrize("character", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u180e", "\u200b", "\u2060", "\0"])
def test_other_characters_are_not_trimmed(character: str) -> None:
    """What Python or others take for white space, and ECMAScript does not, stays."""
    assert trimmed_digest(f"{character}a") == digest(f"{character}a")


@given(st.text(max_size=10), st.lists(st.sampled_from(WHITE_SPACE), max_size=4).map("".join))
def test_trimming_is_stable(text: str, space: str) -> None:
    """White space around a text never changes its duplicate key."""
    assert trimmed_digest(space + text + space) == trimmed_digest(text)


@given(st.lists(st.tuples(st.text(max_size=30), st.lists(changes, min_size=1, max_size=3)), max_size=4))
def test_envelope_round_trips(messages: list[tuple[str, list[Change]]]) -> None:
    """What a host stores gives back each message's fingerprint and changes, alone or among its own keys."""
    contexts = [Context(text, text, metadata(told), tuple(told)) for text, told in messages]
    stored = json.loads(json.dumps(encode(contexts)))
    for envelope in (stored, {"other": 1, **stored}):
        found = decode(envelope)
        assert [record.frame for record in found] == [frame_fingerprint(text) for text, _ in messages]
        assert [record.changes for record in found] == [tuple(told) for _, told in messages]


@given(st.dictionaries(st.one_of(st.text(max_size=3), st.just("guidefs")), json_values, max_size=3))
def test_any_envelope_is_read(stored: dict[str, Any]) -> None:
    """Whatever a host stored is read without an error."""
    assert decode(stored) == ()


def test_nothing_to_store() -> None:
    """Where there is no message there is nothing to store."""
    assert encode([]) == {}
