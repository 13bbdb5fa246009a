"""File tools for a model, with the means to observe those that someone already has."""

from guidefs.tools.decorator import observed_tool
from guidefs.tools.file_tools import FileTools
from guidefs.tools.host import Observing, ToolCall, ToolHost

__all__ = ["FileTools", "Observing", "ToolCall", "ToolHost", "observed_tool"]
