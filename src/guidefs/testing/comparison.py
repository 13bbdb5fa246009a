"""Tells what a played scenario gave from what was expected of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["differences"]

LONG_BYTES: Final = 1_200
"""Texts of more bytes than this are expected by their hash, size, head and tail."""

_BOUNDED = ("read", "batch")
_NOT_COMPARED = frozenset({"calls", "source"})


def differences(scenario: Mapping[str, Any], played: Mapping[str, Any]) -> list[str]:
    """Compare what `guidefs.testing.replay.play` gave with the expectation of the scenario, byte for byte.

    What was read, and in how many batches, may be less than expected and not more.

    Args:
        scenario: the scenario, with its `expect`.
        played: what came of it.

    Returns:
        One line a difference; none if all is as expected.
    """
    return list(_differences(scenario, played))


def _differences(scenario: Mapping[str, Any], played: Mapping[str, Any]) -> Iterator[str]:
    expected = scenario["expect"]
    if expected.get("config_error"):
        if not played.get("config_error"):
            yield "the configuration was to be refused"
        return
    wanted, given = expected["results"], _squashed(played["results"])
    if len(wanted) != len(given):
        yield f"wanted {len(wanted)} results, got {len(given)}"
    for number, (want, have) in enumerate(zip(wanted, given, strict=False)):
        for difference in _of_step(want, have):
            yield f"step {number} {json.dumps(scenario['steps'][number])}: {difference}"
    if played["log"] != expected["log"]:
        yield f"log: wanted {expected['log']}, got {played['log']}"


def _of_step(want: Any, have: Any) -> Iterator[str]:
    wanted, given = _compared(_squashed(want)), _compared(have)
    if wanted != given:
        yield f"wanted {json.dumps(wanted)}, got {json.dumps(given)}"
    calls = (want or {}).get("calls", {})
    for kind in (kind for kind in _BOUNDED if kind in calls):
        if have["calls"][kind] > calls[kind]:
            yield f"wanted at most {calls[kind]} of {kind}, got {have['calls'][kind]}"


def _squashed(value: Any) -> Any:
    if isinstance(value, list):
        return [_squashed(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _squashed_text(item) if key in {"text", "prefix"} else _squashed(item) for key, item in value.items()}


def _squashed_text(item: Any) -> Any:
    if not isinstance(item, str):
        return _squashed(item)
    data = item.encode("utf-8", "surrogatepass")
    if len(data) <= LONG_BYTES:
        return item
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "head": item[:160], "tail": item[-60:]}


def _compared(value: Any) -> Any:
    if isinstance(value, list):
        return [_compared(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _compared(item) for key, item in value.items() if key not in _NOT_COMPARED}
