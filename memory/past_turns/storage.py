"""Past turns in the store: a document each, by day and person, so that those of a day go in one walk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote

from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, iter_documents
from parley.core.ports.memory.past_turns import PastTurn

PREFIX = "past-turn/"
MOST_DAYS = 366
"""The longest time for which turns are kept."""


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
        return await self._remove([document.key async for document in self._of(person, now)])

    async def erase_turns(self, person: str, turns: frozenset[str], now: float) -> int:
        """Remove these turns of a person; return how many."""
        found = [each.key async for each in self._of(person, now) if each.key.rpartition("/")[2] in turns]
        return await self._remove(found)

    async def erase_conversation(self, conversation: str) -> int:
        """Remove the turns of a conversation, whoever's they are; return how many."""
        found = [
            document.key
            async for document in iter_documents(self._documents, PREFIX)
            if decode(PastTurn, document.body).conversation == conversation
        ]
        return await self._remove(found)

    async def expire(self, before: date) -> None:
        """Remove the turns of all days before this one."""
        while True:
            found = await self._documents.list(PREFIX, 500)
            old = [each.key for each in found if each.key < f"{PREFIX}{before.isoformat()}"]
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
            moved = past_turn_document(replace_person(turn, into), day)
            if not (await self._documents.get(moved.key)).body:
                await self._documents.set(moved)
            await self._documents.delete(document.key)

    async def _of(self, person: str, now: float, days: int = MOST_DAYS) -> AsyncIterator[Document]:
        for day in _days(now, days):
            async for document in iter_documents(self._documents, _prefix(day, person)):
                yield document

    async def _remove(self, keys: list[str]) -> int:
        for key in keys:
            await self._documents.delete(key)
        return len(keys)


def past_turn_document(turn: PastTurn, day: str) -> Document:
    """Return the new document of a turn that ended on this day."""
    return Document(f"{_prefix(day, turn.person)}{turn.turn}", encode(turn), 0)


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
