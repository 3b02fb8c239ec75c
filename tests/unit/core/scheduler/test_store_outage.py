"""After an outage of the store nobody waits two seconds longer than it lasted, by the loop's time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from parley.channels.kit.retry import retry
from parley.core.flow_control.quarantine import Quarantine
from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import Claim, Journal, QueueItem
from parley.core.scheduler.lane_worker import LaneRules, LaneWorker
from tests.kit.virtual_time import loop_time, run_in_virtual_time

MOST = 2.0
PEOPLE = 20


class AwayJournal:
    """A queue that is not there before `back`; each item is a lane of its own."""

    def __init__(self, back: float, outage: StoreOutage) -> None:
        self._back, self._outage = back, outage
        self._items: list[str] = []

    def _demand(self) -> None:
        if loop_time() < self._back:
            error = StoreUnavailable("away")
            error.outage = True
            self._outage.note_failure("writer", error)
            raise error

    async def put(self, lane: str) -> None:
        self._demand()
        self._items.append(lane)

    async def claim(self, queue: str, limit: int) -> tuple[Claim, ...]:
        self._demand()
        taken, self._items = self._items[:limit], self._items[limit:]
        items = [QueueItem(1, queue, lane, "", "", 0, 1, 0.0) for lane in taken]
        return tuple(Claim(queue, item.lane, 1, (item,)) for item in items)

    async def wait(self, queue: str, timeout: float) -> None:
        self._demand()
        await asyncio.sleep(0.1)

    async def release(self, claim: Claim) -> None:
        self._demand()


async def set_back(claim: Claim, error: Exception) -> None:
    raise error


async def bury(claim: Claim) -> None:
    raise AssertionError("there is no poison")


@pytest.mark.parametrize("lasted", [0.4, 3.0, 27.0, 600.0])
def test_nobody_waits_longer_than_the_outage_and_two_seconds(lasted: float):
    waits = measure_waits(lasted)
    assert len(waits) == PEOPLE
    assert max(waits) <= MOST


@run_in_virtual_time
async def measure_waits(lasted: float) -> list[float]:
    """Return how long after the end of the outage each message was worked that was said during it."""
    outage, waits = StoreOutage(loop_time), list[float]()
    journal = AwayJournal(lasted, outage)
    worked = asyncio.Event()
    rules = LaneRules("a turn", set_back, bury)
    worker = LaneWorker(cast("Journal", journal), Quarantine(), rules)

    async def work(claim: Claim, answered: Callable[[], None]) -> None:
        await asyncio.sleep(outage.settles_in)  # as the collector of batches does
        waits.append(loop_time() - lasted)
        if len(waits) == PEOPLE:
            worked.set()

    async def say(number: int) -> None:
        await asyncio.sleep(lasted * number / PEOPLE)
        await retry(lambda: journal.put(f"lane {number}"), lambda error: None)

    working = asyncio.create_task(worker.work("turns", CountingSemaphore(PEOPLE), PEOPLE, work))
    await asyncio.gather(*map(say, range(PEOPLE)))
    await worked.wait()
    worker.close()
    await working
    return waits
