"""What waits to be learned from: durable, in time, in order, bounded, and in nobody's way."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from parley.core.model.errors import MemoryFailed, StoreUnavailable
from parley.core.ports.journal import NewQueueItem
from parley.memory.learning.queue import QUEUE, LearningQueue, decode_turn, is_trigger
from parley.memory.learning.worker import LearningWorker
from parley.memory.options import MemoryOptions
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import turn, until

AT_ONCE = MemoryOptions(debounce_seconds=0, retry_pause=0)


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self):
        return self.now


@dataclass
class Learner:
    """Notes what it is taught; refuses persons and assistants in `refused`, as often as is said there."""

    learned: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    broken: bool = False
    hold: asyncio.Event | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: int = 0
    most_under_way: int = 0

    async def learn(self, person, assistant, turns):
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        self.begun.set()
        try:
            if self.hold is not None:
                await self.hold.wait()
            await asyncio.sleep(0)
            for name in (person, assistant):
                if self.refused.get(name, 0):
                    self.refused[name] -= 1
                    raise MemoryFailed("The model is away.")
            if self.broken:
                raise KeyError("a bug")
            self.learned.append((person, assistant, tuple(each.id for each in turns)))
        finally:
            self.under_way -= 1


@asynccontextmanager
async def opened(path, options=AT_ONCE, clock=None):
    async with SqliteStore.open(path / "db", **({"clock": clock} if clock else {})) as store:
        yield store, LearningQueue(store, options)


@asynccontextmanager
async def working(store, queue, learner, options=AT_ONCE, quarantine=None):
    failures = []
    worker = LearningWorker(store, queue, learner, options, failures.append, quarantine)
    running = asyncio.create_task(worker.run())
    try:
        yield worker, failures
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def nothing_waits(queue):
    return not await queue.waiting("ann")


async def set_back(store, tries):
    """Whether what Ann wrote first is kept for another try after so many."""
    return (await store.waiting(QUEUE, "ann"))[0].attempts == tries


async def due(store):
    """The turns that would be learned from now, by person; the lanes are given back."""
    claims = await store.claim(QUEUE, 100)
    for claim in claims:
        await store.release(claim)
    return {c.lane: [decode_turn(item).id for item in c.items if not is_trigger(item)] for c in claims}


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
    options = replace(AT_ONCE, extractors=3)
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
        await until(queue.dead)
        dead = await queue.dead()
        assert [(each.person, each.turn) for each in dead] == [("ann", "turn-1")]
        assert "The model is away." in dead[0].reason
        assert await queue.waiting("ann") == ()
        assert await queue.retry_dead(dead[0].item)
        await until(lambda: learner.learned)
        assert await queue.dead() == ()
    assert learner.learned == [("ann", "", ("turn-1",))]


async def test_what_is_set_aside_takes_nothing_else_with_it(tmp_path):
    learner = Learner(refused={"bad": 3})
    options = replace(AT_ONCE, per_assistant=True)
    async with opened(tmp_path, options) as (store, queue):
        for number, assistant in enumerate(["good", "bad", "good"]):
            await queue.add(turn(number, "x", assistant=assistant))
        async with working(store, queue, learner, options):
            await until(queue.dead)
            await until(lambda: nothing_waits(queue))
            assert [each.turn for each in await queue.dead()] == ["turn-1"]
            await queue.add(turn(3, "x", assistant="bad"))
            await until(lambda: ("ann", "bad", ("turn-3",)) in learner.learned)
    assert ("ann", "good", ("turn-0", "turn-2")) in learner.learned


async def test_a_bug_in_a_lesson_stays_there(tmp_path, caplog):
    learner = Learner(broken=True)
    async with opened(tmp_path) as (store, queue), working(store, queue, learner) as (_, failures):
        await queue.add(turn(1, "x"))
        await until(queue.dead)
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
        await until(queue.dead)
        (dead,) = await queue.dead()
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


async def test_a_backlog_is_bounded_and_loses_its_oldest_with_a_line_in_the_log(tmp_path, caplog):
    options = MemoryOptions(queue_limit=40)
    async with opened(tmp_path, options) as (_, queue):
        for number in range(64):
            await queue.add(turn(number, "x"))
        waiting = await queue.waiting("ann")
    assert len(waiting) == 40
    assert waiting[-1].id == "turn-63"
    assert "the oldest" in caplog.text


async def test_long_texts_do_not_fill_the_queue(tmp_path):
    async with opened(tmp_path) as (_, queue):
        await queue.add(turn(1, "a" * 500_000 + "the end", reply="b" * 500_000))
        (kept,) = await queue.waiting("ann")
    assert len(kept.user_text) + len(kept.reply_text) < 41_000
    assert kept.user_text.endswith("the end")


async def test_draining_lets_a_lesson_finish_and_leaves_the_rest_on_disk(tmp_path):
    learner = Learner(hold=asyncio.Event())
    options = replace(AT_ONCE, extractors=1)
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


@dataclass
class Shaky:
    """A journal whose first claims and first end of a lesson fail; everything else is the real one."""

    store: SqliteStore
    claims: int = 1
    dones: int = 1

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def claim(self, queue, limit):
        if self.claims:
            self.claims -= 1
            raise StoreUnavailable("The disk is away.")
        return await self.store.claim(queue, limit)

    async def done(self, claim, items, **more):
        if self.dones:
            self.dones -= 1
            raise StoreUnavailable("The disk is away.")
        return await self.store.done(claim, items, **more)


async def test_a_store_that_is_away_for_a_moment_costs_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("parley.memory.learning.worker._STORE_PAUSE", 0.01)
    learner = Learner()
    async with opened(tmp_path) as (store, queue), working(Shaky(store), queue, learner) as (_, failures):
        await queue.add(turn(1, "x"))
        await until(lambda: nothing_waits(queue))
        assert await queue.dead() == ()
    assert [turns for _, _, turns in learner.learned] == [("turn-1",), ("turn-1",)]
    assert len(failures) == 2


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
