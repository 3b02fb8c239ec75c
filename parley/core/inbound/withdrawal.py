"""Taking messages back: one that waits leaves the queue, one that is being answered has its run stopped."""

from __future__ import annotations

from parley.core.inbound.turn_queue import BusySignal, ConversationQueue, busy_signal_item, load_queue
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


async def recall_message(journal: Journal, conversation: Conversation, message_id: str) -> None:
    """Have a message that was taken back on its platform not be answered. Raises StoreUnavailable.

    Where it is answered already, the run is stopped, durably: a crash in between forgets nothing.
    """
    found = [each.message for each in (await load_queue(journal, conversation)).messages]
    message = next((each for each in found if each.id == message_id), None)
    if message is None or await withdraw_message(journal, conversation, message_id, message.sender):
        return
    signal = BusySignal(message, recalled=True)
    await journal.put(busy_signal_item(signal, f"recalled:{conversation.key}:{message_id}"))


def is_recalled(signal: BusySignal, queue: ConversationQueue) -> bool:
    """Tell whether the running turn answers a recalled message, and no other with it."""
    return queue.running and [each.id for each in queue.of(queue.turn)] == [signal.message.id]
