"""What there is to do: of turns and lessons, whatever their channel, and nothing of other queues."""

from __future__ import annotations

import math
from pathlib import Path

from parley.app.monitoring.system_load import SystemLoadReader
from parley.core.model.queues import LEARNING, command_queue, turn_queue
from parley.core.ports.health import SystemLoad
from parley.core.ports.journal import NewQueueItem
from parley.store.sqlite import SqliteStore
from tests.kit.store.nodes import Clock


async def test_what_waits_is_told_with_the_age_of_the_oldest(tmp_path: Path):
    clock = Clock()
    async with SqliteStore.open(tmp_path / "parley.db", clock=clock) as store:
        load = SystemLoadReader(store)
        assert math.isnan((await load.read()).store_latency)
        await store.put(NewQueueItem(turn_queue("slack"), "a", "1"))
        clock.advance(30)
        await store.put(
            NewQueueItem(turn_queue("web"), "b", "1"), NewQueueItem(command_queue("web"), "b", "1")
        )
        await store.put(NewQueueItem(LEARNING, "ann", "1"))
        clock.advance(10)
        load.watch_turns(lambda: 7)
        load.note_latency(0.004)
        assert await load.read() == SystemLoad(7, 2, 40.0, 1, 10.0, 0.004)
        held = await store.claim(turn_queue("slack"), 1)
        assert (await load.read()).waiting == 1, held
