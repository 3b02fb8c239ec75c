"""Administration of memories: facts edited by hand, imports, health and failed turns."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace

from parley.core.dead_letters import parse_position
from parley.core.model.errors import MemoryFailed, StoreUnavailable
from parley.core.ports.memory.admin import (
    MOST_COUNTED,
    FactChange,
    FactEdit,
    FailedTurnPage,
    MemoryHealth,
    UnknownCategory,
)
from parley.core.ports.memory.port import INSTRUCTION, FactView, Memory, MemoryView
from parley.memory.cache import MemoryCache
from parley.memory.edits.similarity import comparison_key
from parley.memory.learning.queue import LearningQueue
from parley.memory.model.document import Fact, MemoryDocument, StoredMemory
from parley.memory.model.timestamps import format_timestamp
from parley.memory.options import MemoryOptions, public_options
from parley.memory.repository import MemoryRepository
from parley.memory.storage.port import MemoryStore

log = logging.getLogger(__name__)


class MemoryAdmin:
    """Implements `MemoryAdminPort` on the parts of the memory service; `memory` is the service itself.

    `secrets` are removed from error texts, which may quote a provider.
    """

    def __init__(
        self,
        memory: Memory,
        store: MemoryStore,
        cache: MemoryCache,
        repository: MemoryRepository,
        queue: LearningQueue,
        clock: Callable[[], float],
        options: MemoryOptions,
        extractor: str,
        secrets: Sequence[str] = (),
    ) -> None:
        self.config, self._vocabulary = public_options(options), options.vocabulary
        self._memory = memory
        self._store = store
        self._cache = cache
        self._repository = repository
        self._queue = queue
        self._clock = clock
        self._extractor = extractor
        self._secrets = [secret for secret in secrets if secret]
        self._last_error = ""

    def reconfigure(
        self,
        repository: MemoryRepository,
        queue: LearningQueue,
        options: MemoryOptions,
        extractor: str,
        secrets: Sequence[str],
    ) -> None:
        """Work with other parts from now on."""
        self.config, self._vocabulary = public_options(options), options.vocabulary
        self._repository, self._queue, self._extractor = repository, queue, extractor
        self._secrets = [secret for secret in secrets if secret]

    @property
    def given_categories(self) -> Sequence[str]:
        """Return the categories that an agent may give a fact: an instruction is for the person to give."""
        return [name for name in self._vocabulary.categories if name != INSTRUCTION]

    @property
    def repository(self) -> MemoryRepository:
        """Return the memories themselves, as the options of this moment keep them."""
        return self._repository

    async def health(self) -> MemoryHealth:
        with map_store_errors():
            people = len(await self._store.people_page("", MOST_COUNTED))
            waiting = await self._queue.count_waiting(MOST_COUNTED)
            dead = await self._queue.count_dead()
        return MemoryHealth(people, waiting, dead, self._extractor, self._redact(self._last_error))

    async def people(self, after: str, limit: int) -> Sequence[str]:
        return await self._store.people_page(after, limit)

    async def overview(self, person: str) -> MemoryView:
        return await self._memory.overview(person)

    async def search(self, person: str, words: str) -> Sequence[FactView]:
        return await self._memory.search(person, words)

    async def switch(self, person: str, on: bool) -> None:
        await self._memory.switch(person, on)

    async def export(self, person: str) -> str:
        return await self._memory.export(person)

    async def reload(self, person: str) -> str:
        self._cache.drop(person)
        return await self.export(person)

    async def create(self, person: str, content: str, category: str, confidence: float) -> FactEdit:
        known = await _find_equal((await self.overview(person)).facts, content)
        if known:
            return FactEdit(known[0], known=True)
        with map_store_errors():
            fact = await self._repository.add(person, content, self._now(), self._checked(category))
            if confidence != fact.confidence:
                change = FactChange(confidence=confidence)
                fact = await self._repository.edit(person, fact.id, change, self._now()) or fact
        return FactEdit(fact_view(fact))

    async def patch(self, person: str, fact_id: str, change: FactChange) -> FactEdit:
        facts = {fact.id: fact for fact in (await self.overview(person)).facts}
        if fact_id not in facts:
            return FactEdit(None)
        if change.category not in (None, facts[fact_id].category):
            self._checked(change.category or "")
        equal = await _find_equal(list(facts.values()), change.content) if change.content is not None else ()
        if others := [fact for fact in equal if fact.id != fact_id]:
            return FactEdit(others[0], known=True)
        with map_store_errors():
            fact = await self._repository.edit(person, fact_id, change, self._now())
        return FactEdit(None if fact is None else fact_view(fact))

    async def delete(self, person: str, fact_id: str) -> bool:
        with map_store_errors():
            whole = await self._repository.load_merged(person)
            if fact_id not in {fact.id for fact in whole.document.facts}:
                return False
            return bool(await self._repository.forget(person, fact_id, self._now()))

    async def replace(self, person: str, text: str) -> int:
        with map_store_errors():
            return await self._repository.replace(person, text, self._now())

    async def clear(self, person: str) -> int:
        return await self._memory.clear(person)

    async def failed_turns(self, limit: int = 100, after: str = "") -> FailedTurnPage:
        before = parse_position(after)
        with map_store_errors():
            page = await self._queue.dead(limit, before)
        turns = tuple(replace(each, reason=self._redact(each.reason)) for each in page.turns)
        return FailedTurnPage(turns, page.after)

    async def retry(self, item: int) -> bool:
        with map_store_errors():
            return await self._queue.retry_dead(item)

    def note_failure(self, text: str) -> None:
        """Log an error of learning, and keep it as the last one."""
        log.warning("%s", text)
        self._last_error = f"{self._now()} {text}"

    def _checked(self, category: str) -> str:
        """Return a category that is configured; of "" the usual one. Raises UnknownCategory."""
        if category and category not in self._vocabulary.categories:
            raise UnknownCategory(self._vocabulary.categories)
        return category or self._vocabulary.usual_category

    def _now(self) -> str:
        return format_timestamp(self._clock())

    def _redact(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


async def _find_equal(facts: Sequence[FactView], content: str) -> Sequence[FactView]:
    """Return the facts that say this in the same words; compares on a thread, as there may be many."""
    wanted = comparison_key(content)

    def find() -> list[FactView]:
        return [fact for fact in facts if comparison_key(fact.content) == wanted]

    return await asyncio.to_thread(find)


def fact_view(fact: Fact) -> FactView:
    """Return a fact as its person sees it."""
    return FactView(
        fact.id,
        fact.content,
        fact.category,
        fact.confidence,
        fact.created_at,
        fact.source,
        fact.until[:10],
        fact.confirmed_at,
        fact.shared,
        fact.accounts,
        fact.origin,
        fact.also_said,
    )


def memory_view(whole: StoredMemory, waiting: int, learner: str) -> MemoryView:
    """Return a memory as its person sees it, the newest fact first; `waiting` turns wait for `learner`."""
    facts = sorted(whole.document.facts, key=lambda fact: fact.created_at, reverse=True)
    return MemoryView(
        on=not whole.notes.off,
        summaries=tuple(_nonempty_summaries(whole.document)),
        facts=tuple(map(fact_view, facts)),
        waiting=waiting,
        damaged=whole.damaged,
        learner=learner,
        **asdict(whole.notes.kept_out),
    )


def _nonempty_summaries(document: MemoryDocument) -> Iterator[tuple[str, str]]:
    """Return the summaries that have a text, by their names in JSON."""
    return ((name, each.text) for name, each in document.summaries.named() if each.text)


@contextmanager
def map_store_errors() -> Iterator[None]:
    """Raise MemoryFailed for StoreUnavailable."""
    try:
        yield
    except StoreUnavailable as error:
        raise MemoryFailed(error.user_text) from error
