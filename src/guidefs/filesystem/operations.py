"""The table of every filesystem method: what it touches, where its paths are found.

A test compares the table with the methods of the installed fsspec, so that a method that a newer fsspec adds is
classified before it can slip by.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["BACKEND_OPERATIONS", "OPERATIONS", "OWN", "FileOperation", "Found"]


class Found(Enum):
    """Where the touched paths of a call are found."""

    ARGUMENTS = "in the arguments: one path, a list of paths, or the keys of a mapping; as given, never expanded"
    ANSWER_KEYS = "in the keys of the answer whose values are no exceptions, or in the argument if it is no mapping"
    ANSWER_ITEMS = "in the argument list, where the answer at the same place is no exception"
    TRANSFER = "in the arguments, unless the local end is a directory, of which no content is copied"
    TRANSFERS = "in the transfers that the progress callback saw succeed, directories left out"
    COPY = (
        "in the arguments, as given; a destination that must be a directory (it ends with a slash, or the source is a "
        "list or a pattern) holds the copies under their own names"
    )
    MODE = "in the first argument; reading when the file is opened, writing when it is closed well"


@dataclass(frozen=True, slots=True)
class FileOperation:
    """One row: a method with its synchronous and its asynchronous half.

    Args:
        method: the name of the synchronous half; the asynchronous one has an underscore in front.
        reads: the argument that names what is read, empty for none.
        writes: the argument that names what gets a whole new content.
        edits: the argument that names what is changed or removed.
        local: the argument that names the local end of a transfer.
        found: where the paths are found.
        bridge: the synchronous method that stands in for the asynchronous half, where the names differ.
    """

    method: str
    reads: str = ""
    writes: str = ""
    edits: str = ""
    local: str = ""
    found: Found = Found.ARGUMENTS
    bridge: str = ""

    @property
    def observed(self) -> bool:
        """Whether the method touches anything."""
        return bool(self.reads or self.writes or self.edits) or self.found is Found.MODE


_READS = (
    FileOperation("cat_file", reads="path"),
    FileOperation("read_bytes", reads="path"),
    FileOperation("read_text", reads="path"),
    FileOperation("head", reads="path"),
    FileOperation("tail", reads="path"),
    FileOperation("read_block", reads="fn"),
    FileOperation("cat", reads="path", found=Found.ANSWER_KEYS),
    FileOperation("cat_ranges", reads="paths", found=Found.ANSWER_ITEMS),
    FileOperation("get_file", reads="rpath", local="lpath", found=Found.TRANSFER),
    FileOperation("get", reads="rpath", local="lpath", found=Found.TRANSFERS),
    FileOperation("download", reads="rpath", local="lpath", found=Found.TRANSFERS),
)

_WRITES = (
    FileOperation("pipe_file", writes="path"),
    FileOperation("write_bytes", writes="path"),
    FileOperation("write_text", writes="path"),
    FileOperation("touch", writes="path"),
    FileOperation("pipe", writes="path"),
    FileOperation("put_file", writes="rpath", local="lpath", found=Found.TRANSFER),
    FileOperation("put", writes="rpath", local="lpath", found=Found.TRANSFERS),
    FileOperation("upload", writes="rpath", local="lpath", found=Found.TRANSFERS),
)

_COPIES = (
    FileOperation("cp_file", reads="path1", writes="path2", found=Found.COPY),
    FileOperation("copy", reads="path1", writes="path2", found=Found.COPY),
    FileOperation("cp", reads="path1", writes="path2", found=Found.COPY),
)

_EDITS = (
    FileOperation("mv", edits="path1", writes="path2", found=Found.COPY),
    FileOperation("move", edits="path1", writes="path2", found=Found.COPY),
    FileOperation("rename", edits="path1", writes="path2", found=Found.COPY),
    FileOperation("mv_file", edits="path1", writes="path2", found=Found.COPY, bridge="mv"),
    FileOperation("rm_file", edits="path"),
    FileOperation("rm", edits="path"),
    FileOperation("delete", edits="path"),
)

_FILES = (
    FileOperation("open", found=Found.MODE),
    FileOperation("_open", found=Found.MODE),
    FileOperation("open_async", found=Found.MODE),
)

_UNOBSERVED = (
    *(FileOperation(name) for name in ("ls", "listdir", "walk", "find", "glob", "expand_path", "tree")),
    *(FileOperation(name) for name in ("info", "stat", "size", "sizes", "du", "disk_usage")),
    *(FileOperation(name) for name in ("exists", "lexists", "isfile", "isdir")),
    *(FileOperation(name) for name in ("checksum", "ukey", "created", "modified", "sign")),
    *(FileOperation(name) for name in ("mkdir", "makedir", "makedirs", "mkdirs", "rmdir")),
    *(FileOperation(name) for name in ("invalidate_cache", "unstrip_protocol")),
    *(FileOperation(name) for name in ("start_transaction", "end_transaction")),
    *(FileOperation(name) for name in ("_isfilestore", "_ls_from_cache")),
)

OPERATIONS: tuple[FileOperation, ...] = _READS + _WRITES + _COPIES + _EDITS + _FILES + _UNOBSERVED
"""Every method that is handed to the inner filesystem."""

BACKEND_OPERATIONS: tuple[FileOperation, ...] = (
    FileOperation("symlink", writes="dst"),
    FileOperation("link", writes="dst"),
    FileOperation("merge", writes="path"),
)
"""Methods outside fsspec's own interface that some backends add. Others of theirs pass through unobserved."""

OWN: dict[str, str] = {
    "async_impl": "true where the inner filesystem has coroutines, or an asynchronous wrapper was asked for",
    "blocksize": "copied from the inner filesystem",
    "cachable": "false: instances hold a session, so equal arguments must not give one instance",
    "current": "about instances of the class",
    "clear_instance_cache": "about instances of the class",
    "disable_throttling": "copied from the inner filesystem",
    "from_dict": "makes instances of any class",
    "from_json": "makes instances of any class",
    "fsid": "answered by the inner filesystem",
    "get_mapper": "the mapping works on the wrapper, so that its items are observed",
    "loop": "the event loop of the inner filesystem",
    "mirror_sync_methods": "false: both halves are written out",
    "protocol": "copied from the inner filesystem; `guide` on the class, for the registry",
    "root_marker": "copied from the inner filesystem",
    "sep": "copied from the inner filesystem",
    "to_dict": "describes the wrapper",
    "to_json": "describes the wrapper",
    "transaction": "the transaction of the inner filesystem",
    "transaction_type": "answered by the inner filesystem",
    "_cache": "about instances of the class",
    "_cached": "about instances of the class",
    "_extra_tokenize_attributes": "about instances of the class",
    "_fs_token": "made of the inner filesystem's and the session's",
    "_get_kwargs_from_urls": "the URL of a wrapper holds no options",
    "_get_pyarrow_filesystem": "the wrapper itself",
    "_instantiation_lock": "about instances of the class",
    "_latest": "about instances of the class",
    "_parent": "copied from the inner filesystem",
    "_pid": "about instances of the class",
    "_process_limits": "asks for the size through the wrapper",
    "_strip_protocol": "copied from the inner filesystem",
    "_strip_tokenize_options": "about instances of the class",
}
"""Every name that the wrapper answers itself, with the reason."""
