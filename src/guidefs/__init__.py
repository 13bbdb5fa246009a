"""Instruction files for AI agents, delivered with the file access that makes them relevant.

Wrap the filesystem behind an agent's file tools; each call's result then carries the instruction files that the call
made relevant: new ones once, changed ones again, removed ones as removed.
"""

from guidefs.config import Config
from guidefs.driver.call import ROOT, Call
from guidefs.errors import ConfigurationError, FileError, GuideError, LogError, MissingExtraError, UsageError
from guidefs.filesystem import GuideFileSystem
from guidefs.log.jsonl_ledger import JsonlLedger
from guidefs.log.jsonl_log import JsonlSessionLog
from guidefs.log.ledger import Ledger, MemoryLedger
from guidefs.log.message import Message
from guidefs.log.session_log import SessionLog
from guidefs.log.sqlite_ledger import SqliteLedger
from guidefs.log.surface import Seen
from guidefs.render.frame import frames, strip
from guidefs.values.context import Context, encode
from guidefs.values.record import decode
from guidefs.workspace.session import Session
from guidefs.workspace.urls import recorder_for_url as _recorder_for_url  # noqa: F401 - it answers for guide:: URLs
from guidefs.workspace.workspace import Workspace

__all__ = [
    "ROOT",
    "Call",
    "Config",
    "ConfigurationError",
    "Context",
    "FileError",
    "GuideError",
    "GuideFileSystem",
    "JsonlLedger",
    "JsonlSessionLog",
    "Ledger",
    "LogError",
    "MemoryLedger",
    "Message",
    "MissingExtraError",
    "Seen",
    "Session",
    "SessionLog",
    "SqliteLedger",
    "UsageError",
    "Workspace",
    "decode",
    "encode",
    "frames",
    "strip",
]
