"""The fsspec filesystem that wraps another one, unnoticed but for its touches."""

from guidefs.filesystem.bare import BareRequest, RecorderFactory, register_recorder_factory
from guidefs.filesystem.recorder import Recorder, TouchSink
from guidefs.filesystem.wrapper import GuideFileSystem

__all__ = [
    "BareRequest",
    "GuideFileSystem",
    "Recorder",
    "RecorderFactory",
    "TouchSink",
    "register_recorder_factory",
]
