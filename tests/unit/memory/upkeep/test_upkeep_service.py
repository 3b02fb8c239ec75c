"""Upkeep runs after lessons, once a day, within its budget, and asks a person rarely and in private only."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager

import pytest

from parley.core.ports.memory.port import MemoryNotices
from parley.memory.learning.extraction.extractor import ModelExtractor
from parley.memory.learning.extraction.llm import LangchainModel, ModelSettings
from parley.memory.learning.extraction.prompts import load_prompts
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.model.document import MemoryDocument, StoredMemory
from parley.memory.options import MemoryOptions, Staleness
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.memory.upkeep.budget import DailyBudget
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import provider, says, turn, until
from tests.kit.samples.memories import DAY, START, at, fact

ONE = fact(1, "Plays tennis with Kim every Monday evening")
TWO = fact(2, "Plays tennis with Kim on Monday in Bonn")
BOTH = "Plays tennis with Kim every Monday evening in Bonn"


class Calendar:
    """A clock that stands still at a day."""

    def __init__(self, day):
        self.day = day

    def __call__(self):
        return START + self.day * DAY


@asynccontextmanager
async def remembering(path, *facts, extractor=None, day=400.0, **options):
    calendar = Calendar(day)
    async with SqliteStore.open(path / "db") as journal:
        store, chosen = FileMemoryStore(path / "memory"), MemoryOptions(debounce_seconds=0, **options)
        service = MemoryService(store, journal, extractor or RuleExtractor(), chosen, calendar)
        await service.admin.repository.change(
            "ann", "", lambda _: (StoredMemory(MemoryDocument(facts=facts)), None)
        )
        yield service, calendar


async def contents(service):
    return {each.content: each.confidence for each in (await service.overview("ann")).facts}


async def test_a_lesson_is_followed_by_upkeep_once_a_day(tmp_path):
    old = fact(1, "Lives in Oslo", 0.9)
    async with remembering(tmp_path, old, fact(2, "lives in Oslo.", 0.9)) as (service, calendar):
        await service.record(turn(1, "My name is Ann", at=calendar()))

        async def done():
            found = await contents(service)
            return (
                "User's name is Ann" in found
                and found.get("lives in Oslo.", found.get("Lives in Oslo")) == 0.72
            )

        async with service.running():
            await until(done)
        assert len(await contents(service)) == 2
        await service.add("ann", "lives in OSLO")
        before = await contents(service)
        calendar.day += 0.9
        await service.upkeep.look_after("ann")
        assert await contents(service) == before


async def test_a_model_merges_within_the_budget_of_a_day(tmp_path):
    update = {"newFacts": [{"content": BOTH, "confidence": 0.9, "similar": [
        {"id": ONE.id, "relation": "same"}, {"id": TWO.id, "relation": "same"}]}]}  # fmt: skip
    async with provider(says(json.dumps(update))) as model:
        extractor = ModelExtractor(
            LangchainModel(ModelSettings("openai:m", model.url, "key")), load_prompts()
        )
        async with remembering(
            tmp_path / "a", ONE, TWO, extractor=extractor, day=1, consolidation_calls=0
        ) as (
            service,
            _,
        ):
            await service.upkeep.look_after("ann")
            assert len(await contents(service)) == 2
            assert model.asked == []
        async with remembering(tmp_path / "b", ONE, TWO, extractor=extractor, day=1) as (service, calendar):
            await service.upkeep.look_after("ann")
            assert list(await contents(service)) == [BOTH]
            assert ONE.content in model.prompts[0]
            calendar.day += 1.1
            await service.upkeep.look_after("ann")
            assert len(model.asked) == 1, "nothing is near any more: no call"
            assert await service.undo("ann")
            assert set(await contents(service)) == {ONE.content, TWO.content}


def test_a_budget_is_that_of_a_day():
    calendar = Calendar(0)
    budget = DailyBudget(2, 1_000, calendar)
    assert [budget.take(600), budget.take(600), budget.take(400), budget.take(0)] == [
        True,
        False,
        True,
        False,
    ]
    calendar.day += 1
    assert budget.take(1_000)


async def test_a_person_is_asked_once_a_week_in_private_where_it_fits(tmp_path):
    facts = (fact(1, "Lives in Oslo"), fact(2, "Works for Acme"), fact(3, "Has a dog", source="manual"))
    async with remembering(tmp_path, *facts, staleness=Staleness.ASK, first_use_notice=False) as (
        service,
        calendar,
    ):
        await service.upkeep.look_after("ann")
        assert set((await contents(service)).values()) == {0.8}, "asked, not lowered"
        assert await service.notices("ann", "What is 2+2?", private=True) == MemoryNotices()
        assert await service.notices("ann", "Is Oslo far?", private=False) == MemoryNotices()
        asked = await service.notices("ann", "Is Oslo far?", private=True)
        assert asked.stale.content == "Lives in Oslo"
        assert (await contents(service))["Lives in Oslo"] == 0.64
        calendar.day += 6.9
        assert await service.notices("ann", "thanks", private=True) == MemoryNotices()
        kept = await service.controls.keep("ann", asked.stale.id)
        assert (kept.confidence, kept.source) == (1.0, "manual")
        calendar.day += 0.2
        assert (await service.notices("ann", "thanks", private=True)).stale.content == "Works for Acme"
        calendar.day += 400
        assert await service.notices("ann", "thanks", private=True) == MemoryNotices()


@pytest.mark.parametrize("off", [True, False])
async def test_nothing_is_asked_or_lowered_where_that_is_not_wanted(tmp_path, off):
    staleness = Staleness.ASK if off else Staleness.OFF
    async with remembering(
        tmp_path, fact(1, "Lives in Oslo"), staleness=staleness, first_use_notice=False
    ) as (
        service,
        _,
    ):
        await service.switch("ann", on=not off)
        await service.upkeep.look_after("ann")
        assert await service.notices("ann", "thanks", private=True) == MemoryNotices()
        assert await contents(service) == {"Lives in Oslo": 0.8}
        assert at(0)
