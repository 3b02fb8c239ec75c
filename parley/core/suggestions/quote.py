"""Messages that were pressed: the chat does not show them, so the answer does."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.inbound.batching import QueuedMessage
from parley.core.model.types import InboundMessage


def quote_pressed(burst: Sequence[QueuedMessage]) -> str:
    """Return what was pressed as quotes, among several people with the name of who did; "" where all was
    written.
    """
    return "\n".join(_quote(each.message) for each in burst if each.message.follows)


def _quote(message: InboundMessage) -> str:
    words = " ".join(message.text.split())
    name = "" if message.private else " ".join(message.sender.name.split())
    return f"> {name}: {words}" if name else f"> {words}"
