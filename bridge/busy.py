"""What becomes of a message that comes while a run of its conversation is on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridge.codec import encode
from bridge.conversations import ConversationRecord, read_conversation
from bridge.options import ChannelOptions, WhenBusy
from bridge.ports import Documents, Item, Journal, Put
from bridge.queues import knocks_of, turns
from bridge.record import Stage, TurnRecord, read_record
from bridge.types import Conversation, InboundMessage

_TOGETHER = frozenset({WhenBusy.MERGE, WhenBusy.INTERRUPT, WhenBusy.REJECT})


@dataclass(frozen=True, slots=True)
class Knock:
    """A message that a running turn is to make way for (`stops`), or that waits to be let in."""

    message: InboundMessage
    stops: bool = False


def way(options: ChannelOptions, record: ConversationRecord) -> WhenBusy:
    """The way of a conversation: what was chosen there, else its channel's."""
    return record.when_busy or options.when_busy


async def way_of(documents: Documents, options: ChannelOptions, conversation: Conversation) -> WhenBusy:
    """The same, looked up. Raises StoreUnavailable."""
    record, _ = await read_conversation(documents, conversation)
    return way(options, record)


def waits_together(chosen: WhenBusy) -> bool:
    """Whether all that wait are one turn. Only what is queued is answered one by one."""
    return chosen in _TOGETHER


def accepted(chosen: WhenBusy, message: InboundMessage) -> tuple[Put, ...]:
    """How a message for the agent is made durable; the first put tells whether it is new.

    To interrupt, it is put together with a knock. Where it may be rejected it only knocks: that lane lets
    one in at a time, so that nobody slips in beside another.
    """
    name = f"{message.conversation.channel}:{message.id}"
    if chosen is WhenBusy.REJECT:
        return (_knock(Knock(message), name),)
    if chosen is WhenBusy.INTERRUPT:
        return (for_agent(message, name), _knock(Knock(message, stops=True), name))
    return (for_agent(message, name),)


def for_agent(message: InboundMessage, dedupe: str) -> Put:
    """The message in the queue of its conversation's turns."""
    return Put(turns(message.conversation), message.conversation.key, encode(message), dedupe)


async def waiting_for(journal: Journal, conversation: Conversation) -> tuple[Item, ...]:
    """The items of a conversation's turns, the running one's among them. Raises StoreUnavailable."""
    return await journal.waiting(turns(conversation), conversation.key)


def running(waiting: Sequence[Item]) -> TurnRecord | None:
    """The turn whose run is on, of a conversation's waiting items."""
    record = read_record(waiting[0]) if waiting and waiting[0].note else None
    return record if record is not None and record.stage is Stage.RUNNING else None


def waits_behind(turn: TurnRecord, waiting: Iterable[Item]) -> bool:
    """Whether anything waits that is not of the turn itself."""
    return any(item.id not in turn.items for item in waiting)


def _knock(knock: Knock, dedupe: str) -> Put:
    conversation = knock.message.conversation
    return Put(knocks_of(conversation.channel), conversation.key, encode(knock), dedupe)
