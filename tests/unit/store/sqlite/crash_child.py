"""A process that puts and works until it is killed: `python -m tests.unit.store.sqlite.crash_child database`.

Each lane counts up from where it stands. A line "lane number" goes out only after the store accepted it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from parley.core.ports.journal import Claim, NewQueueItem
from parley.store.sqlite import SqliteStore

LANES = tuple(f"lane{n}" for n in range(8))


async def last_number(store: SqliteStore, lane: str) -> int:
    items = [*await store.waiting("out", lane), *await store.waiting("in", lane)]
    return int(items[-1].body) if items else -1


async def produce(store: SqliteStore, lane: str, number: int) -> None:
    while True:
        number += 1
        await store.put(NewQueueItem("in", lane, str(number), dedupe=f"{lane} {number}"))
        os.write(1, f"{lane} {number}\n".encode())


async def handle(store: SqliteStore, claim: Claim) -> None:
    """Move some items on and count them in a document, all or nothing."""
    items = claim.items[:3]
    await store.note(claim, items[0].id, "begun")
    counter = await store.get(claim.lane)
    counted = str(int(counter.body or "0") + len(items))
    await store.done(
        claim,
        items,
        puts=[NewQueueItem("out", claim.lane, item.body) for item in items],
        documents=[type(counter)(counter.key, counted, counter.version)],
    )


async def consume(store: SqliteStore) -> None:
    while True:
        await asyncio.gather(*(handle(store, claim) for claim in await store.claim("in", 4)))
        await store.wait("in", 5)


async def main(path: Path) -> None:
    async with SqliteStore.open(path) as store, asyncio.TaskGroup() as group:
        for lane in LANES:
            group.create_task(produce(store, lane, await last_number(store, lane)))
        group.create_task(consume(store))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
