"""The last turn, answered again: the same messages on the same thread, as a turn of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.bursts import Accepted
from bridge.busy import for_agent
from bridge.ports import Put
from bridge.types import InboundMessage


def asked_by(burst: Sequence[Accepted]) -> tuple[InboundMessage, ...]:
    """What a turn was asked, to be kept for another try."""
    return tuple(replace(accepted.message, retries="") for accepted in burst)


def again(messages: Sequence[InboundMessage], wish: str) -> tuple[Put, ...]:
    """The messages once more, as one turn; putting them again for the same `wish` changes nothing."""
    return tuple(
        for_agent(replace(message, retries=wish), f"retry:{wish}:{number}")
        for number, message in enumerate(messages)
    )
