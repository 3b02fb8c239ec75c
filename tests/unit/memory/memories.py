"""What the tests of keeping a memory share: facts, turns and times without the noise."""

from __future__ import annotations

from collections.abc import Iterable

from parley.core.types import Conversation, Turn, User
from parley.memory.apply import Context
from parley.memory.diff import Diff, NewFact
from parley.memory.document import Category, Fact, MemoryDocument, Notes, Stored
from parley.memory.filter import Learned
from parley.memory.times import iso

DAY = 86400.0
START = 1_780_000_000.0


def at(day: float) -> str:
    """The stored time of that day, counted from an arbitrary one."""
    return iso(START + day * DAY)


def fact(number: int, content: str, confidence: float = 0.8, day: float = 0, **other: object) -> Fact:
    """A fact whose id is its number."""
    named = Fact(f"fact_{number:08x}", content, confidence=confidence, created_at=at(day), source="thread")
    return Fact(**{key: getattr(named, key) for key in Fact.__slots__} | other)  # type: ignore[arg-type]


def stored(*facts: Fact, **notes: object) -> Stored:
    """A memory of these facts."""
    return Stored(MemoryDocument(facts=facts), Notes(**notes))  # type: ignore[arg-type]


def turn(
    number: int,
    said: str,
    reply: str = "Good.",
    *,
    person: str = "ann",
    thread: str = "t1",
    private: bool = True,
    language: str = "en",
) -> Turn:
    """The turn of that number, a minute after the one before."""
    return Turn(
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


def learned(name: str = "turn1", day: float = 1, *, private: bool = True, thread: str = "t1") -> Learned:
    """A turn of that day that is worth learning from."""
    return Learned(name, thread, "Ann", "said", "replied", at(day), "en", private)


def context(day: float, *turns: Learned, generation: int = 0) -> Context:
    """An extraction that was done on that day, from these turns or one of the same day."""
    return Context(at(day), turns or (learned(day=day),), generation)


def news(*contents: str, confidence: float = 0.9, **other: object) -> Diff:
    """A diff of new facts."""
    return Diff(tuple(NewFact(text, confidence=confidence, **other) for text in contents))  # type: ignore[arg-type]


def texts(facts: Iterable[Fact]) -> list[str]:
    return [each.content for each in facts]


CORRECTION = Category.CORRECTION
