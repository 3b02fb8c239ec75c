"""What became of final messages, counted since this process started."""

from __future__ import annotations

import logging
from collections import Counter

from parley.core.model.types import OutboundMessage, Receipt

log = logging.getLogger(__name__)


class DeliveryCounts:
    """Final messages by channel: `arrived`, `refused` by the platform for good, and `doubtful`: arrived,
    but perhaps twice, because the answer to a send was lost and the platform cannot tell whether it arrived.
    `liked` and `disliked` are what people said of answers.
    """

    def __init__(self) -> None:
        self.arrived: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.doubtful: Counter[str] = Counter()
        self.liked: Counter[str] = Counter()
        self.disliked: Counter[str] = Counter()

    def count_delivered(self, message: OutboundMessage, receipt: Receipt) -> None:
        """Count a final message that has arrived."""
        channel = message.conversation.channel
        self.arrived[channel] += 1
        if receipt.doubtful:
            self.doubtful[channel] += 1
            log.warning("turn %s: the answer may have been shown twice", message.turn_id)

    def count_rejected(self, message: OutboundMessage) -> None:
        """Count a final message that a platform will never take."""
        self.refused[message.conversation.channel] += 1
