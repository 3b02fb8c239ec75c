"""Parley's core as it stands in the product, between a null channel and an agent server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
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


@asynccontextmanager
async def running_core(
    folder: Path,
    url: str,
    sessions: Sessions,
    mode: RunMode,
    channel: NullChannel,
    store: Opened | None = None,
) -> AsyncIterator[Core]:
    """The default settings, but no wait for bursts: that is a pause, not a cost.

    `sessions` are those of single people by their id, "" is everybody else's. Without a `store` it is a file.
    """
    everyone = frozenset({"*"})
    own = ChannelOptions(sessions[""], sessions, mode=mode, allowed_users=everyone, burst_window=0.0)
    options = CoreOptions(channels={"null": own})
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
            clock=time.time,
            pairing=Pairing(journal, time.time),
        )
        working = asyncio.create_task((manager := Manager(services)).run())
        try:
            yield Core(bus, manager, channel)
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
