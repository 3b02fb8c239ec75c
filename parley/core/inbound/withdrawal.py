"""Taking back a message that still waits to be answered."""

from __future__ import annotations

from parley.core.inbound.busy_policy import waiting_turn_items
from parley.core.model.address import Conversation, User
from parley.core.model.codec import decode
from parley.core.model.queues import turn_queue_of
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Journal


async def withdraw_message(
    journal: Journal, conversation: Conversation, message_id: str, sender: User
) -> bool:
    """Take a message of `sender` back, with its edits; False where it is being answered already, or was.

    It is decided in the store: a turn notes on all its messages before it runs. Raises StoreUnavailable.
    """
    found = False
    for item in await waiting_turn_items(journal, conversation):
        message = decode(InboundMessage, item.body)
        if message_id not in (message.id, message.edits) or message.sender.id != sender.id:
            continue
        withdrawn = await journal.withdraw(turn_queue_of(conversation), conversation.key, item.id)
        if not message.edits and not withdrawn:
            return False
        found = found or not message.edits
    return found
