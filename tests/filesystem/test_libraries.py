"""Libraries that take an fsspec filesystem work through a wrapped one, with the same results as without."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from guidefs.filesystem import GuideFileSystem

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def library(name: str) -> Any:
    """A library that these tests need; missing ones are skipped, except where everything has to be there."""
    return importlib.import_module(name) if os.environ.get("CI") else pytest.importorskip(name)


@pytest.fixture(params=["local", "memory", "s3"])
def inner(request: pytest.FixtureRequest) -> Any:
    """An inner filesystem."""
    if request.param == "s3":
        return request.getfixturevalue("s3")
    return LocalFileSystem(auto_mkdir=True) if request.param == "local" else request.getfixturevalue("memory")


@pytest.fixture
def root(request: pytest.FixtureRequest, inner: Any, tmp_path: Path) -> str:
    """A directory of the test's own."""
    return str(request.getfixturevalue("bucket")) if "s3" in inner.protocol else str(tmp_path)


@pytest.fixture
def fs(inner: Any, recorder: Any) -> GuideFileSystem:
    """A wrapped filesystem that is always in a call."""
    return GuideFileSystem(inner, recorder=recorder)


@pytest.fixture
def twins(inner: Any, fs: Any, root: str) -> list[tuple[Any, str]]:
    """The inner filesystem and the wrapped one, each with a directory."""
    for name in ("plain", "wrapped"):
        inner.makedirs(f"{root}/{name}", exist_ok=True)
    return [(inner, f"{root}/plain"), (fs, f"{root}/wrapped")]


def contents(inner: Any, directory: str) -> dict[str, bytes]:
    """The files below a directory."""
    inner.invalidate_cache()
    return {path.partition(directory)[2]: inner.cat_file(path) for path in inner.find(directory)}


def same_files(twins: Any) -> bool:
    """Whether both directories hold the same, which is not nothing."""
    inner = twins[0][0]
    plain, wrapped = (contents(inner, directory) for _, directory in twins)
    return bool(plain) and plain == wrapped


def touched(recorder: Any, root: str) -> set[tuple[str, str]]:
    """What was touched, relative to a directory."""
    return {(path.partition(f"{root}/wrapped/")[2], operation) for path, operation in recorder.touches}


def test_pandas_text(twins: Any, recorder: Any, root: str) -> None:
    """CSV and JSON files of pandas, compressed too."""
    pandas = library("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": list("xyz")})
    for fs, directory in twins:
        for name in ("f.csv", "f.csv.gz"):
            with fs.open(f"{directory}/{name}", "wb") as file:
                compression = {"method": "gzip", "mtime": 1} if name.endswith("gz") else None
                frame.to_csv(file, index=False, compression=compression)
        with fs.open(f"{directory}/f.json", "w") as file:
            frame.to_json(file)
        with fs.open(f"{directory}/f.csv") as file:
            assert pandas.read_csv(file).equals(frame)
        with fs.open(f"{directory}/f.csv.gz", "rb") as file:
            assert pandas.read_csv(file, compression="gzip").equals(frame)
        with fs.open(f"{directory}/f.json", "r") as file:
            assert pandas.read_json(file).equals(frame)
    assert same_files(twins)
    names = ("f.csv", "f.csv.gz", "f.json")
    assert touched(recorder, root) == {(name, operation) for name in names for operation in ("read", "write")}


def test_pandas_parquet(twins: Any, recorder: Any, root: str) -> None:
    """Parquet files of pandas, with the filesystem as an argument."""
    pandas = library("pandas")
    library("pyarrow")
    frame = pandas.DataFrame({"a": range(1000), "b": [str(number) for number in range(1000)]})
    for fs, directory in twins:
        frame.to_parquet(f"{directory}/f.parquet", filesystem=fs)
        assert pandas.read_parquet(f"{directory}/f.parquet", filesystem=fs).equals(frame)
    assert same_files(twins)
    assert touched(recorder, root) == {("f.parquet", "write"), ("f.parquet", "read")}


def test_pandas_reads_a_url_of_a_session(recorder: Any, tmp_path: Path) -> None:
    """pandas reads and writes chained URLs with the token of a session."""
    pandas = library("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3]})
    token = (kept := GuideFileSystem(LocalFileSystem(), recorder=recorder)).storage_options["session"]
    url = f"guide::file://{tmp_path}/f.csv"
    frame.to_csv(url, index=False, storage_options={"session": token})
    assert pandas.read_csv(url, storage_options={"session": token}).equals(frame)
    assert recorder.touches == [(f"{tmp_path}/f.csv", "write"), (f"{tmp_path}/f.csv", "read")]
    assert kept.guide_session is recorder


def test_pyarrow_datasets(twins: Any, recorder: Any, root: str) -> None:
    """Partitioned datasets of pyarrow."""
    pyarrow, dataset = library("pyarrow"), library("pyarrow.dataset")
    table = pyarrow.table({"key": [1, 1, 2], "value": ["a", "b", "c"]})
    for fs, directory in twins:
        dataset.write_dataset(
            table, f"{directory}/set", filesystem=fs, format="parquet", partitioning=["key"], use_threads=False
        )
        found = dataset.dataset(f"{directory}/set", filesystem=fs, format="parquet", partitioning=["key"])
        assert found.to_table().sort_by("value").to_pydict() == {"value": ["a", "b", "c"], "key": [1, 1, 2]}
        assert found.count_rows() == 3
    assert same_files(twins)
    names = {name.removeprefix("/") for name in contents(twins[0][0], twins[0][1])}
    assert touched(recorder, root) == {(name, operation) for name in names for operation in ("read", "write")}


def test_pyarrow_asks_the_wrapper(recorder: Any, tmp_path: Path) -> None:
    """pyarrow has a local filesystem of its own, which must not take the place of a wrapped one."""
    arrow_fs = library("pyarrow.fs")
    fs = arrow_fs._ensure_filesystem(GuideFileSystem(LocalFileSystem(), recorder=recorder))
    (tmp_path / "f").write_bytes(b"text")
    with fs.open_input_file(str(tmp_path / "f")) as file:
        assert file.read() == b"text"
    assert fs.get_file_info(str(tmp_path / "f")).size == 4
    assert recorder.touches == [(f"{tmp_path}/f", "read")]


@pytest.mark.parametrize("inner", ["local"], indirect=True)
def test_dask_dataframes(twins: Any, recorder: Any, root: str) -> None:
    """Data frames of dask, as CSV through a session's token and as Parquet through the filesystem."""
    frames, pandas = library("dask.dataframe"), library("pandas")
    frame = pandas.DataFrame({"a": range(100), "b": [number / 3 for number in range(100)]})
    lazy = frames.from_pandas(frame, npartitions=4)
    token = twins[1][0].storage_options["session"]
    for fs, directory in twins:
        lazy.to_parquet(f"{directory}/set", filesystem=fs)
        assert frames.read_parquet(f"{directory}/set", filesystem=fs).compute().equals(frame)
        wrapped = fs is not twins[0][0]
        url = f"guide::file://{directory}" if wrapped else f"file://{directory}"
        options = {"session": token} if wrapped else {}
        lazy.to_csv(f"{url}/*.csv", index=False, storage_options=options)
        read = frames.read_csv(f"{url}/*.csv", storage_options=options).compute()
        assert read.reset_index(drop=True).equals(frame)
    assert same_files(twins)
    names = {name.removeprefix("/") for name in contents(twins[0][0], twins[0][1])}
    assert touched(recorder, root) >= {(name, operation) for name in names for operation in ("read", "write")}


def test_zarr_arrays(inner: Any, recorder: Any, root: str) -> None:
    """Arrays of zarr, through an asynchronous wrapper on zarr's own loop."""
    zarr, numpy = library("zarr"), library("numpy")
    store_class = library("zarr.storage").FsspecStore
    data = numpy.arange(100, dtype="i4").reshape(10, 10)
    for name in ("plain", "wrapped"):
        fs = GuideFileSystem(inner, recorder=recorder if name == "wrapped" else None, asynchronous=True)
        store = store_class(fs, path=f"{root}/{name}")
        array = zarr.create_array(store, shape=data.shape, chunks=(5, 5), dtype=data.dtype)
        array[:] = data
        again = zarr.open_array(store, mode="r+")
        assert numpy.array_equal(again[:], data)
        again[0, 0] = 7
        assert zarr.open_array(store, mode="r")[0, 0] == 7
        if hasattr(fs, "s3"):  # an asynchronous client is closed by whoever used it, on the loop where that was
            library("zarr.core.sync").sync(fs.s3.close())
    assert contents(inner, f"{root}/plain") == contents(inner, f"{root}/wrapped")
    assert touched(recorder, root) >= {("zarr.json", "write"), ("zarr.json", "read"), ("c/1/1", "write")}
    assert ("c/0/0", "read") in touched(recorder, root)


def test_a_plain_wrapper_is_taken_by_zarr(recorder: Any, tmp_path: Path) -> None:
    """zarr makes a store of a synchronous wrapper by itself."""
    zarr = library("zarr")
    fs = GuideFileSystem(LocalFileSystem(auto_mkdir=True), recorder=recorder)
    made = library("zarr.storage").FsspecStore.from_mapper(fs.get_mapper(str(tmp_path)))
    zarr.create_array(made, shape=(4,), dtype="i4")[:] = 1
    assert list(zarr.open_array(made, mode="r")[:]) == [1, 1, 1, 1]
    assert (f"{tmp_path}/zarr.json", "write") in recorder.touches


@pytest.mark.parametrize("chained", [True, False])
@pytest.mark.usefixtures("_path_class")
def test_universal_paths(recorder: Any, tmp_path: Path, *, chained: bool) -> None:
    """Paths of universal_pathlib read, write, list and remove."""
    upath = library("upath").UPath
    kept = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    options = {"session": kept.storage_options["session"]}
    if chained:
        path = upath(f"guide::file://{tmp_path}", **options)
    else:
        path = upath(f"guide://{tmp_path}", target_protocol="file", **options)
    (path / "dir").mkdir()
    (path / "dir" / "f").write_text("text")
    with (path / "dir" / "g").open("wb") as file:
        file.write(b"more")
    assert (path / "dir" / "f").read_text() == "text"
    assert (path / "dir" / "f").exists()
    assert sorted(each.name for each in (path / "dir").iterdir()) == ["f", "g"]
    assert sorted(each.name for each in path.glob("**/f")) == ["f"]
    (path / "dir" / "g").rename(path / "h")
    (path / "dir" / "f").unlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["dir", "h"]
    assert [(name.removeprefix(str(tmp_path)), operation) for name, operation in recorder.touches] == [
        ("/dir/f", "write"),
        ("/dir/g", "write"),
        ("/dir/f", "read"),
        ("/dir/g", "edit"),
        ("/h", "write"),
        ("/dir/f", "edit"),
    ]


@pytest.fixture
def _path_class() -> None:
    """See to it that universal_pathlib knows the class, which an installed entry point does as well."""
    registry = library("upath.registry")
    from guidefs.filesystem.upath import GuidePath

    if "guide" not in registry.available_implementations():
        registry.register_implementation("guide", GuidePath)


def test_the_memory_filesystem_is_found_again_by_name(recorder: Any) -> None:
    """A frame can be written to one wrapper and read from another of the same session."""
    pandas = library("pandas")
    kept = GuideFileSystem(MemoryFileSystem(), recorder=recorder)
    options = {"session": kept.storage_options["session"]}
    frame = pandas.DataFrame({"a": [1]})
    frame.to_pickle("guide::memory://frames/f.pkl", storage_options=options)
    assert pandas.read_pickle("guide::memory://frames/f.pkl", storage_options=options).equals(frame)
    MemoryFileSystem.store.clear()
    assert recorder.touches == [("/frames/f.pkl", "write"), ("/frames/f.pkl", "read")]
