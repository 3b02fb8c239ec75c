"""In which topics we talk: from the moment on in which a message for us is accepted there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from parley.core.inbound.batching import decode_messages
from parley.core.inbound.turn_queue import BusySignal
from parley.core.model.address import Conversation
from parley.core.model.codec import decode
from parley.core.model.earlier_messages import MessagePosition
from parley.core.model.queues import busy_signal_queue, turn_queue_of
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Journal
from parley.core.state.conversations import conversation_document_key, load_conversation


class OwnTopics:
    """Knows a topic by what waits to be answered there, and later by the record that its turns leave."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._arriving: Counter[str] = Counter()

    @contextmanager
    def arriving(self, conversation: Conversation) -> Iterator[None]:
        """Count a topic as ours while a message for us is being stored: what was sent after it may be looked
        at before that is done.
        """
        key = conversation.key
        self._arriving[key] += 1
        try:
            yield
        finally:
            self._arriving[key] -= 1
            if not self._arriving[key]:
                del self._arriving[key]

    async def is_ours(self, conversation: Conversation) -> bool:
        """Return whether a message for us was accepted in a topic. Raises StoreUnavailable."""
        return (
            conversation.key in self._arriving
            or await self._is_recorded(conversation)
            or await self._is_waiting(conversation)
            # What waited at the first look may have been answered before the second.
            or await self._is_recorded(conversation)
        )

    async def positions(self, conversation: Conversation) -> tuple[MessagePosition, ...]:
        """Return where the messages for us stand that wait in a topic, or were answered last.

        None where only a command was said. Raises StoreUnavailable.
        """
        # In the order in which a message goes from one to the next.
        signals = await self._journal.waiting(busy_signal_queue(conversation.channel), conversation.key)
        turns = await self._journal.waiting(turn_queue_of(conversation), conversation.key)
        record, _ = await load_conversation(self._journal, conversation)
        found = (
            *(decode(BusySignal, signal.body).message for signal in signals),
            *(each.message for each in decode_messages(turns)),
            *record.last,
        )
        return tuple(MessagePosition(each.id, each.sent_at) for each in found if _was_written(each))

    async def _is_recorded(self, conversation: Conversation) -> bool:
        return (await self._journal.get(conversation_document_key(conversation))).version > 0

    async def _is_waiting(self, conversation: Conversation) -> bool:
        # In the order in which a message goes from one to the other.
        for queue in (busy_signal_queue(conversation.channel), turn_queue_of(conversation)):
            if await self._journal.waiting(queue, conversation.key):
                return True
        return False


def begins_topic(message: InboundMessage) -> bool:
    """Return whether its topic is called after a message: nothing was said there before it."""
    return message.id.rpartition(":")[2] == message.conversation.topic


def _was_written(message: InboundMessage) -> bool:
    return not (message.edits or message.resumes or message.retries or message.follows)
