"""One step of an agent loop."""

from __future__ import annotations

from types import TracebackType

from guidefs.driver.conductor import SessionConductor

__all__ = ["Step"]


class Step:
    """One step of the agent loop, as a plain or an async context manager."""

    def __init__(self, conductor: SessionConductor) -> None:
        self._conductor = conductor
        self._step: object | None = None

    def __enter__(self) -> Step:
        self._step = self._conductor.begin_step()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._step is not None:
            self._conductor.end_step(self._step)
            self._step = None

    async def __aenter__(self) -> Step:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)
