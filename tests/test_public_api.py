"""The three doors, and the rules that every module keeps."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import guidefs
import guidefs.errors
import guidefs.storage
import guidefs.testing

_REPOSITORY = Path(__file__).resolve().parents[1]
_SOURCES = sorted(
    path.relative_to(_REPOSITORY) for root in ("src", "providers") for path in (_REPOSITORY / root).rglob("*.py")
)
_MOST_LINES = 300
_BANNED_NAMES = ("utils", "util", "helpers", "helper", "common", "manager", "base", "handler", "misc")

DOORS: dict[ModuleType, list[str]] = {
    guidefs: [
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
    ],
    guidefs.storage: [
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
    ],
    guidefs.testing: ["Counts", "FakeProvider", "FaultPoint", "FaultyProvider", "ProviderTests", "ScriptedChanges"],
}


def errors() -> list[type[BaseException]]:
    """Every exception of the errors module."""
    return [
        found
        for name, found in inspect.getmembers(guidefs.errors, inspect.isclass)
        if issubclass(found, BaseException) and found.__module__ == "guidefs.errors"
    ]


def tree(source: Path) -> ast.Module:
    """The syntax of a module."""
    return ast.parse((_REPOSITORY / source).read_text("utf-8"))


def definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """The public functions, methods and classes of a module, by dotted name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not child.name.startswith("_"):
            yield f"{prefix}{child.name}", child
            if isinstance(child, ast.ClassDef):
                yield from definitions(child, f"{prefix}{child.name}.")


@pytest.mark.parametrize("door", DOORS, ids=lambda module: module.__name__)
def test_doors_open_on_exactly_these_names(door: ModuleType) -> None:
    """A public module offers the names that are written here, and each of them is there."""
    assert door.__all__ == DOORS[door]
    for name in door.__all__:
        assert getattr(door, name) is not None


def test_doors_are_sorted() -> None:
    """Names are listed in one order, so that two changes to a list can be merged."""
    for door in DOORS:
        constants = [name for name in door.__all__ if name.isupper()]
        classes = [name for name in door.__all__ if name[0].isupper() and not name.isupper()]
        functions = [name for name in door.__all__ if name[0].islower()]
        assert door.__all__ == [*sorted(constants), *sorted(classes), *sorted(functions)]


def test_sources_are_found() -> None:
    """The rules below are applied to something."""
    assert len(_SOURCES) > 50


@pytest.mark.parametrize("source", _SOURCES, ids=str)
def test_module_is_small(source: Path) -> None:
    """No module has more than 300 lines."""
    assert len((_REPOSITORY / source).read_text("utf-8").splitlines()) <= _MOST_LINES


@pytest.mark.parametrize("source", _SOURCES, ids=str)
def test_module_says_its_one_idea(source: Path) -> None:
    """A module begins with a docstring whose first line is one sentence."""
    docstring = ast.get_docstring(tree(source))
    assert docstring
    assert docstring.split("\n\n")[0].rstrip().endswith((".", ":", "`"))


@pytest.mark.parametrize("source", [path for path in _SOURCES if path.name == "__init__.py"], ids=str)
def test_package_holds_no_code(source: Path) -> None:
    """A package's `__init__` has a docstring, imports and `__all__`, and nothing else."""
    docstring, *rest = tree(source).body
    assert isinstance(docstring, ast.Expr)
    for statement in rest:
        if isinstance(statement, ast.Assign):
            assert [ast.unparse(name) for name in statement.targets] == ["__all__"]
        else:
            assert isinstance(statement, ast.Import | ast.ImportFrom)


@pytest.mark.parametrize("source", _SOURCES, ids=str)
def test_names_say_something(source: Path) -> None:
    """No module or class is named after nothing in particular."""
    names = [
        source.stem,
        *(name.rpartition(".")[2] for name, node in definitions(tree(source)) if isinstance(node, ast.ClassDef)),
    ]
    for name in names:
        assert name.lower() not in _BANNED_NAMES
        assert not name.endswith(("Manager", "Helper", "Handler", "Utils", "Base"))


@pytest.mark.parametrize("source", _SOURCES, ids=str)
def test_everything_public_is_described(source: Path) -> None:
    """Every public function, method and class has a docstring."""
    missing = [name for name, node in definitions(tree(source)) if not ast.get_docstring(node)]  # type: ignore[arg-type] # definitions yields what has docstrings
    assert missing == []


@pytest.mark.parametrize("door", DOORS, ids=lambda module: module.__name__)
def test_what_doors_open_on_is_described(door: ModuleType) -> None:
    """Every function and class that a door opens on has a docstring of its own."""
    for name in door.__all__:
        found = getattr(door, name)
        if inspect.isclass(found) or inspect.isfunction(found):
            assert inspect.getdoc(found)


@pytest.mark.parametrize("error", errors(), ids=lambda kind: kind.__name__)
def test_exceptions_have_one_root(error: type[BaseException]) -> None:
    """Every exception of ours is a `GuideError`, is listed, and is described."""
    assert issubclass(error, guidefs.GuideError)
    assert error.__name__ in guidefs.errors.__all__
    assert error.__doc__


def test_codes_are_unique_where_a_tool_shows_them() -> None:
    """Every kind of error has a code of its own; the root of file errors shares that of failures of no other kind."""
    leaves = [kind for kind in errors() if issubclass(kind, guidefs.FileError) and kind is not guidefs.FileError]
    codes = [kind.code for kind in leaves]
    assert len(set(codes)) == len(codes)
    others = [kind for kind in errors() if not issubclass(kind, guidefs.FileError)]
    assert len({kind.code for kind in others}) == len(others)  # type: ignore[attr-defined] # as above
    assert not {kind.code for kind in others} & set(codes)  # type: ignore[attr-defined] # as above


@pytest.mark.parametrize(
    ("code", "builtin"),
    [
        ("not_found", FileNotFoundError),
        ("not_a_directory", NotADirectoryError),
        ("not_text", ValueError),
        ("not_regular_file", IsADirectoryError),
        ("permission_denied", PermissionError),
        ("sandbox_denied", PermissionError),
        ("io_error", OSError),
        ("stale_version", OSError),
        ("not_observed", OSError),
        ("ambiguous_edit", ValueError),
        ("edit_not_found", ValueError),
        ("too_large", OSError),
        ("aborted", InterruptedError),
        ("already_exists", FileExistsError),
    ],
)
def test_codes_are_stable(code: str, builtin: type[Exception]) -> None:
    """Each documented code belongs to an error that is also the built-in one that a caller would expect."""
    kinds = [kind for kind in errors() if kind.code == code and kind is not guidefs.FileError]  # type: ignore[attr-defined] # every GuideError has one
    assert len(kinds) == 1
    assert issubclass(kinds[0], builtin)
    assert issubclass(kinds[0], OSError)


def test_file_errors_survive_a_process_border() -> None:
    """A file error keeps its kind, message and path when it is pickled."""
    import pickle

    for kind in errors():
        if issubclass(kind, guidefs.FileError):
            copy = pickle.loads(pickle.dumps(kind("what happened", path="a/b")))  # noqa: S301 - our own bytes
            assert (type(copy), str(copy), copy.path, copy.filename) == (kind, "what happened", "a/b", "a/b")


@pytest.mark.parametrize("blocked", ["pytest", "hypothesis", "rich", "s3fs", "obstore", "moto", "watchfiles"])
def test_doors_open_without_any_extra(blocked: str) -> None:
    """Each public module can be imported where an optional package is missing."""
    program = (
        f"import sys; sys.modules[{blocked!r}] = None\n"
        "import guidefs, guidefs.storage, guidefs.testing, guidefs.testing.replay, guidefs_local"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_importing_is_quiet() -> None:
    """Importing guidefs prints nothing, starts no thread and imports no optional package."""
    program = (
        "import sys, threading, guidefs\n"
        "assert threading.active_count() == 1, threading.enumerate()\n"
        "assert not {'pytest', 'hypothesis', 'rich', 's3fs', 'obstore', 'moto', 'watchfiles'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_module_can_be_imported_alone() -> None:
    """No module of the core depends on another one having been imported first."""
    names = [info.name for info in pkgutil.walk_packages(guidefs.__path__, "guidefs.") if "__main__" not in info.name]
    assert len(names) > 50
    program = "import importlib, sys\nfor name in sys.argv[1:]:\n    importlib.import_module(name)\n"
    for name in names:
        importlib.import_module(name)
    done = subprocess.run(
        [sys.executable, "-c", program, *reversed(names)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
