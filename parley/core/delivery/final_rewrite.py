"""Answers of turns that were taken over are written once more, and those of which a message may come late.

A node that lost a turn may have had a call under way, and what is in the wire cannot be taken back: an older
snapshot may arrive after the whole answer. So who finishes such a turn writes the answer again, once no call
of before can be under way any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from parley.core.model.codec import encode
from parley.core.model.queues import final_rewrite_queue
from parley.core.model.types import OutboundMessage, ReplyTarget
from parley.core.ports.journal import NewQueueItem

_ON_THE_WAY = 2.0
"""Seconds that a call may take beyond the time after which its caller gives it up."""


@dataclass(frozen=True, slots=True)
class FinalRewrite:
    """A delivered answer, and where it is found."""

    target: ReplyTarget
    message: OutboundMessage


def final_rewrite_item(target: ReplyTarget, message: OutboundMessage, longest_call: float) -> NewQueueItem:
    """Return the work of writing an answer again once no call of before can arrive."""
    return NewQueueItem(
        final_rewrite_queue(message.conversation.channel),
        message.turn_id,
        encode(FinalRewrite(target, message)),
        f"rewrite:{message.turn_id}",
        delay=longest_call + _ON_THE_WAY,
    )
