"""What becomes of a message that comes while a run of its conversation is on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parley.core.inbound.batching import message_content
from parley.core.model.address import Conversation
from parley.core.model.codec import decode, encode
from parley.core.model.options import BusyPolicy, ChannelOptions, EditPolicy
from parley.core.model.queues import busy_signal_queue, turn_queue_of
from parley.core.model.types import InboundMessage, RunRef
from parley.core.ports.journal import DocumentRepository, Journal, NewQueueItem, QueueItem
from parley.core.state.conversations import ConversationRecord, load_conversation
from parley.core.state.turn_record import TurnRecord, TurnStage, read_turn_record

_TOGETHER = frozenset({BusyPolicy.MERGE, BusyPolicy.INTERRUPT, BusyPolicy.REJECT})
# Seconds in which a server has made a run that we asked for and never heard of.
_MADE_BY = 5.0


@dataclass(frozen=True, slots=True)
class BusySignal:
    """A message that a running turn is to make way for (`stops`), or that waits to be let in.

    With a `run` (whose id may not be known) it is that run which still has to be stopped: the one that was
    made for `turn`.
    """

    message: InboundMessage
    stops: bool = False
    run: RunRef | None = None
    turn: str = ""


def effective_busy_policy(options: ChannelOptions, record: ConversationRecord) -> BusyPolicy:
    """The way of a conversation: what was chosen there, else its channel's."""
    return record.when_busy or options.when_busy


async def load_busy_policy(
    documents: DocumentRepository, options: ChannelOptions, conversation: Conversation
) -> BusyPolicy:
    """The same, looked up. Raises StoreUnavailable."""
    record, _ = await load_conversation(documents, conversation)
    return effective_busy_policy(options, record)


def answers_together(chosen: BusyPolicy) -> bool:
    """Whether all that wait are one turn. Only what is queued is answered one by one."""
    return chosen in _TOGETHER


def inbound_items(chosen: BusyPolicy, message: InboundMessage) -> tuple[NewQueueItem, ...]:
    """How a message for the agent is made durable; the first put tells whether it is new.

    To interrupt, and as an edit, it is put together with a knock. Where it may be rejected it only knocks:
    that lane lets one in at a time, so that nobody slips in beside another, or an edit in before its message.
    """
    name = f"{message.conversation.channel}:{message.id}"
    if chosen is BusyPolicy.REJECT:
        return (_knock(BusySignal(message, stops=bool(message.edits)), name),)
    if chosen is BusyPolicy.INTERRUPT or message.edits:
        return (turn_item(message, name), _knock(BusySignal(message, stops=True), name))
    return (turn_item(message, name),)


def turn_item(message: InboundMessage, dedupe: str) -> NewQueueItem:
    """The message in the queue of its conversation's turns."""
    return NewQueueItem(
        turn_queue_of(message.conversation), message.conversation.key, encode(message), dedupe
    )


async def waiting_turn_items(journal: Journal, conversation: Conversation) -> tuple[QueueItem, ...]:
    """The items of a conversation's turns, the running one's among them. Raises StoreUnavailable."""
    return await journal.waiting(turn_queue_of(conversation), conversation.key)


def running_turn(waiting: Sequence[QueueItem]) -> TurnRecord | None:
    """The turn whose run is on, of a conversation's waiting items."""
    record = read_turn_record(waiting[0]) if waiting and waiting[0].note else None
    return record if record is not None and record.stage is TurnStage.RUNNING else None


def has_waiting_behind(turn: TurnRecord, waiting: Iterable[QueueItem]) -> bool:
    """Whether anything waits that is not of the turn itself."""
    return any(item.id not in turn.items for item in waiting)


async def must_yield(
    journal: Journal,
    options: ChannelOptions,
    record: ConversationRecord,
    turn: TurnRecord,
    conversation: Conversation,
) -> bool:
    """Whether a turn that is about to run is to end at once. Raises StoreUnavailable.

    The knock of what waits behind it may have come before its run was on, or to a process that was stopped.
    """
    interrupts = effective_busy_policy(options, record) is BusyPolicy.INTERRUPT
    if not interrupts and options.on_edit is EditPolicy.IGNORE:
        return False
    waiting = await waiting_turn_items(journal, conversation)
    return (interrupts and is_interrupted(turn, waiting)) or is_edited(turn, waiting, record.last)


def is_interrupted(turn: TurnRecord, waiting: Iterable[QueueItem]) -> bool:
    """Whether a new message waits behind the turn; an edit is none."""
    return any(not message.edits for message in _behind(turn, waiting))


def is_edited(turn: TurnRecord, waiting: Sequence[QueueItem], last: Sequence[InboundMessage]) -> bool:
    """Whether what waits next is an edit that changes what the turn was asked.

    A turn that goes on, or runs again, was asked what the `last` one was.
    """
    behind = _behind(turn, waiting)
    if not behind or not behind[0].edits:
        return False
    asked = [decode(InboundMessage, item.body) for item in waiting if item.id in turn.items]
    known = last if any(each.resumes or each.retries or each.edits for each in asked) else ()
    said = [*known, *(each for each in asked if not each.resumes)]
    contents = {each.edits or each.id: message_content(each) for each in said}
    now = message_content(behind[0])
    return contents.get(behind[0].edits, now) != now


def stop_run_item(message: InboundMessage, run: RunRef, turn: str) -> NewQueueItem:
    """The run of a turn that is over for us, while its server may not know that yet."""
    knock = BusySignal(message, run=run, turn=turn)
    queue, name = busy_signal_queue(message.conversation.channel), f"stop:{turn}"
    return NewQueueItem(queue, name, encode(knock), name, delay=0.0 if run.run_id else _MADE_BY)


def _behind(turn: TurnRecord, waiting: Iterable[QueueItem]) -> list[InboundMessage]:
    return [decode(InboundMessage, item.body) for item in waiting if item.id not in turn.items]


def _knock(knock: BusySignal, dedupe: str) -> NewQueueItem:
    conversation = knock.message.conversation
    return NewQueueItem(busy_signal_queue(conversation.channel), conversation.key, encode(knock), dedupe)
