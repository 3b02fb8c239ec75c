"""The last turn, answered again: the same messages on the same thread, as a turn of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.bursts import Accepted, read
from parley.core.busy import for_agent, waits_behind
from parley.core.conversations import ConversationRecord
from parley.core.editing import folded, rewritten, spelled_out
from parley.core.ports import Item, Put
from parley.core.record import Stage, read_record
from parley.core.types import InboundMessage


def asked_by(burst: Sequence[Accepted]) -> tuple[InboundMessage, ...]:
    """What a turn was asked, to be kept for another try."""
    return tuple(replace(accepted.message, retries="") for accepted in burst)


def askable(record: ConversationRecord, waiting: Sequence[Item]) -> tuple[InboundMessage, ...] | None:
    """What a conversation was asked last, or was offered to be answered after all; () for nothing, None while
    its turns are not over.

    A turn that is only being delivered is over, though its conversation does not say so yet.
    """
    accepted, offered = read(waiting), record.missed
    if offered is not None and all(each.message.edits and not each.item.note for each in accepted):
        return rewritten(offered.messages, [each.message for each in accepted])
    if not waiting:
        return record.last
    turn, burst = read_record(waiting[0]), folded(accepted)
    if turn.missed:
        others = [each for each in burst if each.item.id not in turn.items]
        return None if others else asked_by(burst)
    if turn.stage in (Stage.ACCEPTED, Stage.RUNNING) or turn.questions or waits_behind(turn, waiting):
        return None
    if still := record.still_offered(burst[-1].message):
        return still.messages
    if turn.answers or not turn.thread:
        return record.last
    return asked_by(spelled_out(record.last, burst))


def again(messages: Sequence[InboundMessage], wish: str) -> tuple[Put, ...]:
    """The messages once more, as one turn; putting them again for the same `wish` changes nothing."""
    return tuple(
        for_agent(replace(message, retries=wish), f"retry:{wish}:{number}")
        for number, message in enumerate(messages)
    )
