"""The console's view of memory, made of the memory service."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from parley.app.composition.memory import memory_options
from parley.app.settings.load import LoadedSettings
from parley.console.api.bodies import FactPatchBody, NewFactBody
from parley.console.api.memory_port import CreatedFact, FailedTurn, MemoryConfig, MemoryHealth, PersonStatus
from parley.core.model.address import User
from parley.core.ports.memory import FactView
from parley.core.state.people import PersonRepository
from parley.memory.edits.similarity import comparison_key
from parley.memory.model.document import Category
from parley.memory.repository import FactChange
from parley.memory.service import MemoryService
from parley.memory.storage.document_format import read_document

_PAGE = User("web", "local")


class ConsoleMemoryAdmin:
    """All memories for the console; see console.memory_admin.MemoryAdmin."""

    def __init__(
        self, service: MemoryService, people: PersonRepository, config: MemoryConfig, secrets: Sequence[str]
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

    async def state(self, person: str) -> PersonStatus:
        seen = await self._service.overview(person)
        return PersonStatus(seen.on, seen.waiting)

    async def switch(self, person: str, on: bool) -> None:
        await self._service.switch(person, on)

    async def data(self, person: str) -> str:
        return await self._desk.data(person)

    async def reload(self, person: str) -> str:
        return await self._desk.reload(person)

    async def create(self, person: str, fact: NewFactBody) -> CreatedFact:
        facts = (await self._service.overview(person)).facts
        if known := await _said(facts, fact.content):
            return CreatedFact(known[0], known=True)
        made = await self._desk.create_fact(person, fact.content, Category(fact.category), fact.confidence)
        return CreatedFact(made.id)

    async def patch(self, person: str, fact_id: str, change: FactPatchBody) -> CreatedFact:
        facts = (await self._service.overview(person)).facts
        if fact_id not in {fact.id for fact in facts}:
            return CreatedFact("")
        said = await _said(facts, change.content) if change.content is not None else ()
        if others := [known for known in said if known != fact_id]:
            return CreatedFact(others[0], known=True)
        category = None if change.category is None else Category(change.category)
        made = await self._desk.patch_fact(
            person, fact_id, FactChange(change.content, category, change.confidence)
        )
        return CreatedFact(made.id if made else "")

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

    async def set_aside(self) -> Sequence[FailedTurn]:
        return [
            FailedTurn(letter.item, letter.person, letter.turn, letter.at, self._without(letter.reason))
            for letter in await self._desk.dead_letters()
        ]

    async def retry(self, item: int) -> bool:
        return await self._desk.retry(item)

    def _without(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


async def _said(facts: Sequence[FactView], content: str) -> Sequence[str]:
    """The ids of facts that say this in the same words; many are compared beside the loop."""
    wanted = comparison_key(content)

    def same() -> list[str]:
        return [fact.id for fact in facts if comparison_key(fact.content) == wanted]

    return await asyncio.to_thread(same)


def build_memory_admin(
    loaded: LoadedSettings, service: MemoryService, people: PersonRepository
) -> ConsoleMemoryAdmin:
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
    return ConsoleMemoryAdmin(service, people, config, (section.model_api_key, agent.model_api_key))
