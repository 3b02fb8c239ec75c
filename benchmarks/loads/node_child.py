"""One node in a process of its own: `python -m benchmarks.loads.node_child STORE AGENT`.

It prints `true` when it is ready, and answers each line on standard input, a JSON list of a command and its
arguments, with a line of JSON. `arrive` begins traffic at a rate; what it takes in, any node may answer. The
time of a turn is from the moment at which its message was due, so that nothing is left out while the
node is late. `--bare` is a loop over the SDK instead.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.kit.agent_events import Script
from benchmarks.kit.arrivals import Writers, arrival_times, due_id, parse_due, said
from benchmarks.kit.null_channel import NullChannel, NullReply, Pace
from benchmarks.kit.parley_core import running_core
from benchmarks.kit.stats import cpu_seconds
from benchmarks.loads.bare_loop import BareLoop, sdk
from benchmarks.loads.list_pages import PageTime, read_pages
from parley.app.process.event_loop import run_loop, tune_garbage_collection
from parley.core.model.types import (
    InboundMessage,
    OutboundMessage,
    Receipt,
    ReplyTarget,
    RunMode,
    SessionSettings,
)
from parley.core.ports.channel import Checkpoint, Reply
from parley.store.interface import Store
from parley.store.sqlite import SqliteStore

SCRIPT = Script(20, 0.0)


@dataclass(slots=True)
class Traffic:
    """Since the last sample: what was to arrive here, and what was finished here, with seconds of each."""

    arrived: int = 0
    finished: int = 0
    accepts: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)
    cpu: float = 0.0

    def note_finished(self, identity: str, now: float) -> None:
        """Count a turn that ended at this moment of `time.monotonic`."""
        self.finished += 1
        self.turns.append(now - parse_due(identity))


class TimedReply(NullReply):
    """Is timed at its end."""

    def __init__(self, traffic: Traffic, identity: str) -> None:
        super().__init__(None, Pace())
        self._traffic = traffic
        self._identity = identity

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        receipt = await super().finish(snapshot)
        self._traffic.note_finished(self._identity, time.monotonic())
        return receipt


class TimingChannel(NullChannel):
    """Nobody watches its replies; they are timed."""

    def __init__(self, traffic: Traffic) -> None:
        super().__init__()
        self._traffic = traffic

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return TimedReply(self._traffic, target.reply_to)


Accept = Callable[[InboundMessage], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Opened:
    """What takes messages, and what lists are read from."""

    accept: Accept
    pages: Callable[[int], Awaitable[list[PageTime]]]


@asynccontextmanager
async def kept(where: str) -> AsyncIterator[Store]:
    """The store at a PostgreSQL address, or in a file, with its lease renewed."""
    async with _store(where) as store:
        upkeep = asyncio.create_task(store.maintain())
        try:
            yield store
        finally:
            upkeep.cancel()
            await asyncio.wait([upkeep])


def _store(where: str) -> AbstractAsyncContextManager[Store]:
    if not where.startswith("postgresql://"):
        return SqliteStore.open(where)
    from parley.store.postgres import PostgresStore

    return PostgresStore.open(where)


@asynccontextmanager
async def parley(where: str, agent: str, traffic: Traffic) -> AsyncIterator[Opened]:
    """The whole of Parley's core."""
    sessions = {"": SessionSettings(SCRIPT.name)}
    channel = TimingChannel(traffic)
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        async with running_core(Path(folder), agent, sessions, RunMode.STREAM, channel, kept(where)) as core:
            yield Opened(core.bus.publish_inbound, lambda people: read_pages(core.store, people))


@asynccontextmanager
async def bare(_where: str, agent: str, traffic: Traffic) -> AsyncIterator[Opened]:
    """The SDK in a loop: nothing is stored, so that no page can be read."""
    client = sdk(agent, stock=False)
    loop = BareLoop(client)

    async def turn(message: InboundMessage) -> None:
        await loop.stream(SCRIPT.name)
        traffic.note_finished(message.id, time.monotonic())

    async def nothing(_people: int) -> list[PageTime]:
        return []

    yield Opened(turn, nothing)
    await client.aclose()


class Node:
    """Does what the lines ask for."""

    def __init__(
        self,
        opened: Opened,
        traffic: Traffic,
        writers: Writers,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._opened = opened
        self._traffic = traffic
        self._writers = writers
        self._numbers = 0
        self._arriving: set[asyncio.Task[None]] = set()

    async def answer(self, command: str, *arguments: float) -> object:
        """Do one command and return what to answer. Raises ValueError for one that nobody knows."""
        match command:
            case "arrive":
                self._begin(self._arrive(*arguments))
                return True
            case "count":
                return [self._traffic.arrived, self._traffic.finished]
            case "sample":
                return self._sample()
            case "pages":
                return [asdict(each) for each in await self._opened.pages(int(arguments[0]))]
        raise ValueError(command)

    def _sample(self) -> object:
        sample = asdict(self._traffic)
        sample["cpu"] = cpu_seconds() - self._traffic.cpu
        fresh = Traffic(cpu=cpu_seconds())
        for name in Traffic.__slots__:
            setattr(self._traffic, name, getattr(fresh, name))
        return sample

    async def _arrive(self, rate: float, seconds: float, seed: float) -> None:
        began = self._clock()
        for at in arrival_times(rate, seconds, random.Random(seed)):
            await asyncio.sleep(began + at - self._clock())
            self._traffic.arrived += 1
            self._begin(self._take(began + at))

    async def _take(self, due: float) -> None:
        self._numbers += 1
        person = self._writers.next_person()
        identity = due_id(person, due, self._writers.node, self._numbers)
        await self._opened.accept(said(person, identity))
        self._traffic.accepts.append(self._clock() - due)

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)


async def main() -> None:
    """Be a node until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("agent")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--node", type=int, default=0)
    parser.add_argument("--nodes", type=int, default=1)
    chosen = parser.parse_args()
    loop, traffic = asyncio.get_running_loop(), Traffic()
    work = (bare if chosen.bare else parley)(chosen.store, chosen.agent, traffic)
    async with work as opened:
        node = Node(opened, traffic, Writers(chosen.people, chosen.node, chosen.nodes))
        tune_garbage_collection()
        traffic.cpu = cpu_seconds()
        answered: object = True
        while True:
            print(json.dumps(answered), flush=True)
            line = await loop.run_in_executor(None, sys.stdin.readline)
            if not line:
                return
            answered = await node.answer(*json.loads(line))


if __name__ == "__main__":
    run_loop(main())
