"""What lessons leave: dead letters that go with their person, and an index that is ready for the next run."""

from __future__ import annotations

import threading

import pytest

from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import learns, provider, says, turn, until
from tests.kit.samples.memories import failed_turns
from tests.unit.memory.learning.test_pipeline import Scripted, by_model, idle, knows, remembering, says_it_all


async def test_clear_takes_a_persons_dead_letters_and_nobody_elses(tmp_path):
    async with (
        provider(says("I'd rather chat.")) as served,
        remembering(tmp_path, by_model(served)) as service,
    ):
        for number, person in enumerate(("ann", "bob", "ann:2")):
            await service.record(turn(number, "I live in Ulm", person=person))

        async def all_dead():
            return len(await failed_turns(service.admin)) == 3

        await until(all_dead)
        await service.clear("ann")
        assert {letter.person for letter in await failed_turns(service.admin)} == {"bob", "ann:2"}


@pytest.mark.parametrize("sql", [False, True], ids=["files", "sql"])
async def test_a_run_after_a_lesson_finds_the_index_ready_and_waits_for_no_thread(tmp_path, sql):
    async with remembering(tmp_path, Scripted(says_it_all), sql=sql) as service:
        for number in range(3):
            await service.record(turn(number, f"Number {number} is lucky"))
            await knows(service, f"Number {number} is lucky")
            await idle(service)

            async def ready():
                known = await service._cache.load_cached("ann")
                if not known.stored.document.facts:
                    return 0
                return await known.with_index_async(known.stored, lambda index: threading.get_ident())

            assert await ready() == threading.get_ident()


@pytest.mark.parametrize("sql", [False, True], ids=["files", "sql"])
async def test_clearing_a_strangers_memory_notes_only_when(tmp_path, sql):
    async with remembering(tmp_path, sql=sql) as service:
        assert await service.clear("nobody") == 0
    assert not (tmp_path / "memory" / "users").exists()
    async with SqliteStore.open(tmp_path / "db") as store:
        # Their first words may be under way, and are not to be kept.
        assert [each.key for each in await store.list("memory")] == ["memory-person/nobody"]


async def test_what_was_given_up_of_a_person_who_joins_another_is_tried_again_there(tmp_path):
    async with (
        provider(says("I'd rather chat.")) as served,
        remembering(tmp_path, by_model(served)) as service,
    ):
        await service.record(turn(1, "I live in Ulm", person="eve"))
        await until(lambda: failed_turns(service.admin))
        served.answers[:] = [learns("Lives in Ulm")]
        await service.merge("eve", "ann")
        await knows(service, "Lives in Ulm")
        assert await failed_turns(service.admin) == []
