"""A person's own affairs at a glance: the agent's state, what is remembered of them, and open questions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Container, Mapping
from dataclasses import dataclass

from parley.core.hitl.records import decode_question, question_document_key
from parley.core.inbound.access import may_talk
from parley.core.model.address import Conversation, User
from parley.core.model.options import ChannelOptions
from parley.core.ports.channel import PersonOverview
from parley.core.ports.health import Health, HealthReport
from parley.core.ports.journal import DocumentRepository, iter_documents
from parley.core.ports.memory.port import Memory, MemoryView
from parley.core.state.conversations import ConversationRecord, conversation_document_key, decode_conversation
from parley.core.state.people import PersonRepository
from parley.core.texts import language_of

MOST_FACTS = 10
MOST_QUESTIONS = 5
MOST_CONVERSATIONS = 5_000
"""Of a private chat, among which open questions are looked for; each message to an agent may begin one."""


@dataclass(frozen=True, slots=True)
class PersonOverviews:
    """Reads overviews. `paired` has the keys of the accounts that an administrator let in.

    `agent` asks the agent server how it is; it never raises.
    """

    documents: DocumentRepository
    memory: Memory
    people: PersonRepository
    channels: Mapping[str, ChannelOptions]
    agent: Callable[[], Awaitable[HealthReport]]
    paired: Container[str] = ()

    async def describe(self, user: User, chat: Conversation) -> PersonOverview | None:
        """Return somebody's overview, where `chat` is their private one; None for who may not talk.

        Raises StoreUnavailable, MemoryFailed.
        """
        options = self.channels[user.channel]
        if not may_talk(options, user, chat, self.paired):
            return None
        seen = MemoryView(on=False)
        if self.memory.enabled:
            seen = await self.memory.overview(await self.people.person_of(user))
        chosen = await self.people.language_of(user)
        return PersonOverview(
            language=language_of(chosen, options.language, user.language),
            learning=seen.on,
            summaries=tuple(text for _, text in seen.summaries),
            facts=tuple(fact.content for fact in seen.facts[:MOST_FACTS]),
            more=max(0, len(seen.facts) - MOST_FACTS),
            questions=await self._questions(chat),
            reachable=(await self.agent()).health is Health.UP,
        )

    async def _questions(self, chat: Conversation) -> tuple[str, ...]:
        found: list[str] = []
        async for record in self._records(chat):
            for key in record.question.keys if record.question else ():
                asked = decode_question(await self.documents.get(question_document_key(key)))
                if asked is not None and asked.open and len(found) < MOST_QUESTIONS:
                    found.append(asked.question.prompt)
        return tuple(found)

    async def _records(self, chat: Conversation) -> AsyncIterator[ConversationRecord]:
        """Yield what is kept of a chat's own conversation, and of those of its threads."""
        key = conversation_document_key(chat)
        yield decode_conversation(await self.documents.get(key))
        seen = 0
        async for document in iter_documents(self.documents, f"{key}:"):
            yield decode_conversation(document)
            seen += 1
            if seen == MOST_CONVERSATIONS:
                return
