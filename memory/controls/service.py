"""Implements the MemoryControls port on the parts of the memory service."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from parley.core.model.errors import MemoryDamaged, MemoryFailed, StoreUnavailable
from parley.core.ports.journal import log_store_failure
from parley.core.ports.memory.admin import FactChange
from parley.core.ports.memory.controls import ExportShape, ImportPreview, ImportResult, ToldMemory
from parley.core.ports.memory.port import NO_ORIGIN, FactOrigin, FactView, RecallQuery
from parley.memory.admin import fact_view, map_store_errors
from parley.memory.cache import MemoryCache
from parley.memory.controls.export_shapes import export_document
from parley.memory.controls.import_facts import import_memories, preview_import
from parley.memory.controls.import_shapes import read_import
from parley.memory.controls.team import SHARE, team_block, withdraw_accounts
from parley.memory.controls.told import explain_told
from parley.memory.inject.block import line_format
from parley.memory.model.document import Category, StoredMemory
from parley.memory.model.timestamps import format_timestamp
from parley.memory.options import MemoryOptions
from parley.memory.repository import MemoryRepository
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank_lazily
from parley.memory.text.instructions import is_standing_instruction, says_every_time
from parley.memory.text.token_counting import Counter
from parley.memory.told_lines import ToldLines

log = logging.getLogger(__name__)


class MemoryControlsService:
    """See `MemoryControls`. A team's memory is that of a person whose id no account can have."""

    def __init__(self, cache: MemoryCache, told: ToldLines, clock: Callable[[], float]) -> None:
        self._cache = cache
        self._told = told
        self._clock = clock

    def reconfigure(
        self,
        repository: MemoryRepository,
        counter: Counter,
        options: MemoryOptions,
        look_after_team: Callable[[str], Awaitable[None]],
    ) -> None:
        """Work with these parts from now on; called before anything else."""
        self._repository, self._counter, self._options = repository, counter, options
        self._look_after_team = look_after_team

    async def add(self, person: str, content: str, account: str, origin: FactOrigin) -> FactView:
        with map_store_errors():
            category = self._category(content, origin)
            fact = await self._repository.add(person, content, self._now(), category, account, origin)
        return fact_view(fact)

    async def edit(
        self, person: str, fact_id: str, content: str, author: str = "", origin: FactOrigin = NO_ORIGIN
    ) -> FactView | None:
        change = FactChange(content=content, author=author, origin=origin)
        with map_store_errors():
            fact = await self._repository.edit(person, fact_id, change, self._now())
        return None if fact is None else fact_view(fact)

    async def keep(self, person: str, fact_id: str) -> FactView | None:
        with map_store_errors():
            fact = await self._repository.edit(person, fact_id, FactChange(confidence=1.0), self._now())
        return None if fact is None else fact_view(fact)

    async def told(self, query: RecallQuery) -> ToldMemory | None:
        with map_store_errors():
            noted = await self._told.get(query.person, query.thread)
            if noted is None:
                return None
            assistant = query.assistant if self._options.per_assistant else ""
            facts = (await self._cache.load_cached(query.person, assistant)).stored.document.facts
        line = line_format(self._options.injection_format)
        return await asyncio.to_thread(explain_told, facts, line, noted.lines, query.messages)

    async def import_text(self, person: str, text: str) -> ImportResult:
        imported = await asyncio.to_thread(read_import, text)
        now, options = self._now(), self._options

        def work(stored: StoredMemory) -> tuple[StoredMemory, ImportResult]:
            return import_memories(stored, imported, now, options)

        with map_store_errors():
            return await self._repository.change(person, "", work)

    async def preview_import(self, person: str, text: str) -> ImportPreview:
        imported = await asyncio.to_thread(read_import, text)
        with map_store_errors():
            stored = await self._cache.load(person)
        if stored.damaged:
            raise MemoryDamaged(stored.damaged)
        work = partial(preview_import, stored, imported, self._now(), self._options)
        return await self._cache.run_in_thread(work)

    async def export(self, person: str, shape: ExportShape) -> str:
        with map_store_errors():
            document = (await self._repository.load_merged(person)).document
        return await asyncio.to_thread(export_document, document, shape, person)

    async def recall_team(self, team: str, messages: Sequence[str]) -> str:
        if not (self._options.enabled and self._options.injection_enabled):
            return ""
        try:
            return await asyncio.wait_for(self._team_block(team, messages), self._options.recall_timeout)
        except (MemoryFailed, StoreUnavailable, TimeoutError) as error:
            log_store_failure(log.warning, "%s: nothing of the team's memory is recalled: %s", team, error)
            return ""

    async def withdraw(self, team: str, accounts: Sequence[str]) -> int:
        work = partial(withdraw_accounts, accounts=frozenset(accounts), now=self._now())
        with map_store_errors():
            return await self._repository.change(team, "", work)

    async def _team_block(self, team: str, messages: Sequence[str]) -> str:
        if not (await self._cache.load(team)).document.facts:
            return ""
        await self._look_after_team(team)
        known = await self._cache.load_cached(team)
        stored = known.stored
        options = replace(self._options, max_injection_tokens=self._options.max_injection_tokens // SHARE)

        def build(index: FactIndex) -> str:
            ranked = rank_lazily(index, messages, options)
            return team_block(ranked, options.max_injection_tokens, self._counter, self._now()[:10])

        return await known.with_index_async(stored, build)

    def _category(self, content: str, origin: FactOrigin) -> Category:
        """Return the kind of what somebody adds; a team's facts have a speaker, and give no instructions."""
        wanted = self._options.instructions and not origin.speaker
        standing = wanted and is_standing_instruction(content) and says_every_time(content)
        return Category.INSTRUCTION if standing else Category.CONTEXT

    def _now(self) -> str:
        return format_timestamp(self._clock())
