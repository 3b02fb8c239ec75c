"""The upkeep service: after lessons, once a day, each memory is looked after; and the person may be asked."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from parley.core.model.errors import MemoryFailed, StoreUnavailable
from parley.core.model.types import CompletedTurn
from parley.core.ports.journal import log_store_failure
from parley.core.ports.memory.port import FactView, MemoryNotices
from parley.memory.admin import fact_view
from parley.memory.cache import MemoryCache
from parley.memory.inject.block import line_format
from parley.memory.learning.extraction.extractor import Extractor, ModelExtractor
from parley.memory.learning.extraction.parse_response import ShownIds
from parley.memory.learning.worker import Learner
from parley.memory.model.document import Fact, StoredMemory
from parley.memory.model.timestamps import format_timestamp
from parley.memory.options import MemoryOptions, Staleness
from parley.memory.person_state import PersonStateStore
from parley.memory.repository import MemoryRepository
from parley.memory.search.index import FactIndex
from parley.memory.text.search_terms import terms
from parley.memory.text.smalltalk import says_nothing
from parley.memory.text.token_counting import Counter
from parley.memory.told_lines import ToldLines
from parley.memory.upkeep.budget import DailyBudget
from parley.memory.upkeep.consolidation import (
    EARLIER,
    RECENT,
    UpkeepMaterial,
    consolidate,
    find_material,
    screened,
)
from parley.memory.upkeep.duplicates import merge_duplicates
from parley.memory.upkeep.fact_uses import FactUses, add_uses, used_lines
from parley.memory.upkeep.staleness import lower_facts, stale_facts

log = logging.getLogger(__name__)

_DAY = 86_400.0
_WEEK = 7 * _DAY
_OLD_SUMMARY = 60 * _DAY
_MOVED = {RECENT, EARLIER}
_MOST_PEOPLE = 10_000
_MOST_OF_ANSWER = 1_000  # tokens of an answer that are set aside before a call


class UpkeepService:
    """Learns with `learner`, and looks after the memory then. Its budget is that of all people together."""

    def __init__(
        self,
        cache: MemoryCache,
        repository: MemoryRepository,
        states: PersonStateStore,
        learner: Learner,
        extractor: Extractor,
        counter: Counter,
        options: MemoryOptions,
        clock: Callable[[], float],
        told: ToldLines,
        uses: FactUses,
    ) -> None:
        self._cache = cache
        self._repository = repository
        self._states = states
        self._learner = learner
        self._model = extractor if isinstance(extractor, ModelExtractor) else None
        self._counter = counter
        self._options = options
        self._clock = clock
        self._budget = DailyBudget(options.consolidation_calls, options.consolidation_tokens, clock)
        self._asked: OrderedDict[str, float] = OrderedDict()
        self._teams: OrderedDict[str, float] = OrderedDict()
        self._told, self._uses = told, uses

    async def learn(self, person: str, assistant: str, turns: Sequence[CompletedTurn]) -> None:
        """Learn from turns as `Learner` does, and look after the memory; a failure of that is only logged."""
        await self._learner.learn(person, assistant, turns)
        told = [(self._told.latest(person, turn.thread), turn) for turn in turns if turn.person == person]
        self._uses.count(person, await self._cache.run_in_thread(partial(_used_lines, told)))
        try:
            await self.look_after(person)
        except (MemoryFailed, StoreUnavailable) as error:
            log_store_failure(log.warning, "person %s: the memory was not looked after: %s", person, error)

    async def look_after(self, person: str) -> None:
        """Merge what says the same and lower what may no longer hold, once a day at most.

        Raises MemoryFailed, StoreUnavailable.
        """
        state, now = await self._states.get(person), self._clock()
        if now - state.upkeep_at < _DAY:
            return
        await self._states.note_upkeep(person, now)
        uses = self._uses.take(person)
        for assistant in ("", *state.assistants):
            if (await self._cache.load(person, assistant)).notes.off:
                return
            work = partial(_tidied, self._options, self._now(), uses)
            await self._repository.change(person, assistant, work)
            await self._consolidate(person, assistant)

    async def look_after_team(self, team: str) -> None:
        """Merge what says the same in a team's memory, and lower what may no longer hold, once a day at most.

        All of it was written by people: no model rewrites it, and nobody in particular is asked. A failure is
        only logged.
        """
        now = self._clock()
        if now - self._teams.get(team, -_DAY) < _DAY:
            return
        self._teams[team] = now
        self._teams.move_to_end(team)
        if len(self._teams) > _MOST_PEOPLE:
            self._teams.popitem(last=False)
        try:
            if now - (await self._states.get(team)).upkeep_at < _DAY:
                return
            await self._repository.change(team, "", partial(_tidied_team, self._options, self._now()))
            await self._states.note_upkeep(team, now)
        except (MemoryFailed, StoreUnavailable) as error:
            log.warning("%s: the memory was not looked after: %s", team, error)

    async def ask_below(self, noted: MemoryNotices, person: str, said: str) -> MemoryNotices:
        """Return the notices below an answer, or, where there is none, perhaps a question instead."""
        return noted if noted != MemoryNotices() else MemoryNotices(stale=await self.question(person, said))

    async def question(self, person: str, said: str) -> FactView | None:
        """Return a fact of which to ask whether it still holds, once a week at most; it counts as less sure.

        The moment is good where the person talks about it, or says nothing but a greeting or thanks.
        """
        if self._options.staleness is not Staleness.ASK or not self._may_ask(person):
            return None
        try:
            return await self._ask(person, said)
        except (MemoryFailed, StoreUnavailable) as error:
            log_store_failure(log.info, "person %s: nothing is asked about their memory: %s", person, error)
            return None

    async def _ask(self, person: str, said: str) -> FactView | None:
        state, now = await self._states.get(person), self._clock()
        if now - state.asked_at < _WEEK:
            self._note_asked(person, state.asked_at)
            return None
        stored = await self._cache.load(person)
        if stored.notes.off or stored.damaged:
            return None
        fact = await self._cache.run_in_thread(partial(_fitting, stored.document.facts, said, self._now()))
        if fact is None:
            return None
        await self._states.note_asked(person, now)
        self._note_asked(person, now)
        lowering = partial(_lowered, fact, self._now())
        return fact_view(fact) if await self._repository.change(person, "", lowering) else None

    def _may_ask(self, person: str) -> bool:
        return self._clock() - self._asked.get(person, -_WEEK) >= _WEEK

    def _note_asked(self, person: str, at: float) -> None:
        self._asked[person] = at
        if len(self._asked) > _MOST_PEOPLE:
            self._asked.popitem(last=False)

    async def _consolidate(self, person: str, assistant: str) -> None:
        if self._model is None or not self._options.consolidation:
            return
        stored = await self._cache.load(person, assistant)
        movable = self._options.vocabulary.topics.keys() >= _MOVED
        old = format_timestamp(self._clock() - _OLD_SUMMARY) if movable else ""
        material = await self._cache.run_in_thread(partial(_material, stored, old))
        rules, about = self._model.prompts.upkeep, material.render()
        cost = self._counter.count(rules) + self._counter.count(about) + _MOST_OF_ANSWER
        if not material or not self._budget.take(cost):
            return
        shown = ShownIds({fact.id: fact.id for group in material.groups for fact in group}, ())
        diff = screened(await self._model.propose(rules, about, shown))

        def work(now_stored: StoredMemory) -> tuple[StoredMemory, None]:
            if now_stored.notes.off or now_stored.notes.generation != stored.notes.generation:
                return now_stored, None
            return consolidate(now_stored, diff, material, self._now()), None

        await self._repository.change(person, assistant, work)

    def _now(self) -> str:
        return format_timestamp(self._clock())


def _used_lines(told: Sequence[tuple[Sequence[str], CompletedTurn]]) -> list[str]:
    return [
        line for lines, turn in told if lines for line in used_lines(lines, turn.user_text, turn.reply_text)
    ]


def _tidied(
    options: MemoryOptions, now: str, uses: Mapping[str, int], stored: StoredMemory
) -> tuple[StoredMemory, None]:
    """Return the memory after the part that needs no model."""
    if stored.notes.off:
        return stored, None
    tidy = add_uses(stored, uses, line_format(options.injection_format))
    if options.consolidation:
        tidy = merge_duplicates(tidy, FactIndex(tidy.document.facts), now)
    if options.staleness is Staleness.LOWER:
        tidy = lower_facts(tidy, stale_facts(tidy.document.facts, now), now)
    return tidy, None


def _tidied_team(options: MemoryOptions, now: str, stored: StoredMemory) -> tuple[StoredMemory, None]:
    """Return a team's memory without repetitions, and with what may no longer hold as less sure."""
    if stored.notes.off or stored.damaged:
        return stored, None
    tidy = stored
    if options.consolidation:
        tidy = merge_duplicates(stored, FactIndex(stored.document.facts), now)
    if options.staleness is not Staleness.OFF:
        tidy = lower_facts(tidy, stale_facts(tidy.document.facts, now, written=True), now)
    return tidy, None


def _material(stored: StoredMemory, old: str) -> UpkeepMaterial:
    return find_material(stored, FactIndex(stored.document.facts), old)


def _fitting(facts: Sequence[Fact], said: str, now: str) -> Fact | None:
    """Return the stale fact that fits the moment: one that is talked about, or any after small talk."""
    stale = stale_facts(facts, now)
    if says_nothing(said):
        return max(stale, key=lambda fact: fact.confidence, default=None)
    words = frozenset(terms(said))
    near = [fact for fact in stale if words & frozenset(terms(fact.content))]
    return max(near, key=lambda fact: len(words & frozenset(terms(fact.content))), default=None)


def _lowered(fact: Fact, now: str, stored: StoredMemory) -> tuple[StoredMemory, bool]:
    """Return the memory with the fact as less sure, and whether it is still there as it was asked about."""
    there = fact in stored.document.facts and not stored.notes.off
    return (lower_facts(stored, [fact], now), True) if there else (stored, False)
