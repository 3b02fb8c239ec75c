"""What the agent was told of a person's memory for the last answer in a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parley.core.model.address import Conversation, User
from parley.core.model.options import ChannelOptions
from parley.core.ports.memory.controls import MemoryControls, ToldMemory
from parley.core.ports.memory.port import RecallQuery
from parley.core.state.conversations import ConversationRepository, with_chosen_session
from parley.core.state.people import PersonRepository


@dataclass(frozen=True, slots=True)
class ToldMemoryReader:
    """Reads it for people and for operators; `rules` are those of each channel."""

    conversations: ConversationRepository
    people: PersonRepository
    controls: MemoryControls
    rules: Mapping[str, ChannelOptions]

    async def read(self, person: str, conversation: Conversation, user: User) -> ToldMemory | None:
        """Return what was told of `person`, whose account there is `user`; None where that is not known.

        Raises MemoryFailed, StoreUnavailable.
        """
        record, _ = await self.conversations.read(conversation)
        options = self.rules[conversation.channel].at(conversation)
        query = RecallQuery(
            person=person,
            assistant=with_chosen_session(options, user, record).assistant,
            thread=self.conversations.thread_id(conversation, record),
            messages=record.said,
            private=True,
        )
        return await self.controls.told(query)

    async def read_for(self, person: str, conversation: Conversation) -> ToldMemory | None:
        """Do so for an operator; a channel that is not there, or where they have no account, told nothing.

        Raises MemoryFailed, StoreUnavailable.
        """
        channel = conversation.channel
        found = [each for each in await self.people.accounts_of(person) if each.startswith(f"{channel}:")]
        if not found or channel not in self.rules:
            return None
        return await self.read(person, conversation, User(channel, Conversation.parse(found[0]).chat))
