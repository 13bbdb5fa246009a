"""Every exception that guidefs raises on purpose.

GuideError
├── ConfigurationError        (ValueError)
│   └── UnknownOptionError        (TypeError)
├── UsageError                (RuntimeError)
├── ArgumentError             (ValueError)           invalid_argument
├── ProviderNotFoundError     (LookupError)
├── MissingExtraError         (ImportError)
├── LogError                  (OSError)
├── WatchError                (OSError)
└── FileError                 (OSError)
    ├── NotFoundError             (FileNotFoundError)    not_found
    ├── NotADirectoryFileError    (NotADirectoryError)   not_a_directory
    ├── NotRegularFileError       (IsADirectoryError)    not_regular_file
    ├── NotTextError              (ValueError)           not_text
    ├── AccessDeniedError         (PermissionError)      permission_denied
    ├── SandboxDeniedError        (PermissionError)      sandbox_denied
    ├── FileInputOutputError                             io_error
    ├── FileTooLargeError                                too_large
    ├── AlreadyExistsError        (FileExistsError)      already_exists
    ├── StaleVersionError                                stale_version
    ├── GuardUnsupportedError                            guard_unsupported
    ├── NotObservedError                                 not_observed
    ├── EditNotFoundError         (ValueError)           edit_not_found
    ├── AmbiguousEditError        (ValueError)           ambiguous_edit
    └── AbortedError              (InterruptedError)     aborted
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "AbortedError",
    "AccessDeniedError",
    "AlreadyExistsError",
    "AmbiguousEditError",
    "ArgumentError",
    "ConfigurationError",
    "EditNotFoundError",
    "FileError",
    "FileInputOutputError",
    "FileTooLargeError",
    "GuardUnsupportedError",
    "GuideError",
    "LogError",
    "MissingExtraError",
    "NotADirectoryFileError",
    "NotFoundError",
    "NotObservedError",
    "NotRegularFileError",
    "NotTextError",
    "ProviderNotFoundError",
    "SandboxDeniedError",
    "StaleVersionError",
    "UnknownOptionError",
    "UsageError",
    "WatchError",
]


class GuideError(Exception):
    """The base of every exception that guidefs raises on purpose.

    Attributes:
        code: a stable, machine-readable name of the kind of error. It never changes between releases.
    """

    code: ClassVar[str] = "error"


class ConfigurationError(GuideError, ValueError):
    """A setting has a value that cannot be used; the message names the setting and the value."""

    code = "configuration"


class UnknownOptionError(ConfigurationError, TypeError):
    """A keyword argument that does not exist; the message names it."""

    code = "unknown_option"


class UsageError(GuideError, RuntimeError):
    """The library was called in a way that can never work, such as a plain `with` over an async filesystem."""

    code = "usage"


class ArgumentError(GuideError, ValueError):
    """A file tool got an argument that cannot be used; the message names the argument and the values that can."""

    code = "invalid_argument"


class ProviderNotFoundError(GuideError, LookupError):
    """No provider answers to a name or protocol; the message lists the installed ones."""

    code = "provider_not_found"


class MissingExtraError(GuideError, ImportError):
    """An optional dependency is not installed; the message holds the `pip install` line that adds it."""

    code = "missing_extra"


class LogError(GuideError, OSError):
    """A saved log or ledger cannot be opened, read or written; what it held before is as it was."""

    code = "log"


class WatchError(GuideError, OSError):
    """Changes cannot be followed; touches find them as ever."""

    code = "watch"


class FileError(GuideError, OSError):
    """Something about one file; `path` names it and `code` says what.

    Args:
        message: what happened and what to do; it becomes the text of the exception as it stands.
        path: the file, as the caller named it.
    """

    code = "io_error"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.filename = path

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_file_error, (type(self), self.message, self.path))


def _rebuild_file_error(kind: type[FileError], message: str, path: str) -> FileError:
    return kind(message, path=path)


class NotFoundError(FileError, FileNotFoundError):
    """The file does not exist."""

    code = "not_found"


class NotADirectoryFileError(FileError, NotADirectoryError):
    """A path that has to be a directory is a file, or leads through one."""

    code = "not_a_directory"


class NotRegularFileError(FileError, IsADirectoryError):
    """The path is a directory, a device, a socket or a pipe where a regular file is needed."""

    code = "not_regular_file"


class NotTextError(FileError, ValueError):
    """The file is not UTF-8 text."""

    code = "not_text"


class AccessDeniedError(FileError, PermissionError):
    """The backend refused the access."""

    code = "permission_denied"


class SandboxDeniedError(FileError, PermissionError):
    """The path leads out of the directory tree that the filesystem is confined to."""

    code = "sandbox_denied"


class FileInputOutputError(FileError):
    """The backend failed for a reason that is none of the others; the cause is chained."""

    code = "io_error"


class FileTooLargeError(FileError):
    """The file is larger than the operation can hold."""

    code = "too_large"


class AlreadyExistsError(FileError, FileExistsError):
    """A file that was to be created exists."""

    code = "already_exists"


class StaleVersionError(FileError):
    """The file changed since the version that a guarded write was based on; nothing was written."""

    code = "stale_version"


class GuardUnsupportedError(FileError):
    """The backend cannot enforce the guard of a guarded write, so nothing was written."""

    code = "guard_unsupported"


class NotObservedError(FileError):
    """An edit of a file that this session has not read."""

    code = "not_observed"


class EditNotFoundError(FileError, ValueError):
    """The text to replace does not occur in the file."""

    code = "edit_not_found"


class AmbiguousEditError(FileError, ValueError):
    """The text to replace occurs more than once and `replace_all` was not asked for."""

    code = "ambiguous_edit"


class AbortedError(FileError, InterruptedError):
    """The operation was cancelled before it changed anything."""

    code = "aborted"
