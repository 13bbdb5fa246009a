"""Whether a bucket's store honours the conditions of conditional writes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from guidefs_s3.address import Address
from guidefs_s3.fault import status_of
from guidefs_s3.put import Conflict, NotDone, Put, Unclear, put
from guidefs_s3.sdk import FAILURES

__all__ = ["Condition", "Honoured", "Ignored", "Probe", "Undecided"]

Condition: TypeAlias = Literal["IfMatch", "IfNoneMatch"]
"""The two conditions that guarded writes need."""

_NEVER: Final = '"00000000000000000000000000000000"'


@dataclass(frozen=True, slots=True)
class Honoured:
    """The store refused a write whose condition did not hold."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """The store does not act on the condition; `reason` says how that was seen."""

    reason: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """The probe itself failed, so nothing is known yet."""

    error: Exception


Finding: TypeAlias = Honoured | Ignored | Undecided
"""The outcomes of a probe."""


class Probe:
    """Tests each bucket once for each condition and remembers what it found.

    A store that honours `If-Match` is left as it was: the test writes to a name that nothing has, under a condition
    that nothing meets. `If-None-Match` can only be seen to fail on a name that is taken, so its test makes an empty
    object and deletes it again. Both use a random name beside the file that is to be written.

    Args:
        fs: the filesystem.
    """

    def __init__(self, fs: Any) -> None:
        self._fs = fs
        self._findings: dict[tuple[str, Condition], Honoured | Ignored] = {}

    async def test(self, address: Address, condition: Condition) -> Finding:
        """Whether the store of a bucket honours a condition.

        Args:
            address: the file that is to be written.
            condition: the condition that is to guard it.
        """
        known = self._findings.get((address.bucket, condition))
        if known is not None:
            return known
        name = f"{address.directory.prefix}.guidefs-probe-{secrets.token_hex(16)}"
        scratch = Address(address.bucket, name)
        finding = await (self._if_match(scratch) if condition == "IfMatch" else self._if_none_match(scratch))
        if not isinstance(finding, Undecided):
            self._findings[address.bucket, condition] = finding
        return finding

    async def _if_match(self, scratch: Address) -> Finding:
        finding = await self._try(scratch, "IfMatch", _NEVER)
        if not isinstance(finding, Honoured):
            await self._delete(scratch)
        return finding

    async def _if_none_match(self, scratch: Address) -> Finding:
        match await put(self._fs, scratch, b"", {"IfNoneMatch": "*"}):
            case Put():
                finding = await self._try(scratch, "IfNoneMatch", "*")
            case NotDone(error) if _is_unknown(error):
                return Ignored("it does not know the condition")
            case Conflict(error) | NotDone(error) | Unclear(error):
                finding = Undecided(error)
        await self._delete(scratch)
        return finding

    async def _try(self, scratch: Address, condition: Condition, value: str) -> Finding:
        match await put(self._fs, scratch, b"", {condition: value}):
            case Put():
                return Ignored("it wrote although the condition did not hold")
            case Conflict():
                return Honoured()
            case NotDone(error) if _is_unknown(error):
                return Ignored("it does not know the condition")
            case NotDone(error) | Unclear(error):
                return Undecided(error)

    async def _delete(self, scratch: Address) -> None:
        try:
            await self._fs._call_s3("delete_object", Bucket=scratch.bucket, Key=scratch.key)
        except FAILURES:
            # The finding stands; an empty object with a telling name may be left behind where deleting is forbidden.
            return


def _is_unknown(error: Exception) -> bool:
    return status_of(error) == 501  # "A header you provided implies functionality that is not implemented"
