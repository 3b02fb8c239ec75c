"""The port for operators of memory: everybody's memory as JSON, facts edited by hand, and failed turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from parley.core.model.errors import MemoryFailed
from parley.core.model.types import Json
from parley.core.ports.memory.port import NO_ORIGIN, FactOrigin, FactView, MemoryView


class InvalidMemory(MemoryFailed):
    """A text to be imported is not a memory; nothing was changed."""


class UnknownCategory(MemoryFailed):
    """A fact was to have a category that is not configured; `categories` are those that are."""

    def __init__(self, categories: Iterable[str]) -> None:
        super().__init__(f"category: must be one of {', '.join(categories)}")


MOST_COUNTED = 1_000
"""People and waiting turns that are counted for a look at memory's health: more of them are not read."""


@dataclass(frozen=True, slots=True)
class MemoryHealth:
    """Number of people remembered, turns that wait and turns that failed; what extracts, and the last error.

    Of people and of turns that wait 1000 stands for that many or more (`MOST_COUNTED`).
    `last_error` begins with its time, and is empty when there was none since the start.
    """

    people: int
    waiting: int
    dead: int
    extractor: str
    last_error: str


@dataclass(frozen=True, slots=True)
class FailedTurn:
    """A turn that could not be learned from, by queue item; `at` is in Unix seconds.

    `turn` is empty where the item cannot be read.
    """

    item: int
    person: str
    turn: str
    at: float
    reason: str


@dataclass(frozen=True, slots=True)
class FailedTurnPage:
    """Some of the failed turns, newest first, perhaps none; `after` leads to the next, and is empty at the
    end.
    """

    turns: tuple[FailedTurn, ...]
    after: str


@dataclass(frozen=True, slots=True)
class FactChange:
    """New values of a fact's fields; None keeps a field as it is.

    A team's fact is said by `author`, an account, at `origin`, once its text is theirs.
    """

    content: str | None = None
    category: str | None = None
    confidence: float | None = None
    author: str = ""
    origin: FactOrigin = NO_ORIGIN


@dataclass(frozen=True, slots=True)
class FactEdit:
    """The fact that was written, or with `known` the one that said so before; None when there is none."""

    fact: FactView | None
    known: bool = False


class MemoryAdminPort(Protocol):
    """All memories, for operators. Methods raise MemoryFailed; memories are JSON of schema 1.0."""

    @property
    def config(self) -> Mapping[str, Json]:
        """Return the options that may be shown: no keys, addresses or paths. Durations are seconds."""
        ...

    async def health(self) -> MemoryHealth:
        """Return how many people and turns there are, and the last error."""
        ...

    async def people(self, after: str, limit: int) -> Sequence[str]:
        """Return the next persons of whom anything is remembered after one, at most `limit`; "" is the start.

        Their order is the store's own.
        """
        ...

    async def overview(self, person: str) -> MemoryView:
        """Return a person's facts, whether their memory is on, and how many of their turns wait."""
        ...

    async def search(self, person: str, words: str) -> Sequence[FactView]:
        """Return the facts that are about these words, best first."""
        ...

    async def switch(self, person: str, on: bool) -> None:
        """Switch learning and recall on or off."""
        ...

    async def export(self, person: str) -> str:
        """Return the whole memory; an empty one for an unknown person."""
        ...

    async def reload(self, person: str) -> str:
        """Drop what is cached of a person, and return the whole memory."""
        ...

    async def create(self, person: str, content: str, category: str, confidence: float) -> FactEdit:
        """Add a fact; nothing changes when it is known. A category "" is the usual one.

        Raises UnknownCategory.
        """
        ...

    async def patch(self, person: str, fact_id: str, change: FactChange) -> FactEdit:
        """Edit a fact; nothing changes when another one says the same, or when the new text is blank.

        Raises UnknownCategory, but for the category that the fact has.
        """
        ...

    async def delete(self, person: str, fact_id: str) -> bool:
        """Forget a fact; return False when there is none of this id."""
        ...

    async def replace(self, person: str, text: str) -> int:
        """Replace the memory, which undo restores; return its number of facts. Raises InvalidMemory."""
        ...

    async def clear(self, person: str) -> int:
        """Forget everything; return how many facts there were."""
        ...

    async def failed_turns(self, limit: int = 100, after: str = "") -> FailedTurnPage:
        """Return turns that could not be learned from, at most `limit`, after those of an earlier page.

        Raises ValueError for an `after` of no page.
        """
        ...

    async def retry(self, item: int) -> bool:
        """Learn from a failed turn after all; return False when there is none of this number."""
        ...
