"""Search of past turns: the facts' word search, over what was said and answered."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from parley.core.model.address import Conversation
from parley.core.ports.memory.past_turns import PastTurn, PastTurnQuery
from parley.memory.model.document import Fact
from parley.memory.model.timestamps import format_timestamp
from parley.memory.past_turns.storage import utc_day
from parley.memory.search.index import FactIndex

_PEOPLE = 64
"""Indexes that are kept: the next search of such a person reads only what is new."""
_MOST = 5_000
"""Turns of one person that are searched, the newest."""
_NEAR = 0.5
"""Of turns that are not about the words themselves, those of at least this score."""


class PastTurnSearch:
    """Finds turns by words; one index a person, that of the last searches."""

    def __init__(self) -> None:
        self._indexes: OrderedDict[str, tuple[asyncio.Lock, FactIndex]] = OrderedDict()

    def drop(self, person: str) -> None:
        """Forget the index of a person."""
        self._indexes.pop(person, None)

    async def find(self, turns: Sequence[PastTurn], query: PastTurnQuery) -> list[PastTurn]:
        """Return the turns of those given that the query asks for. All of them are of its person."""
        turns = turns[-_MOST:]
        wanted = {turn.turn: turn for turn in turns if _is_meant(turn, query)}
        if not wanted:
            return []
        if not query.words.strip():
            return sorted(wanted.values(), key=lambda turn: turn.at, reverse=True)[: query.limit]
        lock, index = self._index(query.person)
        async with lock:
            found = await asyncio.to_thread(_ranked, index, turns, query.words)
        return [wanted[turn] for turn in found if turn in wanted][: query.limit]

    def _index(self, person: str) -> tuple[asyncio.Lock, FactIndex]:
        known = self._indexes.setdefault(person, (asyncio.Lock(), FactIndex()))
        self._indexes.move_to_end(person)
        while len(self._indexes) > _PEOPLE:
            self._indexes.popitem(last=False)
        return known


def _ranked(index: FactIndex, turns: Sequence[PastTurn], words: str) -> list[str]:
    """Return the ids of turns that are about the words, best first, and then of those near to them."""
    index.update([_as_fact(turn) for turn in turns])
    about = index.find_about(words, len(turns))
    near = [each for each in index.search([words], len(turns)) if each[1] >= _NEAR]
    return list(dict.fromkeys(fact.id for fact, _ in (*about, *near)))


def _as_fact(turn: PastTurn) -> Fact:
    """Return a turn as what the index takes: its words, its time, and where it stands beside others."""
    text = f"{turn.said}\n{turn.reply}"
    return Fact(turn.turn, text, created_at=format_timestamp(turn.at), source=turn.conversation)


def _is_meant(turn: PastTurn, query: PastTurnQuery) -> bool:
    if query.chat and not _is_in(turn.conversation, query.chat):
        return False
    if query.assistant is not None and turn.assistant != query.assistant:
        return False
    day = utc_day(turn.at).isoformat()
    return (not query.since or day >= query.since) and (not query.until or day <= query.until)


def chat_key(conversation: Conversation) -> str:
    """Return the key of a conversation's chat, which all of its topics share."""
    return Conversation(conversation.channel, conversation.chat).key


def _is_in(conversation: str, chat: str) -> bool:
    return chat_key(Conversation.parse(conversation)) == chat
