"""What counts as the same state of a file."""

from __future__ import annotations

import pytest

from guidefs.storage.provider import Guard, IfContent, IfVersion
from guidefs.tools.observation import Identity, Observations
from guidefs.values.answer import Version

V1, V2 = Version("1"), Version("2")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(Identity(V1, "c"), Identity(V1, "c"), True, id="all equal"),
        pytest.param(Identity(V1, "c"), Identity(V2, "c"), True, id="content decides over another version"),
        pytest.param(Identity(V1, "c"), Identity(V1, "d"), False, id="content decides over an equal version"),
        pytest.param(Identity(V1, None), Identity(V1, "d"), True, id="version where content is not known"),
        pytest.param(Identity(V1, None), Identity(V2, "d"), False, id="another version"),
        pytest.param(Identity(None, "c"), Identity(None, "c"), True, id="content only"),
        pytest.param(Identity(None, "c"), Identity(None, "d"), False, id="another content"),
        pytest.param(Identity(V1, None), Identity(None, "c"), False, id="nothing to compare"),
        pytest.param(Identity(None, None), Identity(None, None), False, id="nothing known"),
    ],
)
def test_same(one: Identity, other: Identity, *, same: bool) -> None:
    """Content decides where both sides know it, then the version; what cannot be compared is not the same."""
    assert one.same(other) is other.same(one) is same


@pytest.mark.parametrize(
    ("identity", "guard"),
    [
        (Identity(V1, "c"), IfVersion(V1)),
        (Identity(V1, None), IfVersion(V1)),
        (Identity(None, "c"), IfContent("c")),
        (Identity(None, None), None),
    ],
)
def test_guard(identity: Identity, guard: Guard | None) -> None:
    """A write is guarded by version where there is one, else by content."""
    assert identity.guard() == guard


def test_newest_observation_counts() -> None:
    """Each file has the identity that was observed last, others have none."""
    observations = Observations()
    observations.remember("/a", Identity(V1, None))
    observations.remember("/a", Identity(V2, None))
    assert observations.of("/a") == Identity(V2, None)
    assert observations.of("/b") is None
