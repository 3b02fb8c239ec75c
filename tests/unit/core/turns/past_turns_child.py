"""A process that answers messages with a real memory beside it, until it is killed.

The number of a message goes out once it is accepted. With `first` -1 nothing more is said, and the process
ends when nothing waits.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from parley.core.flow_control.quarantine import PoisonLimits, Quarantine
from parley.core.model.address import Conversation
from parley.core.scheduler.manager import Manager
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from tests.kit.doubles.core import Core, RecordingChannel, ScriptedAgent, core
from tests.kit.waiting import until

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.unit.core.turns.past_turns_child"])
_AT_ONCE = PoisonLimits(trials=1_000, settling=0.0)
CHATS = 3


@asynccontextmanager
async def remembering(
    folder: Path, *, channel: RecordingChannel | None = None, agent: ScriptedAgent | None = None
) -> AsyncIterator[tuple[Core, MemoryService]]:
    """A core that works, with a real memory."""
    async with core(folder, channel=channel, agent=agent, working=False) as parley:
        store = FileMemoryStore(folder / "memory")
        memory = MemoryService(store, parley.journal, RuleExtractor(), MemoryOptions())
        services = replace(
            parley.services, memory=memory, past_turns=memory.past_turns, quarantine=Quarantine(_AT_ONCE)
        )
        parley.manager = Manager(services)
        parley.task = asyncio.create_task(parley.manager.run())
        yield parley, memory


async def work(folder: Path, number: int, told: Connection) -> None:
    async with remembering(folder) as (parley, _):
        while number >= 0:
            place = Conversation("test", f"chat-{number % CHATS}")
            await parley.say(f"number {number}", id=f"said-{number}", conversation=place)
            told.send(number)
            number += 1
            await asyncio.sleep(0.002)
        for chat in range(CHATS):
            lane = f"test:chat-{chat}"
            await until(lambda lane=lane: parley.nothing_waits("turns/test", lane), "all is answered")  # type: ignore[misc]


def _main(folder: Path, first: int, told: Connection) -> None:
    asyncio.run(work(folder, first, told))


@contextmanager
def child(folder: Path, first: int) -> Iterator[tuple[Connection, ForkServerProcess]]:
    """The process, and where its numbers arrive."""
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_main, args=(folder, first, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours, process
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
