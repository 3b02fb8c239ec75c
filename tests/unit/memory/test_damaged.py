"""A memory that cannot be read: its person is told, and learning waits until it is repaired or cleared."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from parley.core.model.errors import MemoryDamaged
from parley.core.ports.memory.port import MemoryNotices, RecallQuery
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.memory.storage.sql import SqlMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import NOON, turn, until
from tests.kit.samples.memories import failed_turns
from tests.kit.samples.memory_options import memory_options

AT_ONCE = memory_options(debounce_seconds=0, retry_pause=0)
BROKEN = '{"facts": ['


class Clock:
    now = NOON

    def __call__(self):
        return self.now


@asynccontextmanager
async def remembering(path, *, sql=False, clock=None):
    async with SqliteStore.open(path / "db") as journal:
        store = SqlMemoryStore(journal) if sql else FileMemoryStore(path / "memory")
        yield MemoryService(store, journal, RuleExtractor(), AT_ONCE, clock or Clock()), journal


async def damage(path, journal, *, sql):
    """Damage what is stored of ann; return what repairs it."""
    if sql:
        whole = await journal.get("memory/ann/")
        await journal.set(replace(whole, body=BROKEN))

        async def repair():
            await journal.set(replace(await journal.get("memory/ann/"), body=whole.body))

        return repair
    file = path / "memory/users/ann/memory.json"
    text = file.read_text("utf-8")
    file.write_text(BROKEN, "utf-8")

    async def mend():
        (aside,) = file.parent.glob("memory.json.corrupt-*")
        assert aside.read_text("utf-8") == BROKEN
        aside.write_text(text, "utf-8")
        aside.rename(file)

    return mend


async def facts(service):
    return [fact.content for fact in (await service.overview("ann")).facts]


@pytest.mark.parametrize("sql", [False, True], ids=["files", "sql"])
async def test_learning_waits_until_it_is_repaired_and_then_nothing_is_lost(tmp_path, sql):
    async with remembering(tmp_path, sql=sql) as (service, journal):
        await service.add("ann", "Likes tea")
        repair = await damage(tmp_path, journal, sql=sql)
        assert (await service.overview("ann")).damaged

        async def waits():
            return "Learning waits" in (await service.admin.health()).last_error

        async with service.running():
            await service.record(turn(1, "I live in Ulm"))
            await until(waits)
            assert (await failed_turns(service.admin)) == []
            assert (await service.overview("ann")).waiting == 1
            assert await facts(service) == []
            for change in (service.add("ann", "Has a cat"), service.forget("ann", "tea")):
                with pytest.raises(MemoryDamaged):
                    await change
            await repair()

            async def learned():
                return len(await facts(service)) == 2

            await until(learned)
        assert sorted(await facts(service)) == ["Likes tea", "User lives in Ulm"]
        assert not (await service.overview("ann")).damaged


@pytest.mark.parametrize("sql", [False, True], ids=["files", "sql"])
async def test_a_damage_stands_in_the_log_once_however_often_it_is_met(tmp_path, sql, caplog):
    async with remembering(tmp_path, sql=sql) as (service, journal):
        await service.add("ann", "Likes tea")
        await damage(tmp_path, journal, sql=sql)
        async with service.running():
            await service.record(turn(1, "I live in Ulm"))

            async def tried_again():
                (*_, last) = await journal.waiting("memory", "ann")
                (first, *_) = await journal.waiting("memory", "ann")
                return last and first.attempts > 3

            await until(tried_again)
            for _ in range(3):
                await service.overview("ann")
        lines = [record.getMessage() for record in caplog.records]
        assert sum("Learning waits" in line for line in lines) == 1
        assert sum("cannot be read (" in line for line in lines) == 1


@pytest.mark.parametrize("sql", [False, True], ids=["files", "sql"])
async def test_contradictions_of_older_memories_are_settled_when_they_are_recalled(tmp_path, sql):
    async with remembering(tmp_path, sql=sql) as (service, _):
        old = [("a", "User lives in Rome", "2024-01-01"), ("b", "User lives in Oslo", "2025-01-01")]
        facts = [
            {"id": each, "content": content, "createdAt": f"{day}T00:00:00Z"} for each, content, day in old
        ]
        await service.admin.replace("ann", json.dumps({"facts": facts}))
        query = RecallQuery("ann", "", "thread", ("where do I live?",), private=True)
        block = await service.recall(query)
        assert "User lives in Oslo\n" in block
        assert "User lives in Rome (past: until 2025-01-01)" in block


@pytest.mark.parametrize("sql", [False, True], ids=["files", "sql"])
async def test_whoever_wants_to_begin_anew_clears_it(tmp_path, sql):
    async with remembering(tmp_path, sql=sql) as (service, journal):
        await service.add("ann", "Likes tea")
        await damage(tmp_path, journal, sql=sql)
        assert await service.clear("ann") == 0
        assert not (await service.overview("ann")).damaged
        await service.add("ann", "Has a cat")
        assert await facts(service) == ["Has a cat"]


async def test_a_damaged_file_of_somebody_of_whom_nothing_else_is_known_is_told_too(tmp_path):
    file = tmp_path / "memory/users/ann/memory.json"
    file.parent.mkdir(parents=True)
    file.with_name("memory.json.corrupt-1").write_text(BROKEN, "utf-8")
    async with remembering(tmp_path) as (service, _):
        assert (await service.overview("ann")).damaged == "memory.json.corrupt-1"
        await service.clear("ann")
        assert not (await service.overview("ann")).damaged


async def test_it_is_told_below_an_answer_once_a_day(tmp_path):
    clock = Clock()
    async with remembering(tmp_path, clock=clock) as (service, journal):
        await service.add("ann", "Likes tea")
        assert await service.notices("ann", "hello", private=True) == MemoryNotices()
        await damage(tmp_path, journal, sql=False)
        told = []
        for hours in (0, 1, 22, 2, 1):
            clock.now += 3600 * hours
            told.append(bool((await service.notices("ann", "hello", private=True)).damaged))
        assert told == [True, False, False, True, False]
