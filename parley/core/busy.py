"""What becomes of a message that comes while a run of its conversation is on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parley.core.bursts import content
from parley.core.codec import decode, encode
from parley.core.conversations import ConversationRecord, read_conversation
from parley.core.options import ChannelOptions, OnEdit, WhenBusy
from parley.core.ports import Documents, Item, Journal, Put
from parley.core.queues import knocks_of, turns
from parley.core.record import Stage, TurnRecord, read_record
from parley.core.types import Conversation, InboundMessage, RunRef

_TOGETHER = frozenset({WhenBusy.MERGE, WhenBusy.INTERRUPT, WhenBusy.REJECT})
# Seconds in which a server has made a run that we asked for and never heard of.
_MADE_BY = 5.0


@dataclass(frozen=True, slots=True)
class Knock:
    """A message that a running turn is to make way for (`stops`), or that waits to be let in.

    With a `run` (whose id may not be known) it is that run which still has to be stopped: the one that was
    made for `turn`.
    """

    message: InboundMessage
    stops: bool = False
    run: RunRef | None = None
    turn: str = ""


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

    To interrupt, and as an edit, it is put together with a knock. Where it may be rejected it only knocks:
    that lane lets one in at a time, so that nobody slips in beside another, or an edit in before its message.
    """
    name = f"{message.conversation.channel}:{message.id}"
    if chosen is WhenBusy.REJECT:
        return (_knock(Knock(message, stops=bool(message.edits)), name),)
    if chosen is WhenBusy.INTERRUPT or message.edits:
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


async def gives_way(
    journal: Journal,
    options: ChannelOptions,
    record: ConversationRecord,
    turn: TurnRecord,
    conversation: Conversation,
) -> bool:
    """Whether a turn that is about to run is to end at once. Raises StoreUnavailable.

    The knock of what waits behind it may have come before its run was on, or to a process that was stopped.
    """
    interrupts = way(options, record) is WhenBusy.INTERRUPT
    if not interrupts and options.on_edit is OnEdit.IGNORE:
        return False
    waiting = await waiting_for(journal, conversation)
    return (interrupts and interrupted(turn, waiting)) or edited(turn, waiting, record.last)


def interrupted(turn: TurnRecord, waiting: Iterable[Item]) -> bool:
    """Whether a new message waits behind the turn; an edit is none."""
    return any(not message.edits for message in _behind(turn, waiting))


def edited(turn: TurnRecord, waiting: Sequence[Item], last: Sequence[InboundMessage]) -> bool:
    """Whether what waits next is an edit that changes what the turn was asked.

    A turn that goes on, or runs again, was asked what the `last` one was.
    """
    behind = _behind(turn, waiting)
    if not behind or not behind[0].edits:
        return False
    asked = [decode(InboundMessage, item.body) for item in waiting if item.id in turn.items]
    known = last if any(each.resumes or each.retries or each.edits for each in asked) else ()
    said = [*known, *(each for each in asked if not each.resumes)]
    contents = {each.edits or each.id: content(each) for each in said}
    now = content(behind[0])
    return contents.get(behind[0].edits, now) != now


def still_to_stop(message: InboundMessage, run: RunRef, turn: str) -> Put:
    """The run of a turn that is over for us, while its server may not know that yet."""
    knock = Knock(message, run=run, turn=turn)
    queue, name = knocks_of(message.conversation.channel), f"stop:{turn}"
    return Put(queue, name, encode(knock), name, delay=0.0 if run.run_id else _MADE_BY)


def _behind(turn: TurnRecord, waiting: Iterable[Item]) -> list[InboundMessage]:
    return [decode(InboundMessage, item.body) for item in waiting if item.id not in turn.items]


def _knock(knock: Knock, dedupe: str) -> Put:
    conversation = knock.message.conversation
    return Put(knocks_of(conversation.channel), conversation.key, encode(knock), dedupe)
