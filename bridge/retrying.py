"""The last turn, answered again: the same messages on the same thread, as a turn of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.bursts import Accepted, read
from bridge.busy import for_agent, waits_behind
from bridge.conversations import ConversationRecord
from bridge.editing import folded, spelled_out
from bridge.ports import Item, Put
from bridge.record import Stage, read_record
from bridge.types import InboundMessage


def asked_by(burst: Sequence[Accepted]) -> tuple[InboundMessage, ...]:
    """What a turn was asked, to be kept for another try."""
    return tuple(replace(accepted.message, retries="") for accepted in burst)


def askable(record: ConversationRecord, waiting: Sequence[Item]) -> tuple[InboundMessage, ...] | None:
    """What a conversation was asked last, or was offered to be answered after all; () for nothing, None while
    its turns are not over.

    A turn that is only being delivered is over, though its conversation does not say so yet.
    """
    if not waiting:
        return record.missed.messages if record.missed is not None else record.last
    turn = read_record(waiting[0])
    if turn.stage in (Stage.ACCEPTED, Stage.RUNNING) or turn.questions or waits_behind(turn, waiting):
        return None
    burst = folded(read(waiting))
    if turn.missed:
        return asked_by(burst)
    if offered := record.still_offered(burst[-1].message):
        return offered.messages
    if turn.answers or not turn.thread:
        return record.last
    return asked_by(spelled_out(record.last, burst))


def again(messages: Sequence[InboundMessage], wish: str) -> tuple[Put, ...]:
    """The messages once more, as one turn; putting them again for the same `wish` changes nothing."""
    return tuple(
        for_agent(replace(message, retries=wish), f"retry:{wish}:{number}")
        for number, message in enumerate(messages)
    )
