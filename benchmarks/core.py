"""Parley's core as it stands in the product, between a null channel and an agent server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from benchmarks.null_channel import NullChannel
from parley.agent.client import AgentEndpoint
from parley.agent.run import LangGraphAgent
from parley.core.bus import MessageBus
from parley.core.conversations import Conversations
from parley.core.manager import Manager
from parley.core.options import ChannelOptions, Options
from parley.core.pairing import Pairing
from parley.core.people import People
from parley.core.ports import NullMemory
from parley.core.services import Services
from parley.core.types import Mode, Session
from parley.store.interface import Store
from parley.store.sqlite import SqliteStore

Sessions: TypeAlias = Mapping[str, Session]
Opened: TypeAlias = AbstractAsyncContextManager[Store]


@dataclass(frozen=True, slots=True)
class Core:
    """A running core."""

    bus: MessageBus
    manager: Manager
    channel: NullChannel


@asynccontextmanager
async def running_core(
    folder: Path, url: str, sessions: Sessions, mode: Mode, channel: NullChannel, store: Opened | None = None
) -> AsyncIterator[Core]:
    """The default settings, but no wait for bursts: that is a pause, not a cost.

    `sessions` are those of single people by their id, "" is everybody else's. Without a `store` it is a file.
    """
    channel_options = ChannelOptions(
        sessions[""], sessions, mode=mode, allowed_users=frozenset({"*"}), burst_window=0.0
    )
    options = Options(channels={"null": channel_options})
    async with (
        store or SqliteStore.open(folder / "parley.db") as journal,
        LangGraphAgent(AgentEndpoint(url), files=folder / "answers") as agent,
    ):
        bus = MessageBus(journal, options.channels)
        services = Services(
            journal=journal,
            bus=bus,
            agent=agent,
            memory=NullMemory(),
            people=People(journal, time.time),
            conversations=await Conversations.open(journal),
            channels={"null": channel},
            options=options,
            files=folder / "files",
            reports=list,
            clock=time.time,
            pairing=Pairing(journal, time.time),
        )
        manager = Manager(services)
        working = asyncio.create_task(manager.run())
        try:
            yield Core(bus, manager, channel)
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
