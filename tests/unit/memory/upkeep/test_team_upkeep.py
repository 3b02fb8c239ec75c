"""A team's memory is looked after once a day, when the agent is told of it."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from parley.core.ports.memory.port import FactOrigin
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import Staleness
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.samples.memories import DAY, START, at
from tests.kit.samples.memory_options import memory_options

TEAM = "team/test:room"
PLAN = f"The release is on {at(20)[:10]}"
ANN, BOB = FactOrigin("test:room", "", "Ann"), FactOrigin("test:room", "", "Bob")


class Team:
    """A team's memory whose clock stands at a day."""

    def __init__(self, path, journal, **options):
        self.day = 0.0
        store = FileMemoryStore(path / "memory")
        chosen = memory_options(debounce_seconds=0, **options)
        self.service = MemoryService(store, journal, RuleExtractor(), chosen, lambda: START + self.day * DAY)
        self.add, self.edit = self.service.controls.add, self.service.controls.edit

    async def told(self, *messages):
        return await self.service.controls.recall_team(TEAM, messages or ("hi",))

    async def facts(self):
        return {fact.content: fact for fact in (await self.service.overview(TEAM)).facts}

    async def revision(self):
        return (await self.service.admin.repository.load_merged(TEAM)).revision


@asynccontextmanager
async def remembering(path, **options):
    async with SqliteStore.open(path / "db") as journal:
        yield Team(path, journal, **options)


async def test_what_is_over_is_less_sure_and_comes_last_until_somebody_keeps_it(tmp_path):
    async with remembering(tmp_path) as team:
        await team.add(TEAM, PLAN, "test:ann", ANN)
        team.day = 1
        await team.add(TEAM, "The door code is at the desk", "test:bob", BOB)
        await team.add(TEAM, "Lunch is at noon", "test:bob", BOB)
        team.day = 40
        assert PLAN in await team.told()
        assert (await team.facts())[PLAN].confidence == 1
        team.day = 60
        lines = (await team.told()).splitlines()
        assert PLAN in lines[-2]
        assert (await team.facts())[PLAN].confidence == 0.8
        before = await team.revision()
        team.day = 60.5
        for _ in range(3):
            await team.told()
        assert await team.revision() == before
        team.day = 62
        await team.told()
        assert (await team.facts())[PLAN].confidence == 0.8  # judged once
        await team.service.controls.keep(TEAM, (await team.facts())[PLAN].id)
        assert (await team.facts())[PLAN].confidence == 1


async def test_what_two_people_made_equal_becomes_one_of_both(tmp_path):
    async with remembering(tmp_path) as team:
        await team.add(TEAM, "The release is on Friday", "test:ann", ANN)
        other = await team.add(TEAM, "We meet in room 5", "test:bob", BOB)
        await team.edit(TEAM, other.id, "the release is on Friday.", "test:bob", BOB)
        assert len(await team.facts()) == 2
        team.day = 2
        await team.told()
        (kept,) = (await team.facts()).values()
        assert set(kept.accounts) == {"test:ann", "test:bob"}
        assert await team.service.controls.withdraw(TEAM, ["test:ann"]) == 1
        (kept,) = (await team.facts()).values()
        assert kept.accounts == ("test:bob",)


@pytest.mark.parametrize(("chosen", "confidence"), [(Staleness.ASK, 0.8), (Staleness.OFF, 1.0)])
async def test_nobody_is_asked_in_a_group(tmp_path, chosen, confidence):
    async with remembering(tmp_path, staleness=chosen) as team:
        await team.add(TEAM, PLAN, "test:ann", ANN)
        team.day = 60
        await team.told("thanks")
        assert (await team.service.notices("test:ann", "thanks", private=False)).stale is None
        assert (await team.facts())[PLAN].confidence == confidence


async def test_an_empty_team_is_not_made_and_a_memory_that_is_off_is_left(tmp_path):
    async with remembering(tmp_path) as team:
        assert await team.told() == ""
        assert await team.revision() == ""
        await team.add(TEAM, PLAN, "test:ann", ANN)
        await team.service.switch(TEAM, on=False)
        team.day = 60
        await team.told()
        assert (await team.facts())[PLAN].confidence == 1
