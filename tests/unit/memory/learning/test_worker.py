"""The learning worker: order, failures and retries, draining, and a store that is away."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from parley.core.ports.journal import NewQueueItem
from parley.memory.learning.queue import QUEUE
from parley.memory.options import MemoryOptions
from tests.kit.doubles.llm_provider import turn, until
from tests.unit.memory.learning.queue_kit import (
    AT_ONCE,
    Clock,
    Learner,
    Shaky,
    due,
    nothing_waits,
    opened,
    set_back,
    working,
)


async def failed(queue):
    return (await queue.dead()).turns


async def test_the_same_turn_recorded_twice_is_learned_once(tmp_path):
    learner = Learner()
    async with opened(tmp_path) as (store, queue), working(store, queue, learner):
        await queue.add(turn(1, "x"))
        await until(lambda: learner.learned)
        await queue.add(turn(1, "x"))
        await queue.add(turn(2, "y"))
        await until(lambda: len(learner.learned) > 1)
    assert [turns for _, _, turns in learner.learned] == [("turn-1",), ("turn-2",)]


async def test_turns_that_arrive_during_a_lesson_wait_for_the_next(tmp_path):
    learner = Learner(hold=asyncio.Event())
    async with opened(tmp_path) as (store, queue), working(store, queue, learner):
        await queue.add(turn(1, "x"))
        await learner.begun.wait()
        await queue.add(turn(2, "y"))
        learner.hold.set()
        await until(lambda: len(learner.learned) == 2)
        await until(lambda: nothing_waits(queue))
    assert [turns for _, _, turns in learner.learned] == [("turn-1",), ("turn-2",)]


async def test_several_people_are_learned_from_at_once_but_one_person_one_at_a_time(tmp_path):
    learner = Learner(hold=asyncio.Event())
    options = replace(AT_ONCE, max_concurrency=3)
    async with opened(tmp_path, options) as (store, queue):
        for number in range(10):
            await queue.add(turn(number, "x", person=f"p{number % 5}"))
        async with working(store, queue, learner, options):
            await until(lambda: learner.under_way == 3)
            for number in range(10, 20):
                await queue.add(turn(number, "x", person=f"p{number % 5}"))
            learner.hold.set()
            await until(lambda: sum(len(turns) for _, _, turns in learner.learned) == 20)
    assert learner.most_under_way == 3
    for person in {each[0] for each in learner.learned}:
        numbers = [int(t.split("-")[1]) for who, _, turns in learner.learned if who == person for t in turns]
        assert numbers == sorted(numbers)


async def test_each_assistants_turns_are_a_lesson_of_their_own_where_memories_are_apart(tmp_path):
    learner = Learner()
    options = replace(AT_ONCE, per_assistant=True)
    async with opened(tmp_path, options) as (store, queue):
        for number, assistant in enumerate("aba"):
            await queue.add(turn(number, "x", assistant=assistant))
        async with working(store, queue, learner, options):
            await until(lambda: len(learner.learned) == 2)
    assert learner.learned == [("ann", "a", ("turn-0", "turn-2")), ("ann", "b", ("turn-1",))]


async def test_a_failure_is_tried_three_times_with_growing_pauses_then_set_aside(tmp_path):
    learner, clock = Learner(refused={"ann": 3}), Clock()
    options = MemoryOptions(debounce_seconds=0, retry_pause=30)
    async with (
        opened(tmp_path, options, clock) as (store, queue),
        working(store, queue, learner, options) as (_, failures),
    ):
        await queue.add(turn(1, "x"))
        for tries, pause in ((1, 30), (2, 120)):
            await until(lambda: set_back(store, tries))  # noqa: B023 - awaited at once
            clock.now += pause - 1
            assert await due(store) == {}
            clock.now += 1
            await queue.add(turn(1, "x"))  # known already: it only wakes the worker
        await until(lambda: len(failures) == 3)
        await until(lambda: failed(queue))
        dead = (await queue.dead()).turns
        assert [(each.person, each.turn) for each in dead] == [("ann", "turn-1")]
        assert "The model is away." in dead[0].reason
        assert await queue.waiting("ann") == ()
        assert await queue.retry_dead(dead[0].item)
        await until(lambda: learner.learned)
        assert (await queue.dead()).turns == ()
    assert learner.learned == [("ann", "", ("turn-1",))]


async def test_what_is_set_aside_takes_nothing_else_with_it(tmp_path):
    learner = Learner(refused={"bad": 3})
    options = replace(AT_ONCE, per_assistant=True)
    async with opened(tmp_path, options) as (store, queue):
        for number, assistant in enumerate(["good", "bad", "good"]):
            await queue.add(turn(number, "x", assistant=assistant))
        async with working(store, queue, learner, options):
            await until(lambda: failed(queue))
            await until(lambda: nothing_waits(queue))
            assert [each.turn for each in (await queue.dead()).turns] == ["turn-1"]
            await queue.add(turn(3, "x", assistant="bad"))
            await until(lambda: ("ann", "bad", ("turn-3",)) in learner.learned)
    assert ("ann", "good", ("turn-0", "turn-2")) in learner.learned


async def test_a_bug_in_a_lesson_stays_there(tmp_path, caplog):
    learner = Learner(broken=True)
    async with opened(tmp_path) as (store, queue), working(store, queue, learner) as (_, failures):
        await queue.add(turn(1, "x"))
        await until(lambda: failed(queue))
        learner.broken = False
        await queue.add(turn(2, "y"))
        await until(lambda: learner.learned)
    assert learner.learned == [("ann", "", ("turn-2",))]
    assert "KeyError" in failures[0]
    assert "a lesson broke" in caplog.text


async def test_a_body_that_nobody_can_read_is_set_aside(tmp_path):
    learner = Learner()
    async with opened(tmp_path) as (store, queue), working(store, queue, learner) as (_, failures):
        await store.put(NewQueueItem(QUEUE, "ann", "{not json"))
        await queue.add(turn(1, "x"))
        await until(lambda: len(failures) == 3)
        await queue.add(turn(2, "y", person="bob"))
        await until(lambda: ("bob", "", ("turn-2",)) in learner.learned)
        await until(lambda: failed(queue))
        (dead,) = (await queue.dead()).turns
    assert (dead.person, dead.turn, dead.reason) == ("ann", "", "It cannot be read.")
    assert ("ann", "", ("turn-1",)) in learner.learned


async def test_cancelling_lets_go_what_waits_and_what_is_under_way(tmp_path):
    learner = Learner(hold=asyncio.Event())
    async with opened(tmp_path) as (store, queue), working(store, queue, learner):
        await queue.add(turn(1, "x"))
        await learner.begun.wait()
        await queue.add(turn(2, "y"))
        assert await queue.cancel("ann") == 2
        learner.hold.set()
        await queue.add(turn(3, "z"))
        await until(lambda: len(learner.learned) == 2)
        await until(lambda: nothing_waits(queue))
    assert [turns for _, _, turns in learner.learned] == [("turn-1",), ("turn-3",)]


async def test_draining_lets_a_lesson_finish_and_leaves_the_rest_on_disk(tmp_path):
    learner = Learner(hold=asyncio.Event())
    options = replace(AT_ONCE, max_concurrency=1)
    async with opened(tmp_path, options) as (store, queue):
        async with working(store, queue, learner, options) as (worker, _):
            await queue.add(turn(1, "x"))
            await learner.begun.wait()
            await queue.add(turn(2, "y", person="bob"))
            assert await worker.drain(0.01) is False
            learner.hold.set()
            assert await worker.drain(5) is True
        assert learner.learned == [("ann", "", ("turn-1",))]
        assert [each.id for each in await queue.waiting("bob")] == ["turn-2"]


async def test_a_cancelled_worker_gives_its_lanes_back(tmp_path):
    learner = Learner(hold=asyncio.Event())
    async with opened(tmp_path) as (store, queue):
        async with working(store, queue, learner):
            await queue.add(turn(1, "x"))
            await learner.begun.wait()
        assert await due(store) == {"ann": ["turn-1"]}


async def test_a_store_that_is_away_for_a_moment_costs_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("parley.memory.learning.worker._STORE_PAUSE", 0.01)
    learner = Learner()
    async with opened(tmp_path) as (store, queue), working(Shaky(store), queue, learner) as (_, failures):
        await queue.add(turn(1, "x"))
        await until(lambda: nothing_waits(queue))
        assert (await queue.dead()).turns == ()
    assert [turns for _, _, turns in learner.learned] == [("turn-1",), ("turn-1",)]
    assert failures == []  # an outage is said once, by whoever works turns
