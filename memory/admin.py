"""What a console or an HTTP interface does with memories, besides what people do in chat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from parley.core.model.errors import MemoryFailed, StoreUnavailable
from parley.core.ports.memory import FactView
from parley.memory.cache import MemoryCache
from parley.memory.learning.queue import DeadLetter, LearningQueue
from parley.memory.model.document import SUMMARY_SECTIONS, Category, Fact, MemoryDocument
from parley.memory.model.timestamps import format_timestamp
from parley.memory.repository import FactChange, MemoryRepository
from parley.memory.storage.document_format import document_json
from parley.memory.storage.port import MemoryStore


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """How memory is: people of whom something is remembered, turns that wait, and turns that were given up.

    `extractor` names what learns: a model, or the demonstration's rules. `last_error` begins with its time,
    and is empty when there was none since the start.
    """

    enabled: bool
    people: int
    waiting: int
    dead: int
    extractor: str
    last_error: str


class MemoryAdmin:
    """Every method raises MemoryFailed."""

    def __init__(
        self,
        store: MemoryStore,
        people: MemoryCache,
        holdings: MemoryRepository,
        queue: LearningQueue,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._people = people
        self._holdings = holdings
        self._queue = queue
        self._clock = clock

    async def data(self, person: str) -> str:
        """The whole memory as JSON of schema 1.0; an empty one for a stranger."""
        with map_store_errors():
            return document_json((await self._holdings.whole(person)).document)

    async def reload(self, person: str) -> str:
        """The same, after letting go of everything that is kept at hand of this person."""
        self._people.drop(person)
        return await self.data(person)

    async def people(self) -> Sequence[str]:
        """The persons of whom anything is remembered, in order."""
        return await self._store.people()

    async def counts(self) -> tuple[int, int, int]:
        """How many people are remembered, how many of their turns wait, how many turns were given up."""
        with map_store_errors():
            people = await self._store.people()
            waiting = await self._queue.number(people)
            return len(people), waiting, len(await self._queue.dead())

    async def create_fact(
        self, person: str, content: str, category: Category = Category.CONTEXT, confidence: float = 1.0
    ) -> FactView:
        """Remember something by hand; known already, the known one becomes theirs."""
        with map_store_errors():
            fact = await self._holdings.add(person, content, self._now(), category)
            if confidence != fact.confidence:
                change = FactChange(confidence=confidence)
                fact = await self._holdings.edit(person, fact.id, change, self._now()) or fact
            return fact_view(fact)

    async def patch_fact(self, person: str, fact_id: str, change: FactChange) -> FactView | None:
        """Correct a fact by hand; None when there is none of this id, or its new text is blank."""
        with map_store_errors():
            fact = await self._holdings.edit(person, fact_id, change, self._now())
            return None if fact is None else fact_view(fact)

    async def delete_fact(self, person: str, fact_id: str) -> bool:
        """Forget the fact of this id; False when there is none."""
        with map_store_errors():
            whole = await self._holdings.whole(person)
            if fact_id not in {fact.id for fact in whole.document.facts}:
                return False
            return bool(await self._holdings.forget(person, fact_id, self._now()))

    async def replace(self, person: str, text: str) -> int:
        """Put JSON of schema 1.0 in the place of the memory, which undo brings back; returns its facts.

        Entries that cannot be read are left out; a text in which nothing can be read is refused.
        """
        with map_store_errors():
            return await self._holdings.replace(person, text, self._now())

    async def dead_letters(self) -> Sequence[DeadLetter]:
        """Turns that could not be learned from, newest first."""
        with map_store_errors():
            return await self._queue.dead()

    async def retry(self, item: int) -> bool:
        """Learn from a turn that was given up after all; False when there is none of that number."""
        with map_store_errors():
            return await self._queue.retry_dead(item)

    def _now(self) -> str:
        return format_timestamp(self._clock())


def fact_view(fact: Fact) -> FactView:
    """A fact as its person sees it."""
    return FactView(fact.id, fact.content, fact.category.value, fact.confidence, fact.created_at, fact.source)


def nonempty_summaries(document: MemoryDocument) -> Iterator[tuple[str, str]]:
    """Those that say something, under the names that they have in the file."""
    for names in SUMMARY_SECTIONS.values():
        for key, name in names.items():
            text = getattr(document.summaries, name).text
            if text:
                yield key, text


@contextmanager
def map_store_errors() -> Iterator[None]:
    """A store that is away is a failure of memory to whoever asked for it."""
    try:
        yield
    except StoreUnavailable as error:
        raise MemoryFailed(error.user_text) from error
