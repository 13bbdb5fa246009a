"""The command line on `s3://` addresses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from guidefs.testing.objectstores import free_ports


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, without any variable of AWS but those given."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "DSH_"))}
    return subprocess.run(
        [sys.executable, "-m", "guidefs.cli", *words],
        env={**own, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def project(moto_bucket: Any) -> Any:
    """A project in a bucket."""
    moto_bucket.put("repo/.git/HEAD", "ref")
    moto_bucket.put("repo/AGENTS.md", "root rule")
    moto_bucket.put("repo/api/AGENTS.md", "api rule")
    moto_bucket.put("repo/api/CLAUDE.md", "api rule\n")
    return moto_bucket


@pytest.fixture(params=["options", "environment"])
def access(request: pytest.FixtureRequest, project: Any, tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """How the store is reached: by words of the command line or by the usual environment variables."""
    if request.param == "environment":
        return [], {"HOME": str(tmp_path), **project.store.environment()}
    options = {"key": project.store.key, "secret": project.store.secret, "endpoint_url": project.store.url}
    words = [word for name, value in options.items() for word in ("--storage-option", f"{name}={value}")]
    return words, {"HOME": str(tmp_path)}


def test_simulate(project: Any, access: tuple[list[str], dict[str, str]]) -> None:
    """A simulated session tells what each touch attaches, at one round trip unless a copy's text is needed again."""
    words, environment = access
    address = f"s3://{project.path('repo')}"
    done = run("simulate", address, "api/x", "--rm", "api/AGENTS.md", "api/x", "--json", *words, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    baseline, first, _, second = json.loads(done.stdout)["events"]
    changes = [
        [(change["action"], change["path"]) for context in event["contexts"] for change in context["changes"]]
        for event in (first, second)
    ]
    assert changes == [[("set", "api/AGENTS.md")], [("remove", "api/AGENTS.md"), ("set", "api/CLAUDE.md")]]
    assert baseline["cost"]["round_trips"] <= 2
    assert [event["cost"]["round_trips"] for event in (first, second)] == [1, 2]
    assert project.get("repo/api/AGENTS.md") == b"api rule"


def test_prefix(project: Any, access: tuple[list[str], dict[str, str]]) -> None:
    """The baseline is printed, for people and for programs."""
    words, environment = access
    address = f"s3://{project.path('repo')}"
    shown = run("prefix", address, *words, **environment)
    assert (shown.returncode, "root rule" in shown.stdout) == (0, True), shown.stderr
    facts = json.loads(run("prefix", address, "--json", *words, **environment).stdout)
    assert "root rule" in json.dumps(facts)


def test_explain(project: Any, access: tuple[list[str], dict[str, str]]) -> None:
    """Each candidate on the way is listed with the reason why it is in force or not."""
    words, environment = access
    address = f"s3://{project.path('repo')}"
    done = run("explain", "api/x", "--workspace", address, "--json", *words, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert {"api/AGENTS.md", "api/CLAUDE.md"} <= set(_texts(json.loads(done.stdout)))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]


@pytest.mark.parametrize("words", [["simulate", "s3://b/repo", "x"], ["prefix", "s3://b/repo"]])
def test_an_unreachable_store_is_said_to_be(words: list[str], tmp_path: Path) -> None:
    """Where nobody listens, that is said in words and never with a traceback."""
    environment = {
        "HOME": str(tmp_path),
        "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{free_ports(1)[0]}",
        "AWS_MAX_ATTEMPTS": "1",
    }
    done = run(*words, **environment)
    assert "Traceback" not in done.stdout + done.stderr
    assert "unavailable" in done.stdout + done.stderr


@pytest.mark.parametrize("words", [["prefix", "s3://b/repo"], ["simulate", "s3://b/repo", "x"]])
def test_a_missing_extra_is_named(words: list[str], tmp_path: Path) -> None:
    """Without s3fs the error says what to install."""
    (tmp_path / "s3fs.py").write_text("raise ImportError('there is no s3fs')\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = run(*words, HOME=str(tmp_path), PYTHONPATH=path)
    assert done.returncode == 2
    assert "pip install 'guidefs[s3]'" in done.stderr
    assert "Traceback" not in done.stderr
