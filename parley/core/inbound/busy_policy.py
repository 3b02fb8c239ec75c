"""What becomes of a message that comes while a run of its conversation is on."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.inbound.batching import message_content
from parley.core.inbound.turn_queue import (
    BusySignal,
    ConversationQueue,
    busy_signal_item,
    load_queue,
    turn_item,
)
from parley.core.model.address import Conversation
from parley.core.model.options import BusyPolicy, ChannelOptions, EditPolicy
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import DocumentRepository, Journal, NewQueueItem
from parley.core.state.conversations import ConversationRecord, load_conversation
from parley.core.state.turn_record import TurnRecord

_TOGETHER = frozenset({BusyPolicy.MERGE, BusyPolicy.INTERRUPT, BusyPolicy.REJECT})


def effective_busy_policy(options: ChannelOptions, record: ConversationRecord) -> BusyPolicy:
    """Return the way of a conversation: what was chosen there, else its channel's."""
    return record.when_busy or options.when_busy


async def load_busy_policy(
    documents: DocumentRepository, options: ChannelOptions, conversation: Conversation
) -> BusyPolicy:
    """Return the same, looked up. Raises StoreUnavailable."""
    record, _ = await load_conversation(documents, conversation)
    return effective_busy_policy(options, record)


def answers_together(chosen: BusyPolicy) -> bool:
    """Return whether all that wait are one turn. Only what is queued is answered one by one."""
    return chosen in _TOGETHER


def inbound_items(chosen: BusyPolicy, message: InboundMessage) -> tuple[NewQueueItem, ...]:
    """Return how a message for the agent is made durable; the first put tells whether it is new.

    To interrupt, and as an edit, it is put together with a knock. Where it may be rejected it only knocks:
    that lane lets one in at a time, so that nobody slips in beside another, or an edit in before its message.
    """
    name = f"{message.conversation.channel}:{message.id}"
    if chosen is BusyPolicy.REJECT:
        return (busy_signal_item(BusySignal(message, stops=bool(message.edits)), name),)
    if chosen is BusyPolicy.INTERRUPT or message.edits:
        return (turn_item(message, name), busy_signal_item(BusySignal(message, stops=True), name))
    return (turn_item(message, name),)


async def must_yield(
    journal: Journal,
    options: ChannelOptions,
    record: ConversationRecord,
    turn: TurnRecord,
    conversation: Conversation,
) -> bool:
    """Return whether a turn that is about to run is to end at once. Raises StoreUnavailable.

    The knock of what waits behind it may have come before its run was on, or to a process that was stopped.
    """
    interrupts = effective_busy_policy(options, record) is BusyPolicy.INTERRUPT
    if not interrupts and options.on_edit is EditPolicy.IGNORE:
        return False
    queue = await load_queue(journal, conversation)
    return (interrupts and is_interrupted(turn, queue)) or is_edited(turn, queue, record.last)


def is_interrupted(turn: TurnRecord, queue: ConversationQueue) -> bool:
    """Return whether a new message waits behind the turn; an edit is none."""
    return any(not message.edits for message in queue.behind(turn))


def is_edited(turn: TurnRecord, queue: ConversationQueue, last: Sequence[InboundMessage]) -> bool:
    """Return whether what waits next is an edit that changes what the turn was asked.

    A turn that goes on, or runs again, was asked what the `last` one was.
    """
    behind = queue.behind(turn)
    if not behind or not behind[0].edits:
        return False
    asked = queue.of(turn)
    known = last if any(each.resumes or each.retries or each.edits for each in asked) else ()
    said = [*known, *(each for each in asked if not each.resumes)]
    contents = {each.edits or each.id: message_content(each) for each in said}
    now = message_content(behind[0])
    return contents.get(behind[0].edits, now) != now
