"""A process that records and learns until it is killed.

The number of a turn goes out only after it was recorded. Every extraction proposes one fact for each turn,
with a mark of its own, so that a turn that was learned from twice is seen. With `first` -1 it records
nothing, learns what waits, and ends.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from parley.core.flow_control.quarantine import PoisonLimits, Quarantine
from parley.memory.learning.extraction.diff import Diff, ProposedFact
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import turn, until

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.unit.memory.learning.learning_child"])
PEOPLE = ("ann", "bob", "cem")
OPTIONS = MemoryOptions(debounce_seconds=0.03, max_wait=0.1, max_facts=100_000, queue_limit=100_000)


AT_ONCE = PoisonLimits(trials=1_000, settling=0.0)
"""Each process lives for milliseconds only: what it was killed with is no poison, and is tried at once."""


class Marking:
    name = "marking"

    async def open(self):
        pass

    def corrects(self, said):
        return said.startswith("no,")

    async def extract(self, material, document, index, now):
        mark = uuid.uuid4().hex[:8]
        return Diff(tuple(ProposedFact(f"{each.id} {mark}", confidence=0.9) for each in material.turns))


async def work(folder: Path, number: int, told: Connection) -> None:
    async with SqliteStore.open(folder / "db") as journal:
        quarantine = Quarantine(AT_ONCE)
        service = MemoryService(
            FileMemoryStore(folder / "memory"), journal, Marking(), OPTIONS, quarantine=quarantine
        )
        async with service.running():
            while number >= 0:
                person = PEOPLE[number % 3]
                await service.record(turn(number, "words", person=person, thread=f"{person}-{number % 2}"))
                told.send(number)
                number += 1
                await asyncio.sleep(0.002)
            for person in PEOPLE:
                await until(partial(_learned, service, person))


async def _learned(service: MemoryService, person: str) -> bool:
    return not (await service.overview(person)).waiting


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
