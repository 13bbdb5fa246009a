"""A progress callback that sees which transfers of a bulk copy succeed."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from fsspec.callbacks import Callback

__all__ = ["TransferLog"]


class TransferLog(Callback):  # type: ignore[misc]  # fsspec ships no types
    """Stands in front of the caller's callback; everything else is handed to that one.

    Args:
        callback: the caller's callback, `None` for none.

    Attributes:
        pairs: source and destination of every transfer that ended without an exception.
        used: whether the backend reported its progress at all.
    """

    def __init__(self, callback: Callback | None) -> None:
        self._callback = Callback.as_callback(callback)
        self.pairs: list[tuple[Any, Any]] = []
        self.used = False

    @contextmanager
    def branched(self, path_1: Any, path_2: Any, **kwargs: Any) -> Iterator[Any]:
        """Give one transfer the caller's child callback."""
        self.used = True
        with self._callback.branched(path_1, path_2, **kwargs) as child:
            yield child
        self.pairs.append((path_1, path_2))

    def branch_coro(self, fn: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
        """Wrap the coroutine function of one transfer as the caller's callback does."""
        self.used = True
        transfer = self._callback.branch_coro(fn)

        async def watched(path1: Any, path2: Any, **kwargs: Any) -> Any:
            result = await transfer(path1, path2, **kwargs)
            self.pairs.append((path1, path2))
            return result

        return watched

    def branch(self, path_1: Any, path_2: Any, kwargs: dict[str, Any]) -> Any:
        """Let the caller's callback prepare one transfer, as older backends ask for."""
        return self._callback.branch(path_1, path_2, kwargs)

    def set_size(self, size: int) -> None:
        """Hand the number of transfers on."""
        self.used = True
        self._callback.set_size(size)

    def absolute_update(self, value: int) -> None:
        """Hand the progress on."""
        self._callback.absolute_update(value)

    def relative_update(self, inc: int = 1) -> None:
        """Hand the progress on."""
        self._callback.relative_update(inc)

    def call(self, hook_name: str | None = None, **kwargs: Any) -> Any:
        """Run the hooks of the caller's callback."""
        return self._callback.call(hook_name, **kwargs)

    def wrap(self, iterable: Iterable[Any]) -> Any:
        """Iterate as the caller's callback does."""
        return self._callback.wrap(iterable)

    def close(self) -> None:
        """Close the caller's callback."""
        self._callback.close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_callback":
            raise AttributeError(name)
        return getattr(self._callback, name)
