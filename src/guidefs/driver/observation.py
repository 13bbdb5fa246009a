"""What the messages about to be sent mean for the state: confirmed, forgotten, due again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guidefs.driver.state import SessionState
from guidefs.log.message import Message

__all__ = ["Observed", "apply_delta", "apply_window", "is_missing"]


@dataclass(frozen=True, slots=True)
class Observed:
    """What a look at the window changed.

    Args:
        confirmed: how many messages of ours were seen for the first time.
        forgotten: how many pending messages are not in the window and thus due again.
        rearmed: how many messages left the window, so that what they said is due again.
    """

    confirmed: int = 0
    forgotten: int = 0
    rearmed: int = 0


def is_missing(state: SessionState, window: Sequence[Message]) -> bool:
    """Whether anything that could be in the window is not."""
    shown = {message.frame for message in window}
    return any(frame not in shown for frame in (*_logged(state), *state.sent_frames()))


def apply_window(state: SessionState, window: Sequence[Message]) -> Observed:
    """Make the window the visible part of the log, and forget what is pending and not in it.

    Args:
        state: what the session knows.
        window: our messages in all that is about to be sent, in order.
    """
    logged, shown = _logged(state), [message.frame for message in window]
    stands = set(shown)
    kept = [frame for frame in logged if frame in stands]
    if shown[: len(kept)] == kept:
        news = window[len(kept) :]
        if len(kept) < len(logged):
            state.log.hide(lambda message: message.frame not in stands)
    else:
        # The host shows the conversation in another order, as after going back to an earlier point of it.
        news = window
        state.log.hide(lambda _: True)
    forgotten = state.drop_unseen(stands)
    for message in news:
        state.log.append(message)
    state.synchronise()
    return Observed(len(stands.difference(logged)), forgotten, len(set(logged) - stands))


def apply_delta(state: SessionState, window: Sequence[Message]) -> Observed:
    """Confirm what is in some new messages; what is not in them says nothing."""
    logged = set(_logged(state))
    news = [message for message in window if message.frame not in logged]
    for message in news:
        state.log.append(message)
    state.synchronise()
    return Observed(confirmed=len(news))


def _logged(state: SessionState) -> list[str]:
    return [message.frame for message in state.log.guidance()]
