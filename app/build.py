"""The composition root: settings become a running Parley, and stop in order."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from starlette.routing import BaseRoute

from app.agents import open_agent
from app.health import Pulse
from app.memory import make_memory
from app.memory_api import console_memory
from app.options import core_options
from app.places import CHANNELS, FILES
from app.settings.load import Loaded
from app.store import open_store
from app.supervise import Supervisor, Supervisors
from app.upkeep import forget_old_audits
from bridge.bus import MessageBus
from bridge.commands.table import command_infos
from bridge.conversations import Conversations
from bridge.errors import ParleyError
from bridge.manager import Manager
from bridge.pairing import Pairing
from bridge.people import People
from bridge.ports import Channel, ChannelServices, Journal
from bridge.services import Services
from channels.kit.http import ServesHttp, Webhook
from console.memory_api import memory_routes
from console.options import ConsoleOptions
from console.pairing_api import pairing_routes
from console.server import HttpServer
from memory.service import MemoryService


@dataclass(frozen=True, slots=True)
class Parley:
    """Everything that was built; `run` makes it live. `background` works until it is cancelled."""

    manager: Manager
    supervisors: Supervisors
    server: HttpServer
    memory: MemoryService
    background: Sequence[Callable[[], Coroutine[None, None, None]]]

    async def run(self, stop: asyncio.Event, started: Callable[[str], None]) -> None:
        """Serve until `stop` is set, then stop in order: listening, turns, everything else.

        `started` is called with the page's address. Raises ParleyError when a part cannot start.
        """
        try:
            async with asyncio.TaskGroup() as group:
                listening = asyncio.Event()

                def is_up(url: str) -> None:
                    started(url)
                    listening.set()

                tasks = [group.create_task(self.server.run(is_up))]
                tasks += [group.create_task(work()) for work in self.background]
                await listening.wait()
                tasks.append(group.create_task(self.manager.run()))
                async with self.supervisors:
                    await stop.wait()
                await self.manager.drain()
                await self.memory.drain()
                for task in tasks:
                    task.cancel()
        except* ParleyError as errors:
            raise _first(errors) from None


@asynccontextmanager
async def built(loaded: Loaded, clock: Callable[[], float] = time.time) -> AsyncIterator[Parley]:
    """Open the store and the agent, and put a Parley together on them.

    Only channels that are on are imported. Raises StoreUnavailable, ConfigError.
    """
    options = core_options(loaded)
    async with open_store(loaded, clock) as journal, open_agent(loaded) as agent:
        pairing = await Pairing.open(journal, clock)
        bus = MessageBus(journal, options.channels, pairing)
        channels = make_channels(loaded, journal)
        supervisors = Supervisors(
            [Supervisor(channel, bus.publish_inbound, bus.publish_click) for channel in channels.values()]
        )
        memory = make_memory(loaded, journal, clock)
        pulse = Pulse(journal, agent, supervisors, clock=clock)
        services = Services(
            journal=journal,
            bus=bus,
            agent=agent,
            memory=memory,
            people=People(journal, clock),
            conversations=await Conversations.open(journal),
            channels=channels,
            options=options,
            files=_folder(loaded.data_dir / FILES),
            reports=pulse.reports,
            clock=clock,
            pairing=pairing,
        )
        api = [*memory_routes(console_memory(loaded, memory, services.people)), *pairing_routes(pairing)]
        server = _server(loaded, channels, pulse, api)
        yield Parley(
            Manager(services),
            supervisors,
            server,
            memory,
            (pulse.run, journal.maintain, memory.run, pairing.follow, _upkeep(loaded, journal, clock)),
        )


def make_channels(loaded: Loaded, journal: Journal) -> Mapping[str, Channel]:
    """The channels that are on, each with a folder of its own."""
    made: dict[str, Channel] = {}
    for name, config in loaded.channels.items():
        folder = _folder(loaded.data_dir / CHANNELS / name)
        module = importlib.import_module(f"channels.{name}.channel")
        made[name] = cast("Channel", module.create(config, ChannelServices(journal, folder, command_infos())))
    return made


def _server(
    loaded: Loaded, channels: Mapping[str, Channel], pulse: Pulse, api: Sequence[BaseRoute]
) -> HttpServer:
    console = loaded.settings.console
    routes = [route for each in channels.values() if isinstance(each, ServesHttp) for route in each.routes()]
    return HttpServer(
        ConsoleOptions(console.host, console.port, console.token),
        [*api, *(route for route in routes if not isinstance(route, Webhook))],
        pulse.reports,
        webhooks=[route for route in routes if isinstance(route, Webhook)],
    )


def _upkeep(
    loaded: Loaded, journal: Journal, clock: Callable[[], float]
) -> Callable[[], Coroutine[None, None, None]]:
    return partial(forget_old_audits, journal, loaded.settings.questions.audit_days, clock)


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def _first(errors: BaseExceptionGroup[ParleyError]) -> ParleyError:
    error = errors.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
