"""Past conversations: what is kept of a turn, who may find it, and how it goes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta

from parley.core.model.address import account_key
from parley.core.model.types import CompletedTurn
from parley.core.ports.journal import Document, DocumentRepository
from parley.core.ports.memory.past_turns import PastTurn, PastTurnQuery
from parley.core.ports.memory.port import FactView
from parley.memory.cache import MemoryCache
from parley.memory.edits.distinctive_terms import distinctive_terms
from parley.memory.edits.forgetting import make_repeat_check
from parley.memory.learning.extraction.turn_filter import head_and_tail
from parley.memory.options import Groups, MemoryOptions
from parley.memory.past_turns.search import PastTurnSearch
from parley.memory.past_turns.storage import PastTurnStorage, past_turn_documents, utc_day
from parley.memory.person_state import PersonStateStore
from parley.memory.text.secrets.masking import mask_secrets
from parley.memory.text.sentences import split_sentences

_MOST_CHARS = 4_000


class PastTurnService:
    """Implements the port `PastTurns`: by person, for `past_conversations_days`.

    What is kept follows memory: nothing while it is off, nothing from groups where it is off there, and
    nothing that was said before the person cleared it.
    """

    def __init__(
        self,
        documents: DocumentRepository,
        cache: MemoryCache,
        states: PersonStateStore,
        options: MemoryOptions,
        clock: Callable[[], float],
    ) -> None:
        self._documents = documents
        self._storage = PastTurnStorage(documents)
        self._search = PastTurnSearch()
        self._cache = cache
        self._states = states
        self._options = options
        self._clock = clock

    def reconfigure(self, options: MemoryOptions) -> None:
        """Let other options hold from now on."""
        self._options = options

    @property
    def enabled(self) -> bool:
        return self._options.enabled and self._options.past_conversations_days > 0

    async def documents_of(self, turn: CompletedTurn) -> tuple[Document, ...]:
        hidden = not turn.private and self._options.groups is Groups.OFF
        if not self.enabled or hidden or not turn.user_text.strip():
            return ()
        state, unchanged = await self._states.get_fenced(turn.person)
        if turn.at <= state.cleared_at or await self._is_off(turn.person):
            return ()
        kept = PastTurn(
            turn.id,
            turn.person,
            account_key(turn.speaker),
            turn.conversation.key,
            turn.assistant,
            turn.private,
            turn.at,
            _kept_text(turn.user_text),
            _kept_text(turn.reply_text),
        )
        own, by_conversation = past_turn_documents(kept, utc_day(self._clock()).isoformat())
        return () if (await self._documents.get(own.key)).body else (own, by_conversation, unchanged)

    async def search(self, query: PastTurnQuery) -> Sequence[PastTurn]:
        if not self.enabled or await self._is_off(query.person):
            return ()
        cleared = (await self._states.get(query.person)).cleared_at
        days = self._options.past_conversations_days
        turns = [
            turn
            async for turn in self._storage.turns(query.person, self._clock(), days)
            if turn.at > cleared and turn.person == query.person
        ]
        return await self._search.find(turns, query)

    async def list(self, person: str) -> AsyncIterator[PastTurn]:
        async for turn in self._storage.turns(person, self._clock()):
            yield turn

    async def erase(self, person: str) -> int:
        self._search.drop(person)
        return await self._storage.erase(person, self._clock())

    async def erase_conversation(self, conversation: str) -> int:
        return await self._storage.erase_conversation(conversation)

    async def expire(self, now: float) -> None:
        days = self._options.past_conversations_days if self._options.enabled else 0
        # With 0 days the one that has just begun goes too.
        await self._storage.expire(utc_day(now) - timedelta(days=days or -2))

    async def forget(self, person: str, gone: Sequence[FactView], words: str) -> int:
        """Remove the turns that say what was forgotten, or all of `words`; return how many."""
        by_id = any(fact.id == words.strip() for fact in gone)
        repeats = make_repeat_check(
            [distinctive_terms(fact.content) for fact in gone], distinctive_terms("" if by_id else words)
        )
        found = frozenset(
            [turn.turn async for turn in self.list(person) if _says(turn, repeats)] if gone else []
        )
        if not found:
            return 0
        self._search.drop(person)
        return await self._storage.erase_turns(person, found, self._clock())

    async def move(self, person: str, into: str, account: str = "") -> None:
        """Make a person's turns another's, or with `account` only those that it said."""
        await self._storage.move(person, into, self._clock(), account)
        self._search.drop(person)

    async def _is_off(self, person: str) -> bool:
        return (await self._cache.load(person)).notes.off


def _kept_text(text: str) -> str:
    return mask_secrets(head_and_tail(text, _MOST_CHARS)).text


def _says(turn: PastTurn, repeats: Callable[[str], bool]) -> bool:
    return any(map(repeats, (*split_sentences(turn.said), *split_sentences(turn.reply))))
