"""The console's view of memory, made of the memory service."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from parley.app.memory import memory_options
from parley.app.settings.load import Loaded
from parley.console.bodies import FactPatch, NewFact
from parley.console.memory_admin import MemoryConfig, MemoryHealth, PersonState, SetAside, Told
from parley.core.people import People
from parley.core.remembering import Remembered
from parley.core.types import User
from parley.memory.codec import read_document
from parley.memory.document import Category
from parley.memory.holdings import FactChange
from parley.memory.service import MemoryService
from parley.memory.similar import normalised

_PAGE = User("web", "local")


class ConsoleMemory:
    """All memories for the console; see console.memory_admin.MemoryAdmin."""

    def __init__(
        self, service: MemoryService, people: People, config: MemoryConfig, secrets: Sequence[str]
    ) -> None:
        """`secrets` are taken out of whatever a provider said."""
        self._service = service
        self._desk = service.desk
        self._people = people
        self._secrets = [secret for secret in secrets if secret]
        self.config = config

    async def own(self) -> str:
        return await self._people.person_of(_PAGE)

    async def health(self) -> MemoryHealth:
        status = await self._service.status()
        return MemoryHealth(
            status.people, status.waiting, status.dead, status.extractor, self._without(status.last_error)
        )

    async def people(self) -> Sequence[str]:
        return await self._desk.people()

    async def state(self, person: str) -> PersonState:
        seen = await self._service.overview(person)
        return PersonState(seen.on, seen.waiting)

    async def switch(self, person: str, on: bool) -> None:
        await self._service.switch(person, on)

    async def data(self, person: str) -> str:
        return await self._desk.data(person)

    async def reload(self, person: str) -> str:
        return await self._desk.reload(person)

    async def create(self, person: str, fact: NewFact) -> Told:
        facts = (await self._service.overview(person)).facts
        if known := await _said(facts, fact.content):
            return Told(known[0], known=True)
        made = await self._desk.create_fact(person, fact.content, Category(fact.category), fact.confidence)
        return Told(made.id)

    async def patch(self, person: str, fact_id: str, change: FactPatch) -> Told:
        facts = (await self._service.overview(person)).facts
        if fact_id not in {fact.id for fact in facts}:
            return Told("")
        said = await _said(facts, change.content) if change.content is not None else ()
        if others := [known for known in said if known != fact_id]:
            return Told(others[0], known=True)
        category = None if change.category is None else Category(change.category)
        made = await self._desk.patch_fact(
            person, fact_id, FactChange(change.content, category, change.confidence)
        )
        return Told(made.id if made else "")

    async def delete(self, person: str, fact_id: str) -> bool:
        return await self._desk.delete_fact(person, fact_id)

    async def replace(self, person: str, text: str) -> str:
        try:
            read = await asyncio.to_thread(read_document, text)
        except ValueError as error:
            return f"This is not a memory: {error}."
        if not read.document.facts and read.rejected:
            return "There is no fact that can be read in this memory."
        await self._desk.replace(person, text)
        return ""

    async def clear(self, person: str) -> int:
        return await self._service.clear(person)

    async def set_aside(self) -> Sequence[SetAside]:
        return [
            SetAside(letter.item, letter.person, letter.turn, letter.at, self._without(letter.reason))
            for letter in await self._desk.dead_letters()
        ]

    async def retry(self, item: int) -> bool:
        return await self._desk.retry(item)

    def _without(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


async def _said(facts: Sequence[Remembered], content: str) -> Sequence[str]:
    """The ids of facts that say this in the same words; many are compared beside the loop."""
    wanted = normalised(content)

    def same() -> list[str]:
        return [fact.id for fact in facts if normalised(fact.content) == wanted]

    return await asyncio.to_thread(same)


def console_memory(loaded: Loaded, service: MemoryService, people: People) -> ConsoleMemory:
    """The view as configured."""
    section, agent = loaded.settings.memory, loaded.settings.agent
    options = memory_options(section)
    config = MemoryConfig(
        enabled=options.enabled,
        injection_enabled=options.injection_enabled,
        storage="store" if loaded.settings.memory_in_store else "files",
        groups=options.groups.value,
        per_assistant=options.per_assistant,
        debounce_seconds=options.debounce_seconds,
        max_wait=options.max_wait,
        max_facts=options.max_facts,
        fact_confidence_threshold=options.fact_confidence_threshold,
        max_injection_tokens=options.max_injection_tokens,
        token_counting=options.token_counting.value,
        ranking=options.ranking.value,
        similarity_weight=options.similarity_weight,
        confidence_weight=options.confidence_weight,
    )
    return ConsoleMemory(service, people, config, (section.model_api_key, agent.model_api_key))
