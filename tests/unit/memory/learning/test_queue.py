"""What waits to be learned from: durable, in time, in order, bounded, and in nobody's way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parley.core.model.address import User
from parley.core.ports.journal import NewQueueItem
from parley.memory.learning.queue import LearningQueue
from parley.memory.options import MemoryOptions
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import turn
from tests.unit.memory.learning.queue_kit import Clock, Shaky, due, give_up, opened
from tests.unit.store.sqlite.effort import counted_steps


async def test_a_turn_waits_for_the_debounce_and_each_new_one_begins_it_again(tmp_path):
    clock = Clock()
    async with opened(tmp_path, MemoryOptions(), clock) as (store, queue):
        await queue.add(turn(1, "a"))
        clock.now += 29
        await queue.add(turn(2, "b"))
        clock.now += 29
        assert await due(store) == {}
        clock.now += 1
        assert await due(store) == {"ann": ["turn-1", "turn-2"]}


async def test_someone_who_never_stops_writing_is_learned_from_within_max_wait(tmp_path):
    clock = Clock()
    async with opened(tmp_path, MemoryOptions(), clock) as (store, queue):
        for number in range(12):
            await queue.add(turn(number, "again"))
            clock.now += 10
        assert len((await due(store))["ann"]) == 12


async def test_one_busy_person_never_delays_another(tmp_path):
    clock = Clock()
    async with opened(tmp_path, MemoryOptions(), clock) as (store, queue):
        await queue.add(turn(0, "hello", person="bob"))
        for number in range(1, 4):
            await queue.add(turn(number, "again"))
            clock.now += 10
        assert await due(store) == {"bob": ["turn-0"]}


async def test_turns_of_other_threads_and_assistants_replace_nothing(tmp_path):
    async with opened(tmp_path) as (_, queue):
        for number, (thread, assistant) in enumerate([("t1", "a"), ("t2", "a"), ("t1", "b"), ("t1", "a")]):
            await queue.add(turn(number, "x", thread=thread, assistant=assistant))
        assert [(each.thread, each.assistant) for each in await queue.waiting("ann")] == [
            ("t1", "a"), ("t2", "a"), ("t1", "b"), ("t1", "a"),
        ]  # fmt: skip


async def test_who_spoke_is_kept_from_the_moment_of_recording(tmp_path):
    async with opened(tmp_path) as (_, queue):
        spoken = turn(1, "x", person="ann", language="zh-CN", private=False)
        await queue.add(spoken)
    async with opened(tmp_path) as (_, queue):
        assert await queue.waiting("ann") == (spoken,)


async def test_what_waits_moves_with_its_person(tmp_path):
    async with opened(tmp_path) as (_, queue):
        await queue.add(turn(1, "x", person="web-ann"))
        await queue.add(turn(2, "y", person="ann"))
        await queue.move("web-ann", "ann")
        await queue.move("web-ann", "ann")
        assert await queue.waiting("web-ann") == ()
        assert [(each.person, each.user_text) for each in await queue.waiting("ann")] == [
            ("ann", "y"),
            ("ann", "x"),
        ]


async def test_what_was_given_up_moves_with_its_person_in_its_order_and_nobody_elses_does(tmp_path):
    async with opened(tmp_path) as (store, queue):
        gone = [turn(number, f"said {number}", person="web-ann") for number in range(3)]
        await give_up(store, queue, *gone, turn(3, "x", person="ann"), turn(4, "x", person="web-ann:2"))
        await store.put(NewQueueItem("other", "web-ann", "of another queue"))
        (other,) = await store.claim("other", 1)
        await store.bury(other, other.items, "no cure")
        await queue.move("web-ann", "ann")
        assert [each.user_text for each in await queue.waiting("ann")] == ["said 0", "said 1", "said 2"]
        assert {each.person for each in (await queue.dead()).turns} == {"ann", "web-ann:2"}
        assert await queue.discard_dead("ann") == 2  # with the trigger
        assert [item.lane for item in await store.dead() if item.body] == ["web-ann", "web-ann:2"]


async def test_of_what_was_given_up_an_account_takes_its_own_along(tmp_path):
    async with opened(tmp_path) as (store, queue):
        spoken = [replace(turn(n, f"said {n}"), speaker=User("test", f"a{n % 2}")) for n in range(4)]
        await give_up(store, queue, *spoken)
        await queue.split_account("ann", "eve", "test:a1")
        assert [each.user_text for each in await queue.waiting("eve")] == ["said 1", "said 3"]
        assert [each.turn for each in (await queue.dead()).turns] == ["turn-2", "turn-0"]


async def _effort(path, others):
    """What the database does for one person's dead letters among those of others."""
    path.mkdir()
    async with opened(path) as (store, queue):
        told = [replace(turn(n, "x", person="ann"), speaker=User("test", f"a{n % 2}")) for n in range(4)]
        await give_up(store, queue, *told, *(turn(n, "x", person=f"p{n}") for n in range(4, 4 + others)))
        with counted_steps(store) as steps:
            await queue.split_account("ann", "eve", "test:a1")
            await queue.move("ann", "bob")
            await queue.discard_dead("eve")
        return steps[0]


async def test_a_persons_dead_letters_are_found_without_reading_others(tmp_path):
    few, many = [await _effort(tmp_path / str(number), number) for number in (10, 600)]
    assert many < 1.5 * few


async def test_a_backlog_is_bounded_and_loses_its_oldest_with_a_line_in_the_log(tmp_path, caplog):
    options = MemoryOptions(queue_limit=40)
    async with opened(tmp_path, options) as (_, queue):
        for number in range(64):
            await queue.add(turn(number, "x"))
        waiting = await queue.waiting("ann")
    assert len(waiting) == 40
    assert waiting[-1].id == "turn-63"
    assert "the oldest" in caplog.text


async def test_corrections_are_dropped_last(tmp_path):
    async with SqliteStore.open(tmp_path / "db") as store:
        queue = LearningQueue(store, MemoryOptions(queue_limit=10), lambda said: said.startswith("no"))
        for number in range(32):
            await queue.add(turn(number, "no, I meant Ulm" if number in (0, 3) else "x"))
        waiting = [each.id for each in await queue.waiting("ann")]
    assert waiting == ["turn-0", "turn-3", *(f"turn-{number}" for number in range(24, 32))]


async def test_a_backlog_of_corrections_is_bounded_too(tmp_path):
    async with SqliteStore.open(tmp_path / "db") as store:
        queue = LearningQueue(store, MemoryOptions(queue_limit=10), lambda said: True)
        for number in range(32):
            await queue.add(turn(number, "no, I meant Ulm"))
        assert [each.id for each in await queue.waiting("ann")] == [f"turn-{n}" for n in range(22, 32)]


async def test_long_texts_do_not_fill_the_queue(tmp_path):
    async with opened(tmp_path) as (_, queue):
        await queue.add(turn(1, "a" * 500_000 + "the end", reply="b" * 500_000))
        (kept,) = await queue.waiting("ann")
    assert len(kept.user_text) + len(kept.reply_text) < 41_000
    assert kept.user_text.endswith("the end")


@pytest.mark.parametrize("number", [1, 250])
async def test_recording_is_one_small_transaction_whatever_waits(tmp_path, number):
    puts = []

    class Counting(Shaky):
        async def put(self, *given):
            puts.append(given)
            return await self.store.put(*given)

    async with SqliteStore.open(tmp_path / "db") as store:
        queue = LearningQueue(Counting(store), MemoryOptions(queue_limit=1000))
        for each in range(number):
            await queue.add(turn(each, "x"))
    assert len(puts) == number
    assert {len(given) for given in puts} == {2}
    assert max(len(put.body) for put in puts[-1]) < 600
