"""What a wrapper is to fsspec and to whoever stores it: equality, pickles, JSON, attributes, processes."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from typing import Any

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.utils import tokenize

from guidefs.errors import GuideError
from guidefs.filesystem import GuideFileSystem


def travelled(fs: Any, way: str) -> Any:
    """A wrapper that was stored and made again."""
    if way == "pickle":
        return pickle.loads(pickle.dumps(fs))  # noqa: S301 - our own pickle
    if way == "json":
        return fsspec.AbstractFileSystem.from_json(fs.to_json())
    if way == "dict":
        return fsspec.AbstractFileSystem.from_dict(json.loads(json.dumps(fs.to_dict())))
    if way == "options":
        return type(fs)(*fs.storage_args, **fs.storage_options)
    return copy.copy(fs) if way == "copy" else copy.deepcopy(fs)


@pytest.mark.parametrize("way", ["pickle", "json", "dict", "options", "copy", "deepcopy"])
def test_a_stored_wrapper_comes_back_as_it_was(recorder: Any, way: str) -> None:
    """In one process the way there and back changes nothing."""
    fs = GuideFileSystem(LocalFileSystem(auto_mkdir=True), recorder=recorder)
    back = travelled(fs, way)
    assert back is not fs
    assert back == fs
    assert hash(back) == hash(fs)
    assert back.guide_session is recorder
    assert back.auto_mkdir is True
    assert tokenize(back) == tokenize(fs)


@pytest.mark.parametrize("way", ["pickle", "json", "options"])
@pytest.mark.parametrize("inner_asynchronous", [True, False])
@pytest.mark.parametrize("asynchronous", [True, False])
def test_the_mode_travels(
    native: Any, recorder: Any, way: str, *, inner_asynchronous: bool, asynchronous: bool
) -> None:
    """A wrapper comes back in the mode that it was in."""
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder, asynchronous=asynchronous)
    assert travelled(fs, way).asynchronous is asynchronous
    if way != "json":  # the inner filesystem of this test cannot be found by name
        over = GuideFileSystem(native(asynchronous=inner_asynchronous), asynchronous=asynchronous)
        back = type(over)(**over.storage_options)
        assert (back.asynchronous, back.fs.asynchronous) == (asynchronous, asynchronous)


def test_a_recorder_does_not_have_to_be_storable(memory: Any, recorder: Any) -> None:
    """What is stored is a random token, never the recorder or a session's name."""
    recorder.name = "secret-session"
    recorder.unpicklable = open  # keeps a test from passing by storing the recorder after all
    fs = GuideFileSystem(memory, recorder=recorder)
    stored = fs.to_json()
    token = json.loads(stored)["session"]
    assert len(token) == 32
    assert "secret" not in stored
    assert token.encode() in pickle.dumps(fs)
    assert b"secret" not in pickle.dumps(fs)


def test_wrappers_are_equal_if_filesystem_and_session_are(memory: Any, new_recorder: Any) -> None:
    """Equality and dask's tokens go by the inner filesystem together with the session."""
    one, two = new_recorder(), new_recorder()
    fs = GuideFileSystem(memory, recorder=one)
    assert fs == GuideFileSystem(memory, recorder=one)
    assert fs != GuideFileSystem(memory, recorder=two)
    assert fs != GuideFileSystem(memory)
    assert fs != GuideFileSystem(LocalFileSystem(), recorder=one)
    assert fs != memory
    assert GuideFileSystem(LocalFileSystem()) == GuideFileSystem(LocalFileSystem())
    assert fs.__dask_tokenize__() == GuideFileSystem(memory, recorder=one).__dask_tokenize__()
    assert fs.__dask_tokenize__() != GuideFileSystem(memory, recorder=two).__dask_tokenize__()


FOREIGN = """
import pickle, sys
fs = pickle.loads(sys.stdin.buffer.read())
fs.pipe_file(sys.argv[1], b"from afar")
assert fs.guide_session is None
sys.stdout.buffer.write(pickle.dumps(fs))
"""


def test_another_process_passes_through_and_hands_the_token_back(recorder: Any, tmp_path: Any) -> None:
    """A process that does not know the session works without contexts; at home the wrapper is tied again."""
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    there = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FOREIGN, str(tmp_path / "f")],
        input=pickle.dumps(fs),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert there.returncode == 0, there.stderr.decode()
    assert (tmp_path / "f").read_bytes() == b"from afar"
    assert recorder.touches == []
    back = pickle.loads(there.stdout)  # noqa: S301 - written by the process above
    assert back == fs
    back.cat_file(str(tmp_path / "f"))
    assert recorder.touches == [(str(tmp_path / "f"), "read")]


def test_a_forked_child_passes_through(recorder: Any, tmp_path: Any) -> None:
    """A fork copies the memory but not the threads that hold its locks, so the child's wrapper is untied."""
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    if not hasattr(os, "fork"):  # pragma: no cover - Linux is what is tested
        pytest.fail("this test needs fork")

    def child() -> None:
        fs.pipe_file(str(tmp_path / "f"), b"child")
        assert fs.guide_session is None
        assert recorder.touches == []

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(30)
    assert process.exitcode == 0
    assert (tmp_path / "f").read_bytes() == b"child"
    assert recorder.touches == []
    assert fs.guide_session is recorder


def test_the_inner_attributes_show_through(recorder: Any, memory: Any, native: Any) -> None:
    """Protocol, separators and what only a backend has are the inner filesystem's."""
    fs = GuideFileSystem(LocalFileSystem(auto_mkdir=True), recorder=recorder)
    assert fs.protocol == ("file", "local")
    assert GuideFileSystem.protocol == "guide"
    assert fs.fsid == "local"
    assert fs.root_marker == "/"
    assert fs.local_file is True
    assert fs.auto_mkdir is True
    assert fs._isfilestore() is True
    assert fs._strip_protocol("file:///a/") == "/a"
    assert fs._parent("/a/b") == "/a"
    assert fs.unstrip_protocol("/a") == "file:///a"
    assert fs.transaction_type is LocalFileSystem.transaction_type
    assert GuideFileSystem(memory).store is memory.store
    assert GuideFileSystem(memory).dircache is memory.dircache
    assert not hasattr(fs, "no_such_attribute")
    assert not hasattr(GuideFileSystem(memory), "symlink")
    assert "LocalFileSystem" in repr(fs)
    with pytest.raises(NotImplementedError):
        _ = GuideFileSystem(native()).fsid


def test_what_looks_like_a_coroutine_but_is_none_is_handed_on(native: Any, recorder: Any) -> None:
    """A private method of a backend that happens to have a method's name with an underscore stays what it is."""
    inner = native({})
    inner._modified = inner._touch = lambda path: f"plain {path}"
    fs = GuideFileSystem(inner, recorder=recorder)
    assert fs._modified("/f") == fs._touch("/f") == "plain /f"
    assert recorder.touches == []


def test_setting_a_backend_attribute_reaches_the_inner_filesystem(memory: Any) -> None:
    """An option that is changed on the wrapper is changed where it counts."""
    inner = LocalFileSystem(auto_mkdir=False, skip_instance_cache=True)
    fs = GuideFileSystem(inner)
    fs.auto_mkdir = True
    assert inner.auto_mkdir is True
    fs.note = "mine"
    assert not hasattr(inner, "note")


def test_backend_methods_that_write_are_observed(recorder: Any, tmp_path: Any) -> None:
    """Links are writes of the link; methods that touch no content pass through."""
    fs = GuideFileSystem(LocalFileSystem(), recorder=recorder)
    (tmp_path / "f").write_bytes(b"text")
    fs.symlink(str(tmp_path / "f"), str(tmp_path / "soft"))
    fs.link(src=str(tmp_path / "f"), dst=str(tmp_path / "hard"))
    fs.chmod(str(tmp_path / "f"), 0o600)
    assert fs.islink(str(tmp_path / "soft"))
    assert recorder.touches == [(str(tmp_path / "soft"), "write"), (str(tmp_path / "hard"), "write")]


def test_the_class_is_not_mistaken_for_another() -> None:
    """pyarrow replaces classes named `LocalFileSystem`, fsspec's registry knows protocols of small letters only."""
    assert GuideFileSystem.__name__ != "LocalFileSystem"
    assert GuideFileSystem.protocol.isalpha()
    assert GuideFileSystem.protocol.islower()
    assert GuideFileSystem.guidefs_transparent is True
    assert GuideFileSystem.cachable is False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "pass either fs or target_protocol"),
        ({"fs": LocalFileSystem(), "target_protocol": "memory"}, "pass either fs or target_protocol"),
        ({"fs": LocalFileSystem(), "auto_mkdir": True}, "no option auto_mkdir"),
        ({"fs": LocalFileSystem(), "use_listings_cache": False, "a": 1}, "no option a, use_listings_cache"),
        ({"fs": LocalFileSystem(), "recorder": object(), "session": "t"}, "not both"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    """A wrapper says which argument it does not take, as an error of guidefs."""
    with pytest.raises(GuideError, match=message) as caught:
        GuideFileSystem(**options)
    assert isinstance(caught.value, TypeError) == ("no option" in message)


def test_a_mapping_of_keys_is_observed(guide: Any, recorder: Any) -> None:
    """`get_mapper` works on the wrapper: items are touched, looking for them is not."""
    mapping = guide.get_mapper("/root")
    mapping["key"] = b"value"
    assert mapping["key"] == b"value"
    assert "key" in mapping
    assert list(mapping) == ["key"]
    del mapping["key"]
    assert recorder.touches == [("/root/key", "write"), ("/root/key", "read"), ("/root/key", "edit")]
