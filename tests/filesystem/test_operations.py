"""The table of methods against the installed fsspec."""

from __future__ import annotations

import inspect

import pytest
from fsspec.asyn import AsyncFileSystem
from fsspec.spec import AbstractFileSystem

from guidefs.filesystem import GuideFileSystem
from guidefs.filesystem.operations import BACKEND_OPERATIONS, OPERATIONS, OWN

ROWS = {operation.method: operation for operation in OPERATIONS}
NAMES = sorted(
    {name for kind in (AbstractFileSystem, AsyncFileSystem) for name in dir(kind) if not name.startswith("__")}
)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_fsspec_is_classified(name: str) -> None:
    """A method that fsspec has is in the table, or among the wrapper's own with a reason."""
    assert name in OWN or name in ROWS or name.removeprefix("_") in ROWS


def test_no_name_is_classified_twice() -> None:
    """A method has one row, and what the wrapper answers itself has none."""
    methods = [operation.method for operation in (*OPERATIONS, *BACKEND_OPERATIONS)]
    assert len(methods) == len(set(methods))
    assert not set(methods) & set(OWN)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(OWN)))
def test_every_delegated_method_is_written_out_with_its_signature(name: str) -> None:
    """No delegated method is inherited from fsspec, and each shows the signature and kind that fsspec gives it."""
    template = getattr(AbstractFileSystem, name, None) if name != "_rm" else None
    template = template or getattr(AsyncFileSystem, name)
    method = vars(GuideFileSystem)[name]
    assert inspect.signature(method) == inspect.signature(template)
    assert inspect.iscoroutinefunction(method) == inspect.iscoroutinefunction(template)
    assert inspect.isasyncgenfunction(method) == inspect.isasyncgenfunction(template)
    assert method.__name__ == name
