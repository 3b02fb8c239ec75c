"""What is queued for a conversation: turns to begin, messages that wait behind one, and retries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.inbound.busy_policy import turn_item
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import NewQueueItem


def retry_items(messages: Sequence[InboundMessage], wish: str) -> tuple[NewQueueItem, ...]:
    """The messages once more, as one turn; putting them again for the same `wish` changes nothing."""
    return tuple(
        turn_item(replace(message, retries=wish), f"retry:{wish}:{number}")
        for number, message in enumerate(messages)
    )
