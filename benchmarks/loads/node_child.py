"""One node's work, in a process of its own: `python -m benchmarks.loads.node_child URL AGENT [--peer]`.

It prints "ready", begins at a line on standard input, prints how many turns it has finished whenever that
changed, and at the next line its CPU seconds. `--peer` does the turns as jobs of procrastinate.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import uvloop

from benchmarks.kit.agent_events import Script
from benchmarks.kit.null_channel import NullChannel, NullReply, Pace
from benchmarks.kit.parley_core import running_core
from benchmarks.kit.stats import cpu_seconds
from benchmarks.loads.bare_loop import BareLoop, sdk
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget, RunMode, SessionSettings
from parley.core.ports.channel import Checkpoint, Reply
from parley.store.interface import Store
from parley.store.postgres import PostgresStore

SCRIPT = Script(20, 0.0)
AT_ONCE = 50
"""Jobs that a worker of procrastinate has in hand at a time."""

_TOLD_EVERY = 0.05  # seconds


class Count:
    """Turns that this node has finished."""

    def __init__(self) -> None:
        self.turns = 0


class CountedReply(NullReply):
    """Counts its end."""

    def __init__(self, count: Count) -> None:
        super().__init__(None, Pace())
        self._count = count

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        receipt = await super().finish(snapshot)
        self._count.turns += 1
        return receipt


class CountingChannel(NullChannel):
    """Nobody watches its replies; they are counted."""

    def __init__(self, count: Count) -> None:
        super().__init__()
        self._count = count

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return CountedReply(self._count)


@asynccontextmanager
async def kept(url: str) -> AsyncIterator[Store]:
    """The store, with its lease renewed."""
    async with PostgresStore.open(url) as store:
        upkeep = asyncio.create_task(store.maintain())
        try:
            yield store
        finally:
            upkeep.cancel()
            await asyncio.wait([upkeep])


@asynccontextmanager
async def parley(url: str, agent: str, count: Count) -> AsyncIterator[None]:
    """The whole of Parley's core."""
    sessions = {"": SessionSettings(SCRIPT.name)}
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        channel = CountingChannel(count)
        async with running_core(Path(folder), agent, sessions, RunMode.STREAM, channel, kept(url)):
            yield


@asynccontextmanager
async def peer(url: str, agent: str, count: Count) -> AsyncIterator[None]:
    """A worker of procrastinate: each job is a turn through the SDK; nothing is shown or kept of it."""
    from benchmarks.loads.procrastinate_queue import made

    client = sdk(agent, stock=False)
    loop = BareLoop(client)

    async def turn() -> None:
        await loop.stream(SCRIPT.name)
        count.turns += 1

    app = made(url, turn)
    async with app.open_async():
        work = app.run_worker_async(concurrency=AT_ONCE, install_signal_handlers=False)
        working = asyncio.create_task(work)
        yield
        working.cancel()
        await asyncio.wait([working])
    await client.aclose()


async def tell(count: Count) -> None:
    """Print the count whenever it has changed."""
    told = 0
    while True:
        if count.turns != told:
            told = count.turns
            print(told, flush=True)
        await asyncio.sleep(_TOLD_EVERY)


async def main() -> None:
    """Be a node."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("agent")
    parser.add_argument("--peer", action="store_true")
    chosen = parser.parse_args()
    loop, count = asyncio.get_running_loop(), Count()
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    cpu = cpu_seconds()
    work: AbstractAsyncContextManager[None] = (peer if chosen.peer else parley)(
        chosen.url, chosen.agent, count
    )
    async with work:
        telling = asyncio.create_task(tell(count))
        await loop.run_in_executor(None, sys.stdin.readline)
        telling.cancel()
        print(f"cpu {cpu_seconds() - cpu}", flush=True)


if __name__ == "__main__":
    uvloop.run(main())
