"""One Parley process around one real channel: everything between the platform and the agent is real."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from parley.app.supervise import Backoff, Supervisor
from parley.core.commands.table import command_infos
from parley.core.conversations import Conversations
from parley.core.deciding import ASKER, QuestionOptions, Rules
from parley.core.manager import Manager
from parley.core.options import ChannelOptions, OnEdit, Options
from parley.core.pairing import Pairing
from parley.core.people import People
from parley.core.ports import Agent, Channel, ChannelServices, Journal, NullMemory
from parley.core.services import Services
from parley.core.types import Session
from tests.contract.driver import Driver
from tests.contract.store import ShakyJournal
from tests.contract.watch import Watch, WatchedBus, WatchedChannel
from tests.engine import CHOSEN
from tests.kit.machine import patience

_END = patience(4.0)


@dataclass(frozen=True)
class Seed:
    """A fault put into every process of a scene: what takes the place of its sound parts."""

    channel: Callable[[Channel, Driver], Channel] = lambda channel, driver: channel
    journal: Callable[[Journal], Journal] = lambda journal: journal


SOUND = Seed()


@dataclass(frozen=True)
class Setting:
    """What a promise wants set otherwise: seconds, bytes, who may talk and decide, whether edits count."""

    burst_window: float = 0.0
    max_file: int = 1_000_000
    allowed: frozenset[str] = frozenset({"*"})
    deciders: frozenset[str] = frozenset({ASKER})
    reruns: bool = False


@dataclass
class Process:
    """A running process. `hosting` holds what it has open besides its tasks; these have `patience` seconds,
    and never less than `_END`, to end.
    """

    journal: ShakyJournal
    supervisor: Supervisor
    tasks: list[asyncio.Task[None]]
    patience: float
    hosting: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def end(self) -> None:
        """Cancel everything, as the end of the event loop would. Raises AssertionError if something stays."""
        for task in self.tasks:
            task.cancel()
        _, left = await asyncio.wait(self.tasks, timeout=max(self.patience, _END))
        await self.hosting.aclose()
        for task in left:
            task.cancel()
        assert not left, "cancelled, but still running: " + ", ".join(task.get_name() for task in left)


@dataclass(frozen=True)
class Surroundings:
    """What outlives a process. `patience`: how many seconds something that must happen may take."""

    driver: Driver
    agent: Agent
    folder: Path
    watch: Watch
    seed: Seed
    setting: Setting
    patience: float


async def start(around: Surroundings) -> Process:
    """A new process on whatever an earlier one left in the folder."""
    stack = AsyncExitStack()
    store = await stack.enter_async_context(CHOSEN.engine().open(around.folder))
    journal = ShakyJournal(around.seed.journal(store), around.watch.news)
    channel = _channel(around, journal)
    name, setting = channel.name, around.setting
    options = ChannelOptions(
        Session("agent"),
        allowed_users=setting.allowed,
        burst_window=setting.burst_window,
        on_edit=OnEdit.RERUN if setting.reruns else OnEdit.IGNORE,
    )
    bus = WatchedBus(journal, options, name, around.watch)
    supervisor = Supervisor(channel, bus.publish_inbound, bus.publish_click, Backoff(first=0.05, most=0.2))
    services = Services(
        journal=journal,
        bus=bus,
        agent=around.agent,
        memory=NullMemory(),
        people=People(journal, time.time),
        conversations=await Conversations.open(journal),
        channels={name: channel},
        options=Options(
            channels={name: options},
            max_file=setting.max_file,
            questions=QuestionOptions(Rules(tuple(setting.deciders))),
        ),
        files=around.folder / "files",
        reports=lambda: [supervisor.report()],
        clock=time.time,
        pairing=Pairing(journal, time.time),
    )
    await stack.enter_async_context(around.driver.hosted(channel))
    tasks = [
        asyncio.create_task(supervisor.run(), name="listen()"),
        asyncio.create_task(Manager(services).run(), name="the manager"),
    ]
    return Process(journal, supervisor, tasks, around.patience, stack)


def _channel(around: Surroundings, journal: ShakyJournal) -> Channel:
    folder = around.folder / around.driver.name
    folder.mkdir(exist_ok=True)
    made = around.driver.make_channel(
        ChannelServices(journal, folder, command_infos(), reruns=around.setting.reruns)
    )
    return WatchedChannel(around.seed.channel(made, around.driver), around.watch)
