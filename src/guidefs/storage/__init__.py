"""The seam to a backend: what people who write a provider implement, and what they may build it from."""

from guidefs.storage.batch import BatchBudget, bounded
from guidefs.storage.bridge import Bridge
from guidefs.storage.failures import describe, file_error, translated
from guidefs.storage.generic import AsyncGenericProvider, GenericProvider, generic_provider
from guidefs.storage.layer import ProviderLayer
from guidefs.storage.memory import MemoryProvider
from guidefs.storage.provider import (
    AsyncPrimitives,
    AsyncProvider,
    Chunk,
    CreateOnly,
    Guard,
    IfContent,
    IfVersion,
    Limits,
    Presence,
    Primitives,
    Provider,
    Stat,
    Written,
)
from guidefs.storage.registry import provider_for
from guidefs.storage.text import decode, fingerprint, read_bound
from guidefs.values.answer import (
    Absent,
    Answer,
    Exists,
    Marker,
    NotText,
    Question,
    Text,
    TooLarge,
    Unavailable,
    Unchanged,
    Version,
)

__all__ = [
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
