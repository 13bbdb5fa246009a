"""The public doors of the seam and of its tests."""

from __future__ import annotations

from types import ModuleType

import pytest

import guidefs.storage
import guidefs.testing

STORAGE = [
    "Absent",
    "Answer",
    "AsyncGenericProvider",
    "AsyncPrimitives",
    "AsyncProvider",
    "BatchBudget",
    "Bridge",
    "Chunk",
    "CreateOnly",
    "Exists",
    "GenericProvider",
    "Guard",
    "IfContent",
    "IfVersion",
    "Limits",
    "Marker",
    "MemoryProvider",
    "NotText",
    "Presence",
    "Primitives",
    "Provider",
    "ProviderLayer",
    "Question",
    "Stat",
    "Text",
    "TooLarge",
    "Unavailable",
    "Unchanged",
    "Version",
    "Written",
    "bounded",
    "decode",
    "describe",
    "file_error",
    "fingerprint",
    "generic_provider",
    "provider_for",
    "read_bound",
    "translated",
]
TESTING = ["Counts", "FakeProvider", "FaultPoint", "FaultyProvider", "ProviderTests", "ScriptedChanges"]


@pytest.mark.parametrize(
    ("door", "names"), [(guidefs.storage, STORAGE), (guidefs.testing, TESTING)], ids=["storage", "testing"]
)
def test_the_door_is_what_was_agreed(door: ModuleType, names: list[str]) -> None:
    """Exactly these names are public, sorted, and there."""
    assert door.__all__ == names == sorted(names)
    assert all(hasattr(door, name) for name in names)
