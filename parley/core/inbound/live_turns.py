"""Turns that are under way: whether one still runs, and what its person said."""

from __future__ import annotations

from parley.core.inbound.turn_queue import load_queue
from parley.core.model.address import Conversation, account_key
from parley.core.ports.journal import Journal
from parley.core.state.conversations import ConversationRepository


class LiveTurns:
    """Reads the queue of a conversation. Every method raises StoreUnavailable."""

    def __init__(self, journal: Journal, conversations: ConversationRepository) -> None:
        self._journal = journal
        self._conversations = conversations

    async def words(self, conversation: str, turn: str, account: str, *, private: bool) -> str | None:
        """Return what an account said in a turn whose run is on now, and in private shortly before it.

        None where that turn is over, is another one, or is not theirs.
        """
        place = Conversation.parse(conversation)
        queue = await load_queue(self._journal, place)
        if not queue.items or not queue.running or self._conversations.turn_id(queue.items[0].id) != turn:
            return None
        said = [one.text for one in queue.of(queue.turn) if account_key(one.sender) == account]
        if not said:
            return None
        spoken = [each.text for each in queue.turn.transcripts]
        before = (await self._conversations.read(place))[0].said if private else ()
        return "\n".join((*before, *said, *spoken))
