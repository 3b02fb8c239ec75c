"""Parley's core as it stands in the product, between a null channel and an agent server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from benchmarks.kit.null_channel import NullChannel
from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.inbound.bus import MessageBus
from parley.core.model.options import ChannelOptions, CoreOptions
from parley.core.model.types import RunMode, SessionSettings
from parley.core.ports.memory.port import NullMemory
from parley.core.scheduler.manager import Manager
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRepository
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.memory.service import MemoryService
from parley.store.interface import Store
from parley.store.sqlite import SqliteStore

Sessions: TypeAlias = Mapping[str, SessionSettings]
Opened: TypeAlias = AbstractAsyncContextManager[Store]


@dataclass(frozen=True, slots=True)
class Core:
    """A running core."""

    bus: MessageBus
    manager: Manager
    channel: NullChannel
    store: Store


@asynccontextmanager
async def running_core(
    folder: Path,
    url: str,
    sessions: Sessions,
    mode: RunMode,
    channel: NullChannel,
    store: Opened | None = None,
    memory: MemoryService | None = None,
    clock: Callable[[], float] = time.time,
) -> AsyncIterator[Core]:
    """The default settings, but no wait for bursts: that is a pause, not a cost.

    `sessions` are those of single people by their id, "" is everybody else's. Without a `store` it is a file.
    """
    options = _options(sessions, mode)
    async with (
        store or SqliteStore.open(folder / "parley.db") as journal,
        LangGraphAgent(AgentEndpoint(url), files=folder / "answers") as agent,
    ):
        bus = MessageBus(journal, options.channels)
        services = CoreServices(
            journal=journal,
            bus=bus,
            agent=agent,
            memory=NullMemory(),
            people=PersonRepository(journal, time.time),
            conversations=await ConversationRepository.open(journal),
            channels={"null": channel},
            options=options,
            files=folder / "files",
            reports=list,
            clock=clock,
            pairing=Pairing(journal, time.time),
        )
        manager = Manager(services if memory is None else _with_memory(services, memory))
        async with _working(manager):
            yield Core(bus, manager, channel, journal)


@asynccontextmanager
async def _working(manager: Manager) -> AsyncIterator[None]:
    working = asyncio.create_task(manager.run())
    try:
        yield
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


def _options(sessions: Sessions, mode: RunMode) -> CoreOptions:
    everyone = frozenset({"*"})
    own = ChannelOptions(sessions[""], sessions, mode=mode, allowed_users=everyone, burst_window=0.0)
    return CoreOptions(channels={"null": own})


def _with_memory(services: CoreServices, memory: MemoryService) -> CoreServices:
    return replace(services, memory=memory, memory_controls=memory.controls, past_turns=memory.past_turns)
