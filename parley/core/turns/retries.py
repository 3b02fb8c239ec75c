"""The last turn, answered again: the same messages on the same thread, as a turn of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.inbound.batching import QueuedMessage
from parley.core.inbound.edits import apply_edits, expand_edit
from parley.core.inbound.turn_queue import ConversationQueue
from parley.core.model.types import InboundMessage
from parley.core.state.conversations import ConversationRecord
from parley.core.state.turn_record import TurnStage


def asked_messages(burst: Sequence[QueuedMessage]) -> tuple[InboundMessage, ...]:
    """Return what a turn was asked, to be kept for another try."""
    messages = [accepted.message for accepted in burst]
    return tuple([replace(each, retries="") if each.retries else each for each in messages])


def retryable_messages(
    record: ConversationRecord, queue: ConversationQueue
) -> tuple[InboundMessage, ...] | None:
    """What a conversation was asked last, or was offered to be answered after all; () for nothing, None while
    its turns are not over.

    A turn that is only being delivered is over, though its conversation does not say so yet.
    """
    accepted, offered = queue.messages, record.missed
    if offered is not None and all(each.message.edits and not each.item.note for each in accepted):
        return apply_edits(offered.messages, [each.message for each in accepted])
    if not accepted:
        return record.last
    turn, burst = queue.turn, queue.edited
    if turn.missed:
        others = [each for each in burst if each.item.id not in turn.items]
        return None if others else asked_messages(burst)
    if turn.stage in (TurnStage.ACCEPTED, TurnStage.RUNNING) or turn.questions or queue.behind(turn):
        return None
    if still := record.still_offered(burst[-1].message):
        return still.messages
    if turn.answers or not turn.thread:
        return record.last
    return asked_messages(expand_edit(record.last, burst))
