"""What is queued for a conversation: its turns, the signals of messages that come while one runs, retries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parley.core.inbound.batching import QueuedMessage, decode_messages
from parley.core.inbound.edits import fold_edits
from parley.core.model.address import Conversation
from parley.core.model.codec import encode
from parley.core.model.queues import busy_signal_queue, turn_queue_of
from parley.core.model.types import InboundMessage, RunRef
from parley.core.ports.journal import Journal, NewQueueItem, QueueItem
from parley.core.state.turn_record import TurnRecord, TurnStage, read_turn_record

# Seconds in which a server has made a run that we asked for and never heard of.
_MADE_BY = 5.0


@dataclass(frozen=True, slots=True)
class BusySignal:
    """A message that a running turn is to make way for (`stops`), or that waits to be let in.

    `recalled` says that its writer took it back, and that a turn which answers it is to end.
    With `stops` and a `turn` somebody pressed the stop button of that turn, which this message began.
    With a `run` (whose id may not be known) it is that run which still has to be stopped: the one that was
    made for `turn`.
    """

    message: InboundMessage
    stops: bool = False
    run: RunRef | None = None
    turn: str = ""
    recalled: bool = False


@dataclass(frozen=True, slots=True)
class ConversationQueue:
    """A conversation's waiting items, and the record of the turn that the first of them begins or is."""

    items: tuple[QueueItem, ...]
    turn: TurnRecord

    @property
    def messages(self) -> tuple[QueuedMessage, ...]:
        """Return the messages, as they were written."""
        return decode_messages(self.items)

    @property
    def edited(self) -> tuple[QueuedMessage, ...]:
        """Return the messages, as they read after the edits that wait behind them."""
        return fold_edits(self.messages)

    @property
    def running(self) -> bool:
        """Return whether the first turn's run is on."""
        return self.turn.stage is TurnStage.RUNNING

    def of(self, turn: TurnRecord) -> list[InboundMessage]:
        """Return the messages that the turn answers."""
        return [each.message for each in self.messages if each.item.id in turn.items]

    def behind(self, turn: TurnRecord) -> list[InboundMessage]:
        """Return the messages that wait behind the turn."""
        return [each.message for each in self.messages if each.item.id not in turn.items]


def queue_of_items(items: Sequence[QueueItem]) -> ConversationQueue:
    """Return what these items of a conversation's turns are, those of a turn that has begun first."""
    if not items:
        return ConversationQueue((), TurnRecord())
    head = _begun(items) or items[0]
    record = read_turn_record(head)
    places = {item: place for place, item in enumerate(record.items)} if head.note else {}
    ordered = sorted(items, key=lambda item: (item.id != head.id, places.get(item.id, len(places))))
    return ConversationQueue(tuple(ordered), record)


def _begun(items: Sequence[QueueItem]) -> QueueItem | None:
    """Return the item that carries the record of the turn that has begun; its other items are noted too."""
    noted = [item for item in items if item.note]
    if len(noted) < 2:
        return noted[0] if noted else None
    working = (item for item in noted if read_turn_record(item).stage is not TurnStage.ACCEPTED)
    return next(working, noted[0])


async def load_queue(journal: Journal, conversation: Conversation) -> ConversationQueue:
    """Read what waits for a conversation's turns, the running one among it. Raises StoreUnavailable."""
    return queue_of_items(await journal.waiting(turn_queue_of(conversation), conversation.key))


def turn_item(message: InboundMessage, dedupe: str) -> NewQueueItem:
    """Return the message as an item of its conversation's turns."""
    return NewQueueItem(
        turn_queue_of(message.conversation), message.conversation.key, encode(message), dedupe
    )


def retry_items(messages: Sequence[InboundMessage], wish: str) -> tuple[NewQueueItem, ...]:
    """Return the messages once more, as one turn; put again for the same `wish` they change nothing."""
    return tuple(
        turn_item(replace(message, retries=wish), f"retry:{wish}:{number}")
        for number, message in enumerate(messages)
    )


def busy_signal_item(signal: BusySignal, dedupe: str) -> NewQueueItem:
    """Return the signal as an item of its conversation's lane."""
    conversation = signal.message.conversation
    return NewQueueItem(busy_signal_queue(conversation.channel), conversation.key, encode(signal), dedupe)


def stop_run_item(message: InboundMessage, run: RunRef, turn: str) -> NewQueueItem:
    """Return the work of stopping a run that is over for us, while its server may not know that yet."""
    signal = BusySignal(message, run=run, turn=turn)
    queue, name = busy_signal_queue(message.conversation.channel), f"stop:{turn}"
    return NewQueueItem(queue, name, encode(signal), name, delay=0.0 if run.run_id else _MADE_BY)
