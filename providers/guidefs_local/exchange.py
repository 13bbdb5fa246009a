"""The atomic exchange of two names, where the kernel offers it."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from typing import Any

__all__ = ["exchange", "exchange_is_known"]

_AT_FDCWD = -100  # Linux, fcntl.h
_RENAME_EXCHANGE = 2  # Linux, linux/fs.h; see rename(2)

_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP})


def exchange(first: str, second: str) -> bool:
    """Let two names trade their files in one step, so that at no moment either is missing.

    Returns:
        Whether it happened. `False` says that the kernel, the C library or the filesystem cannot do it.

    Raises:
        OSError: it failed; neither name changed.
    """
    function = _renameat2()
    if function is None:
        return False
    if function(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), first, None, second)


def exchange_is_known() -> bool:
    """Whether the C library has the call; the kernel or a filesystem may still refuse it."""
    return _renameat2() is not None


@cache
def _renameat2() -> Any:
    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):  # other systems, older C libraries, Windows
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    function.restype = ctypes.c_int
    return function
