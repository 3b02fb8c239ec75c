"""The reply to a press of the stop button."""

from __future__ import annotations

from parley.core.model.types import OutboundMessage, Receipt
from parley.core.ports.channel import Reply


class TelegramStopReply(Reply):
    """To a press of the stop button nothing is said: the answer that it stopped tells."""

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show nothing."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Deliver nothing."""
        return Receipt(())
