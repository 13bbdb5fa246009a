"""What people who write a provider test it with: the conformance class, a fake and injected faults."""

from guidefs.testing.changes import ScriptedChanges
from guidefs.testing.conformance import ProviderTests
from guidefs.testing.fakes import Counts, FakeProvider
from guidefs.testing.faults import FaultPoint, FaultyProvider

__all__ = ["Counts", "FakeProvider", "FaultPoint", "FaultyProvider", "ProviderTests", "ScriptedChanges"]
