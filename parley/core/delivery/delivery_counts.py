"""What became of final messages, counted since this process started."""

from __future__ import annotations

import logging
from collections import Counter

from parley.core.model.feedback import FeedbackChoice
from parley.core.model.types import OutboundMessage, Receipt

log = logging.getLogger(__name__)


class DeliveryCounts:
    """Final messages by channel: `arrived`, `refused` by the platform for good, and `doubtful`: arrived,
    but perhaps twice, because the answer to a send was lost and the platform cannot tell whether it arrived.
    `cut` were under way when this node's lease ended, growing or final: they were broken off, and may come
    late. `rewritten` were written once more, because another node may have done so late. `liked` and
    `disliked` are what people said of answers.
    """

    def __init__(self) -> None:
        self.arrived: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.doubtful: Counter[str] = Counter()
        self.cut: Counter[str] = Counter()
        self.rewritten: Counter[str] = Counter()
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

    def count_cut(self, message: OutboundMessage) -> None:
        """Count a call that was under way when this node's lease ended."""
        self.cut[message.conversation.channel] += 1
        log.warning(
            "%s: a call was broken off, this node's lease ended under it; who has the turn now repairs it",
            _place(message),
        )

    def count_rewritten(self, message: OutboundMessage) -> None:
        """Count a final message that was written once more, over whatever came late."""
        self.rewritten[message.conversation.channel] += 1
        log.info("%s: written once more, as an earlier node's call may have come late", _place(message))

    def count_feedback(self, channel: str, choice: FeedbackChoice) -> None:
        """Count what somebody said of an answer."""
        (self.liked if choice is FeedbackChoice.UP else self.disliked)[channel] += 1


def _place(message: OutboundMessage) -> str:
    place = message.conversation
    return f"{place.channel}: conversation {place.key}, turn {message.turn_id}, message {message.reply_to}"
