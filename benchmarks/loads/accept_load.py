"""Producers that make messages durable, as fast as they can: `python -m benchmarks.loads.accept_load`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from benchmarks.kit.null_channel import message
from benchmarks.kit.stats import cpu_seconds, percentile
from benchmarks.loads.sqlite_group_commit import GroupCommit
from parley.app.process.event_loop import run_loop, tune_garbage_collection
from parley.core.inbound.bus import MessageBus
from parley.core.model.codec import encode
from parley.core.model.options import ChannelOptions
from parley.core.model.types import InboundMessage, SessionSettings
from parley.store.sqlite import SqliteStore

Accept = Callable[[InboundMessage], Awaitable[object]]


@asynccontextmanager
async def parley(folder: Path) -> AsyncIterator[Accept]:
    """The bus over the store: rules, dedupe, lanes."""
    options = ChannelOptions(SessionSettings("agent"), allowed_users=frozenset({"*"}))
    async with SqliteStore.open(folder / "parley.db") as journal:
        yield MessageBus(journal, {"null": options}).publish_inbound


@asynccontextmanager
async def raw(folder: Path) -> AsyncIterator[Accept]:
    """One INSERT a message of the same bytes."""
    async with GroupCommit.open(folder / "raw.db") as commits:
        yield lambda said: commits.put(encode(said))


@asynccontextmanager
async def parley_on_postgres(url: str) -> AsyncIterator[Accept]:
    """The bus over the store on a server."""
    from parley.store.postgres import PostgresStore

    options = ChannelOptions(SessionSettings("agent"), allowed_users=frozenset({"*"}))
    async with PostgresStore.open(url, schema=f"accepts_{os.getpid()}") as journal:
        yield MessageBus(journal, {"null": options}).publish_inbound


@asynccontextmanager
async def raw_on_postgres(url: str) -> AsyncIterator[Accept]:
    """A row a message of the same bytes, as many to a statement as have come."""
    from benchmarks.loads.postgres_group_insert import GroupInsert

    async with GroupInsert.open(url) as inserts:
        yield lambda said: inserts.put(encode(said))


def opened(engine: str, folder: Path, url: str) -> AbstractAsyncContextManager[Accept]:
    """The engine on the server at `url`, or in a file in `folder` where there is none."""
    if url:
        return parley_on_postgres(url) if engine == "parley" else raw_on_postgres(url)
    return parley(folder) if engine == "parley" else raw(folder)


async def measure(accept: Accept, producers: int, total: int) -> dict[str, float]:
    """Each producer sends its next message when the one before is durable."""
    numbers = iter(range(total))
    times: list[float] = []

    async def producer() -> None:
        for number in numbers:
            said = message(number)
            began = time.perf_counter()
            await accept(said)
            times.append(time.perf_counter() - began)

    cpu, began = cpu_seconds(), time.perf_counter()
    await asyncio.gather(*(producer() for _ in range(producers)))
    wall, cpu = time.perf_counter() - began, cpu_seconds() - cpu
    return {
        "per_second": total / wall,
        "cpu_us": 1e6 * cpu / total,
        "p50_ms": 1000 * percentile(times, 0.5),
        "p99_ms": 1000 * percentile(times, 0.99),
    }


async def main() -> None:
    """Measure and print a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=["parley", "raw"], required=True)
    parser.add_argument("--producers", type=int, default=1)
    parser.add_argument("--total", type=int, default=1000)
    parser.add_argument("--url", default="", help="of a PostgreSQL; default: SQLite")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        async with opened(chosen.engine, Path(folder), chosen.url) as accept:
            tune_garbage_collection()
            result = await measure(accept, chosen.producers, chosen.total)
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    run_loop(main())
