"""How long the parts of a turn took, told in one line of the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from parley.core.model.address import account_key
from parley.core.model.types import InboundMessage
from parley.core.state.turn_record import TurnRecord, TurnStage

log = logging.getLogger(__name__)

_ENDS = {
    TurnStage.DELIVERED: "delivered",
    TurnStage.REJECTED: "not delivered, the platform refused it",
    TurnStage.SKIPPED: "nothing to say",
}


class TurnTiming:
    """Seconds that a turn waited to be worked, and that its run and its delivery took in this process."""

    def __init__(self, waited: float) -> None:
        self._waited = max(0.0, waited)
        self._run = 0.0
        self._delivery = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure the agent's part."""
        began = _now()
        try:
            yield
        finally:
            self._run += _now() - began

    @contextmanager
    def delivering(self) -> Iterator[None]:
        """Measure the way of the final text to the platform, with its waits."""
        began = _now()
        try:
            yield
        finally:
            self._delivery += _now() - began

    def log_turn(self, turn_id: str, message: InboundMessage, record: TurnRecord) -> None:
        """Write the line of a turn that is over: whose it was, how it ended, and the durations; no text."""
        log.info(
            "%s: turn %s of %s on %s: %s (%s%s); waited %.2f s, run %.2f s, delivery %.2f s",
            message.conversation.key,
            turn_id,
            account_key(message.sender),
            message.conversation.channel,
            _ENDS.get(record.stage, record.stage),
            "broken" if record.broken else record.outcome or "no run",
            ", perhaps twice" if record.doubtful else "",
            self._waited,
            self._run,
            self._delivery,
        )


def _now() -> float:
    return asyncio.get_running_loop().time()
