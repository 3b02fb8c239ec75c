"""Taking back a message that still waits to be answered."""

from __future__ import annotations

from parley.core.busy import waiting_for
from parley.core.codec import decode
from parley.core.journal import Journal
from parley.core.queues import turns
from parley.core.types import Conversation, InboundMessage, User


async def withdraw(journal: Journal, conversation: Conversation, message_id: str, sender: User) -> bool:
    """Take a message of `sender` back, with its edits; False where it is being answered already, or was.

    It is decided in the store: a turn notes on all its messages before it runs. Raises StoreUnavailable.
    """
    found = False
    for item in await waiting_for(journal, conversation):
        message = decode(InboundMessage, item.body)
        if message_id not in (message.id, message.edits) or message.sender.id != sender.id:
            continue
        withdrawn = await journal.withdraw(turns(conversation), conversation.key, item.id)
        if not message.edits and not withdrawn:
            return False
        found = found or not message.edits
    return found
