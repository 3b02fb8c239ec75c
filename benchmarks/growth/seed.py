"""The first conversations of a store, written by Parley itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from benchmarks.kit.arrivals import SEEDED, TEXT, person_name, said
from benchmarks.kit.null_channel import NullChannel
from benchmarks.kit.parley_core import Core, running_core
from benchmarks.loads.node_child import SCRIPT, kept
from parley.core.inbound.bus import MessageBus
from parley.core.model.options import ChannelOptions
from parley.core.model.queues import turn_queue
from parley.core.model.types import RunMode, SessionSettings
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.sql import SqlMemoryStore
from parley.store.interface import Store

MESSAGES = (
    TEXT,
    "I live in Ulm, and I like tea.",
    "/memory add I am left-handed",
    "/memory add My sister Ada rows on Sundays",
)
"""What each person says: two turns, of which one is learned from, and two commands that add facts."""

_LETTER = "This message was given up."
_PATIENCE = 120.0


async def seed(where: str, agent: str, folder: Path) -> None:
    """Let so many people talk on the empty store at `where`, until all is answered and learned.

    One message is given up. Raises TimeoutError, StoreUnavailable.
    """
    async with asyncio.timeout(_PATIENCE), kept(where) as store:
        async with _core(store, agent, folder) as core:
            people = [person_name(number) for number in range(SEEDED)]
            await asyncio.gather(*(_talk(core, person) for person in people))
            await core.manager.drain()
            await _until_learned(store)
        await _give_up(store)
        await store.prune(time.time())  # as each hour: copies of what goes then would never be there


async def _until_learned(store: Store) -> None:
    while await store.backlog():  # noqa: ASYNC110 - nobody tells when the last lesson is over
        await asyncio.sleep(0.1)


async def _talk(core: Core, person: str) -> None:
    for number, text in enumerate(MESSAGES):
        message = said(person, f"{person}:{number}", text)
        watch = core.channel.watch(message)
        await core.bus.publish_inbound(message)
        await watch.answered


@asynccontextmanager
async def _core(store: Store, agent: str, folder: Path) -> AsyncIterator[Core]:
    options = MemoryOptions(debounce_seconds=0.0)
    memory = MemoryService(SqlMemoryStore(store), store, RuleExtractor(), options)
    sessions = {"": SessionSettings(SCRIPT.name)}
    channel, kept_open = NullChannel(), nullcontext(store)
    opened = running_core(
        folder, agent, sessions, RunMode.STREAM, channel, kept_open, memory, clock=_an_hour_ago
    )
    async with memory.running(), opened as core:
        yield core


def _an_hour_ago() -> float:
    # Counts are kept by the hour, and so many people do not talk in the one that is measured.
    return time.time() - 3600


async def _give_up(store: Store) -> None:
    """Make a dead letter."""
    options = ChannelOptions(SessionSettings(SCRIPT.name), allowed_users=frozenset({"*"}))
    await MessageBus(store, {"null": options}).publish_inbound(said(person_name(0), "given-up", _LETTER))
    (claim,) = await store.claim(turn_queue("null"), 1)
    await store.bury(claim, claim.items, "RuntimeError: a benchmark gave it up")
