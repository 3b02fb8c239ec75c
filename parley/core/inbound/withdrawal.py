"""Taking back a message that still waits to be answered."""

from __future__ import annotations

from parley.core.inbound.turn_queue import load_queue
from parley.core.model.address import Conversation, User
from parley.core.model.queues import turn_queue_of
from parley.core.ports.journal import Journal


async def withdraw_message(
    journal: Journal, conversation: Conversation, message_id: str, sender: User
) -> bool:
    """Take a message of `sender` back, with its edits; False where it is being answered already, or was.

    It is decided in the store: a turn notes on all its messages before it runs. Raises StoreUnavailable.
    """
    found = False
    for each in (await load_queue(journal, conversation)).messages:
        message = each.message
        if message_id not in (message.id, message.edits) or message.sender.id != sender.id:
            continue
        withdrawn = await journal.withdraw(turn_queue_of(conversation), conversation.key, each.item.id)
        if not message.edits and not withdrawn:
            return False
        found = found or not message.edits
    return found
