"""The port to past conversations: turns that are over, kept for their person, and searched."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from parley.core.model.types import CompletedTurn
from parley.core.ports.journal import Document


@dataclass(frozen=True, slots=True)
class PastTurn:
    """What one person said, and the answer. `at` is in Unix seconds, `conversation` a key.

    `account` is the one that they spoke from, `private` says that nobody else read it.
    """

    turn: str
    person: str
    account: str
    conversation: str
    assistant: str
    private: bool
    at: float
    said: str
    reply: str


@dataclass(frozen=True, slots=True)
class PastTurnQuery:
    """What is looked for among one person's turns: the turns about `words`, or the newest ones without any.

    `chat` is the key of a chat whose turns alone are searched; empty: all of the person's. `assistant` does
    the same where it is not None. `since` and `until` are days (YYYY-MM-DD, in UTC), or empty.
    """

    person: str
    words: str
    chat: str = ""
    assistant: str | None = None
    since: str = ""
    until: str = ""
    limit: int = 10


class PastTurns(Protocol):
    """Turns that are over, by person. Every method raises StoreUnavailable."""

    @property
    def enabled(self) -> bool:
        """Return whether any are kept."""
        ...

    async def documents_of(self, turn: CompletedTurn) -> tuple[Document, ...]:
        """Return what keeps a turn, to be written with its end; nothing where it is not to be kept.

        The write conflicts where its person clears everything meanwhile: what this returns then counts.
        """
        ...

    async def search(self, query: PastTurnQuery) -> Sequence[PastTurn]:
        """Return what was found, the best first, and without words the newest first."""
        ...

    def list(self, person: str) -> AsyncIterator[PastTurn]:
        """Yield everything that is kept of a person, the oldest day first."""
        ...

    async def erase(self, person: str) -> int:
        """Remove everything that is kept of a person; return how many turns."""
        ...

    async def erase_conversation(self, conversation: str) -> int:
        """Remove what was said in a conversation, by its key; return how many turns."""
        ...

    async def expire(self, now: float) -> None:
        """Remove what is past its time."""
        ...


class NullPastTurns:
    """Keeps nothing."""

    enabled = False

    async def documents_of(self, turn: CompletedTurn) -> tuple[Document, ...]:
        return ()

    async def search(self, query: PastTurnQuery) -> Sequence[PastTurn]:
        return ()

    async def list(self, person: str) -> AsyncIterator[PastTurn]:
        nothing: tuple[PastTurn, ...] = ()
        for turn in nothing:
            yield turn

    async def erase(self, person: str) -> int:
        return 0

    async def erase_conversation(self, conversation: str) -> int:
        return 0

    async def expire(self, now: float) -> None:
        return None


NO_PAST_TURNS = NullPastTurns()
