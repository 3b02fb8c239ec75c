"""What the tests of keeping a memory share: facts, turns and times without the noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parley.core.model.address import Conversation, User
from parley.core.model.types import CompletedTurn
from parley.core.ports.memory.admin import FailedTurn, MemoryAdminPort
from parley.memory.learning.apply_diff import DiffContext
from parley.memory.learning.extraction.diff import Diff, ProposedFact
from parley.memory.learning.extraction.turn_filter import LearnableTurn
from parley.memory.model.document import (
    Category,
    Fact,
    MemoryDocument,
    Notes,
    StoredMemory,
    Summaries,
    Summary,
)
from parley.memory.model.timestamps import format_timestamp

DAY = 86400.0
START = 1_780_000_000.0


def at(day: float) -> str:
    """The stored time of that day, counted from an arbitrary one."""
    return format_timestamp(START + day * DAY)


def fact(number: int, content: str, confidence: float = 0.8, day: float = 0, **other) -> Fact:
    """A fact whose id is its number."""
    named = Fact(f"fact_{number:08x}", content, confidence=confidence, created_at=at(day), source="thread")
    return Fact(**{key: getattr(named, key) for key in Fact.__slots__} | other)


def summaries_of(texts: Mapping[str, str], updated_at: str = "") -> Summaries:
    """Summaries by their attributes."""
    made: dict[str, Any] = {name: Summary(text, updated_at) for name, text in texts.items()}
    return Summaries(**made)


def stored(*facts: Fact, **notes) -> StoredMemory:
    """A memory of these facts."""
    return StoredMemory(MemoryDocument(facts=facts), Notes(**notes))


async def failed_turns(admin: MemoryAdminPort) -> list[FailedTurn]:
    """The first page of the turns that could not be learned from."""
    return list((await admin.failed_turns()).turns)


def turn(
    number: int,
    said: str,
    reply: str = "Good.",
    *,
    person: str = "ann",
    thread: str = "t1",
    private: bool = True,
    language: str = "en",
) -> CompletedTurn:
    """The turn of that number, a minute after the one before."""
    return CompletedTurn(
        id=f"turn{number}",
        person=person,
        speaker=User("web", f"id of {person}", person.title()),
        conversation=Conversation("web", "c1"),
        thread=thread,
        assistant="agent",
        language=language,
        user_text=said,
        reply_text=reply,
        at=START + 60 * number,
        private=private,
    )


def learned(
    name: str = "turn1", day: float = 1, *, private: bool = True, thread: str = "t1"
) -> LearnableTurn:
    """A turn of that day that is worth learning from."""
    return LearnableTurn(name, thread, "Ann", "said", "replied", at(day), "en", private)


def context(day: float, *turns: LearnableTurn, generation: int = 0) -> DiffContext:
    """An extraction that was done on that day, from these turns or one of the same day."""
    return DiffContext(at(day), turns or (learned(day=day),), generation)


def news(*contents: str, confidence: float = 0.9, **other) -> Diff:
    """A diff of new facts."""
    return Diff(tuple(ProposedFact(text, confidence=confidence, **other) for text in contents))


def texts(facts: Iterable[Fact]) -> list[str]:
    return [each.content for each in facts]


CORRECTION = Category.CORRECTION
