"""Past turns in the store: a document each, by day and person, so that those of a day go in one walk.

Beside it stands an empty one by conversation, so that those of a conversation are found without the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote

from parley.core.model.codec import decode, encode
from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document, DocumentRepository, iter_documents
from parley.core.ports.memory.past_turns import PastTurn

PREFIX = "past-turn/"
INDEX = "past-turn-in/"
"""Of the documents by conversation; what follows the conversation is the key of the turn's own."""
_INDEXED = "past-turns-indexed"
# A document without a body is none.
_THERE = "-"
MOST_DAYS = 366
"""The longest time for which turns are kept."""
_AT_ONCE = 32
"""Days that are looked up at the same time: one by one a year took 0.3 s on PostgreSQL, so 0.06."""
_FIRST_PAGE = 20


class PastTurnStorage:
    """Reads, moves and removes past turns. Every method raises StoreUnavailable.

    The day is that of Parley's clock: a platform's own time of a message may be anything.
    """

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents

    async def turns(self, person: str, now: float, days: int = MOST_DAYS) -> AsyncIterator[PastTurn]:
        """Yield a person's turns of the last `days`, the oldest day first."""
        async for document in self._of(person, now, days):
            yield decode(PastTurn, document.body)

    async def erase(self, person: str, now: float) -> int:
        """Remove all turns of a person; return how many."""
        return await self._remove([document async for document in self._of(person, now)])

    async def erase_turns(self, person: str, turns: frozenset[str], now: float) -> int:
        """Remove these turns of a person; return how many."""
        found = [each async for each in self._of(person, now) if each.key.rpartition("/")[2] in turns]
        return await self._remove(found)

    async def erase_conversation(self, conversation: str) -> int:
        """Remove the turns of a conversation, whoever's they are; return how many."""
        await self._index_all()
        prefix, number = _index_prefix(conversation), 0
        async for entry in iter_documents(self._documents, prefix):
            key = PREFIX + entry.key.removeprefix(prefix)
            number += bool((await self._documents.get(key)).body)
            await self._documents.delete(key)
            await self._documents.delete(entry.key)
        return number

    async def _index_all(self) -> None:
        """Index the turns that an earlier version kept, once; a crash in between lets it begin again."""
        if (await self._documents.get(_INDEXED)).body:
            return
        async for document in iter_documents(self._documents, PREFIX):
            await self._put(_index_of(document))
        await self._put(Document(_INDEXED, _THERE, 0))

    async def _put(self, document: Document) -> None:
        """Write a document that is always the same, if it is not there."""
        if not (await self._documents.get(document.key)).body:
            # A conflict is another node that does the same.
            with suppress(DocumentConflict):
                await self._documents.set(document)

    async def expire(self, before: date) -> None:
        """Remove the turns of all days before this one."""
        while True:
            found = await self._documents.list(PREFIX, 500)
            old = [each for each in found if each.key < f"{PREFIX}{before.isoformat()}"]
            await self._remove(old)
            if len(old) < len(found) or not found:
                return

    async def move(self, person: str, into: str, now: float, account: str = "") -> None:
        """Make a person's turns another's, or with `account` only those that it said.

        Done again, as after a crash, it goes on: a turn is written before the old one goes.
        """
        async for document in self._of(person, now):
            turn = decode(PastTurn, document.body)
            if account and turn.account != account:
                continue
            day = document.key.removeprefix(PREFIX).partition("/")[0]
            for moved in past_turn_documents(replace_person(turn, into), day):
                if not (await self._documents.get(moved.key)).body:
                    await self._documents.set(moved)
            await self._remove([document])

    async def _of(self, person: str, now: float, days: int = MOST_DAYS) -> AsyncIterator[Document]:
        prefixes = [_prefix(day, person) for day in _days(now, days)]
        for begin in range(0, len(prefixes), _AT_ONCE):
            some = prefixes[begin : begin + _AT_ONCE]
            found = await asyncio.gather(*(self._documents.list(prefix, _FIRST_PAGE) for prefix in some))
            for prefix, first in zip(some, found, strict=True):
                for document in first:
                    yield document
                if len(first) == _FIRST_PAGE:
                    async for document in iter_documents(self._documents, prefix, first[-1].key):
                        yield document

    async def _remove(self, documents: Sequence[Document]) -> int:
        """Remove turns, each after what finds it by its conversation: a crash leaves nothing of a person
        that the next try does not find.
        """
        for document in documents:
            await self._documents.delete(_index_of(document).key)
            await self._documents.delete(document.key)
        return len(documents)


def past_turn_documents(turn: PastTurn, day: str) -> tuple[Document, Document]:
    """Return the new documents of a turn that ended on this day: its own, and that by conversation."""
    own = Document(f"{_prefix(day, turn.person)}{turn.turn}", encode(turn), 0)
    return own, _index_of(own)


def _index_of(document: Document) -> Document:
    """Return what finds a turn's document by its conversation."""
    conversation = decode(PastTurn, document.body).conversation
    return Document(f"{_index_prefix(conversation)}{document.key.removeprefix(PREFIX)}", _THERE, 0)


def _index_prefix(conversation: str) -> str:
    return f"{INDEX}{quote(conversation, safe='')}/"


def replace_person(turn: PastTurn, person: str) -> PastTurn:
    """Return the turn as another person's."""
    return PastTurn(
        turn.turn, person, turn.account, turn.conversation, turn.assistant, turn.private, turn.at, turn.said,
        turn.reply,
    )  # fmt: skip


def utc_day(at: float) -> date:
    """Return the day in UTC; the first one for what is no time."""
    try:
        return datetime.fromtimestamp(at, UTC).date()
    except (ValueError, OverflowError, OSError):
        return date(1970, 1, 1)


def _prefix(day: str, person: str) -> str:
    # An id of a platform may have any sign in it: one person's prefix must never begin another's.
    return f"{PREFIX}{day}/{quote(person, safe='')}/"


def _days(now: float, days: int) -> list[str]:
    """Return the days until tomorrow: clocks of nodes differ."""
    today = utc_day(now)
    return [(today + timedelta(days=back)).isoformat() for back in range(-days, 2)]
