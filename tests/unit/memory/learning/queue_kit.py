"""A learning queue on a real store, with a learner that records what it is given."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from parley.core.model.errors import MemoryFailed, StoreUnavailable
from parley.memory.learning.queue import QUEUE, LearningQueue, decode_turn, is_trigger
from parley.memory.learning.worker import LearningWorker
from parley.memory.options import MemoryOptions
from parley.store.sqlite import SqliteStore

AT_ONCE = MemoryOptions(debounce_seconds=0, retry_pause=0)


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self):
        return self.now


def let_through() -> asyncio.Event:
    """Return an event at which nobody waits."""
    event = asyncio.Event()
    event.set()
    return event


def _turn_id(item):
    turn = decode_turn(item)
    assert turn is not None
    return turn.id


@dataclass
class Learner:
    """Notes what it is taught; refuses persons and assistants in `refused`, as often as is said there."""

    learned: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    broken: bool = False
    hold: asyncio.Event = field(default_factory=let_through)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: int = 0
    most_under_way: int = 0

    async def learn(self, person, assistant, turns):
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        self.begun.set()
        try:
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
    failures: list[str] = []
    worker = LearningWorker(store, queue, learner, options, failures.append, quarantine)
    running = asyncio.create_task(worker.run())
    try:
        yield worker, failures
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def nothing_waits(queue):
    return not await queue.waiting("ann")


async def give_up(store, queue, *turns):
    """Make dead letters of turns."""
    for each in turns:
        await queue.add(each)
    while claims := await store.claim(QUEUE, 100):
        for claim in claims:
            await store.bury(claim, claim.items, "The model is away.")


async def set_back(store, tries):
    """Whether what Ann wrote first is kept for another try after so many."""
    return (await store.waiting(QUEUE, "ann"))[0].attempts == tries


async def due(store):
    """The turns that would be learned from now, by person; the lanes are given back."""
    claims = await store.claim(QUEUE, 100)
    for claim in claims:
        await store.release(claim)
    return {c.lane: [_turn_id(item) for item in c.items if not is_trigger(item)] for c in claims}


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
