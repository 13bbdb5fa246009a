"""How property tests run, and where shared material lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "guidefs",
    deadline=None,
    derandomize=os.environ.get("CI", "").lower() == "true",
    suppress_health_check=[HealthCheck.too_slow],  # how fast a shared machine makes examples says nothing about them
)
settings.load_profile("guidefs")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared material: `GUIDEFS_SHARED`, else the one beside the repository."""
    named = os.environ.get("GUIDEFS_SHARED")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
