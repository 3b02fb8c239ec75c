"""A process that works until it is killed: `... crash_child MOMENT TIMES ADDRESS...`.

When it has reached the moment of a hand-over so many times it says so, and does nothing more.
"""

from __future__ import annotations

import asyncio
import os
import sys

from parley.core.model.errors import LaneLost
from parley.core.model.usage import Usage
from parley.core.ports.journal import Claim, CounterIncrement, Document, NewQueueItem
from tests.unit.store.sharded.databases import LEASE, open_stores
from tests.unit.store.sharded.sharded_store import ShardedStore

QUEUE, LEARNING = "turns/test", "memory"
UNTIL = 4e9


async def work(sharded: ShardedStore) -> None:
    """Finish each message with a document, an item and a count, as a turn does."""
    while True:
        for claim in await sharded.claim(QUEUE, 4):
            try:
                await _finish(sharded, claim)
            except LaneLost:
                continue
        await sharded.wait(QUEUE, 1)


async def _finish(sharded: ShardedStore, claim: Claim) -> None:
    lane, (item, *_) = claim.lane, claim.items
    await sharded.done(
        claim,
        [item],
        puts=[NewQueueItem(LEARNING, lane, item.body)],
        documents=[Document(f"audit/{lane}/{item.body}", item.body, 0)],
        tallies=[CounterIncrement(f"account/{lane}", UNTIL, Usage(turns=1))],
    )


async def main(moment: str, times: int, addresses: list[str]) -> None:
    left = times

    async def stop_at(reached: str) -> None:
        nonlocal left
        left -= reached == moment
        if left <= 0:
            os.write(1, b"reached\n")
            await asyncio.Event().wait()

    async def live() -> None:
        while True:
            await sharded.renew()
            await asyncio.sleep(LEASE / 4)

    async with open_stores(addresses, LEASE) as stores, ShardedStore.over(stores, stop_at) as sharded:
        await asyncio.gather(live(), work(sharded))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
