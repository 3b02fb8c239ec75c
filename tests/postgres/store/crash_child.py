"""A node that puts and works until killed: `python -m tests.postgres.store.crash_child url schema node`.

Each lane counts up from where it stands. A line "lane number" goes out only after the store accepted it.
"""

from __future__ import annotations

import asyncio
import os
import sys

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import Claim, Document, NewQueueItem
from parley.store.interface import Store
from parley.store.postgres import PostgresStore
from tests.kit.machine import patience

LANES = tuple(f"lane{n}" for n in range(8))
LEASE = patience(0.25)


async def last_number(store: Store, lane: str) -> int:
    items = [*await store.waiting("out", lane), *await store.waiting("in", lane)]
    return max((int(item.body) for item in items), default=-1)


async def produce(store: Store, lane: str, number: int) -> None:
    while True:
        number += 1
        await store.put(NewQueueItem("in", lane, str(number), dedupe=f"{lane} {number}"))
        os.write(1, f"{lane} {number}\n".encode())


async def handle(store: Store, claim: Claim) -> None:
    """Move some items on and count them in a document, all or nothing."""
    items = claim.items[:3]
    await store.note(claim, items[0].id, "begun")
    counter = await store.get(claim.lane)
    counted = str(int(counter.body or "0") + len(items))
    puts = [NewQueueItem("out", claim.lane, item.body) for item in items]
    await store.done(claim, items, puts=puts, documents=[Document(counter.key, counted, counter.version)])


async def consume(store: Store) -> None:
    while True:
        claims = await store.claim("in", 4)
        for result in await asyncio.gather(*(handle(store, c) for c in claims), return_exceptions=True):
            if result is not None and not isinstance(result, LaneLost):  # a short lease, a busy machine
                raise result
        await store.wait("in", 5)


async def main(url: str, schema: str, node: str) -> None:
    opened = PostgresStore.open(url, node=node, schema=schema, lease=LEASE)
    async with opened as store, asyncio.TaskGroup() as group:
        group.create_task(store.maintain())
        for lane in LANES:
            group.create_task(produce(store, lane, await last_number(store, lane)))
        group.create_task(consume(store))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
