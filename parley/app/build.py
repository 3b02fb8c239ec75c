"""The composition root: settings become a running Parley, and stop in order."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from starlette.routing import BaseRoute

from parley.agent.documents import Documents
from parley.agent.run import LangGraphAgent
from parley.app.agents import open_agent
from parley.app.assistants import warn_of_assistants
from parley.app.descriptors import watch_descriptors
from parley.app.extras import wanted
from parley.app.health import Pulse
from parley.app.imports import without
from parley.app.loop_lag import LoopLag
from parley.app.memory import make_memory
from parley.app.memory_api import console_memory
from parley.app.metrics import metrics
from parley.app.nodes import Neighbourhood, only_embedded
from parley.app.opened_files import file_watch
from parley.app.options import core_options, reruns_edits
from parley.app.people import person_desk
from parley.app.places import CHANNELS, FILES
from parley.app.seats import OneSeat, OpenSeat, Seat
from parley.app.settings.load import Loaded
from parley.app.store import in_use, open_store
from parley.app.supervise import Supervisor, Supervisors
from parley.app.tokens import console_token
from parley.app.upkeep import keep_up
from parley.channels.kit.config import ChannelConfig
from parley.channels.kit.holding import HeldByOne
from parley.channels.kit.http import ServesHttp, Webhook
from parley.console.letters_api import letter_metrics, letter_routes
from parley.console.memory_api import memory_routes
from parley.console.metrics import metrics_route
from parley.console.options import ConsoleOptions
from parley.console.pairing_api import pairing_routes
from parley.console.people_api import person_routes
from parley.console.server import HttpServer
from parley.core.bus import MessageBus
from parley.core.busy_choices import BusyChoices
from parley.core.commands.table import command_infos
from parley.core.conversations import Conversations
from parley.core.erasing.clearing import Clearing, clear_later
from parley.core.erasing.desk import PersonDesk
from parley.core.errors import ParleyError, ungrouped
from parley.core.letters import Letters
from parley.core.manager import Manager
from parley.core.news import NO_NEWS, News
from parley.core.pairing import Pairing
from parley.core.people import People
from parley.core.ports import Channel, ChannelServices, Journal
from parley.core.quarantine import Quarantine
from parley.core.services import Services
from parley.core.withdrawing import withdraw
from parley.memory.service import MemoryService
from parley.store.interface import Store


@dataclass(frozen=True, slots=True)
class Parley:
    """Everything that was built; `run` makes it live. `background` works until it is cancelled.

    `others` tells whether another node could go on at once with what is left when this one stops.
    """

    manager: Manager
    supervisors: Supervisors
    server: HttpServer
    memory: MemoryService
    background: Sequence[Callable[[], Coroutine[None, None, None]]]
    others: Callable[[], Awaitable[bool]]
    people: PersonDesk

    async def run(self, stop: asyncio.Event, started: Callable[[str], None]) -> None:
        """Serve until `stop` is set, then stop in order: listening, turns, everything else.

        `started` is called with the page's address, once the page is listened to. Raises ParleyError when a
        part cannot start.
        """
        with ungrouped(ParleyError):
            async with asyncio.TaskGroup() as group:
                listening: asyncio.Future[str] = asyncio.get_running_loop().create_future()
                tasks = [group.create_task(self.server.run(listening.set_result))]
                tasks += [group.create_task(work()) for work in self.background]
                url = await listening
                tasks.append(group.create_task(self.manager.run()))
                async with self.supervisors:
                    await self.supervisors.begun("web")
                    started(url)
                    await stop.wait()
                    handing_over = await self.others()
                await self.manager.drain(hand_over=handing_over)
                await self.memory.drain()
                for task in tasks:
                    task.cancel()


@asynccontextmanager
async def built(loaded: Loaded, clock: Callable[[], float] = time.time) -> AsyncIterator[Parley]:
    """Open the store and the agent, and put a Parley together on them.

    Only channels that are on are imported. Raises StoreUnavailable, ConfigError.
    """
    with in_use(loaded):
        async with open_store(loaded, clock) as journal, _agent(loaded, journal) as agent:
            yield await _put_together(loaded, clock, journal, agent)


async def _put_together(
    loaded: Loaded, clock: Callable[[], float], journal: Store, agent: LangGraphAgent
) -> Parley:
    options, pairing = core_options(loaded), await Pairing.open(journal, clock, journal.news)
    bus = MessageBus(journal, options.channels, pairing, BusyChoices(journal, journal.news))
    channels = make_channels(loaded, journal, journal.news)
    supervisors = _supervisors(channels, bus, journal)
    quarantine = Quarantine()
    memory = make_memory(loaded, journal, clock, quarantine)
    nodes = Neighbourhood(journal.nodes, loaded.settings.agent.url, supervisors.reports, clock)
    pulse = Pulse(journal, agent, supervisors, clock=clock, more=nodes.reports)
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
        news=journal.news,
        quarantine=quarantine,
    )
    people = person_desk(loaded, services, journal, agent, partial(_make_channel, loaded, journal, NO_NEWS))
    lag, letters = LoopLag(), Letters(journal)
    figures = metrics(services.deliveries, pulse.reports, channels, lag)
    api = [
        *_api(loaded, services, memory, people, letters),
        metrics_route(figures, partial(letter_metrics, letters)),
    ]
    server = _server(loaded, channels, pulse, api)
    clearing = Clearing(journal, agent, services.conversations, services.files, quarantine)
    work = (pulse.run, nodes.run, journal.maintain, memory.run, pairing.follow, clearing.run)
    watches = (lag.run, watch_descriptors, file_watch(loaded), Documents().tell_protection)
    background = (*work, *watches, _upkeep(loaded, journal, clock), *_assistants(loaded, agent))
    return Parley(Manager(services), supervisors, server, memory, background, nodes.others, people)


def _api(
    loaded: Loaded, services: Services, memory: MemoryService, people: PersonDesk, letters: Letters
) -> Sequence[BaseRoute]:
    return [
        *memory_routes(console_memory(loaded, memory, services.people)),
        *pairing_routes(services.pairing),
        *person_routes(people, services.files),
        *letter_routes(letters),
    ]


def _supervisors(channels: Mapping[str, Channel], bus: MessageBus, store: Store) -> Supervisors:
    return Supervisors(
        [
            Supervisor(each, bus.publish_inbound, bus.publish_click, seat=_seat(each, store))
            for each in channels.values()
        ]
    )


@asynccontextmanager
async def _agent(loaded: Loaded, store: Store) -> AsyncIterator[LangGraphAgent]:
    """The agent; one that lives inside is one node's only."""
    async with AsyncExitStack() as stack:
        if loaded.settings.agent.embedded and store.news.shared:
            await stack.enter_async_context(only_embedded(store.nodes))
        yield await stack.enter_async_context(open_agent(loaded))


def _seat(channel: Channel, store: Store) -> Seat:
    """Where a channel listens: on one node where its platform has but one connection."""
    if store.news.shared and isinstance(channel, HeldByOne) and channel.held_by_one:
        return OneSeat(store.nodes, channel.name)
    return OpenSeat()


def make_channels(loaded: Loaded, journal: Journal, news: News = NO_NEWS) -> Mapping[str, Channel]:
    """The channels that are on, each with a folder of its own."""
    make = partial(_make_channel, loaded, journal, news)
    return {name: make(name, config) for name, config in loaded.channels.items()}


def _make_channel(loaded: Loaded, journal: Journal, news: News, name: str, config: ChannelConfig) -> Channel:
    folder = _folder(loaded.data_dir / CHANNELS / name)
    with without(config.spares), wanted(name, f"channels.{name}"):
        module = importlib.import_module(f"parley.channels.{name}.channel")
    services = ChannelServices(
        journal,
        folder,
        command_infos(),
        news,
        reruns=reruns_edits(loaded, config),
        clear=partial(clear_later, journal),
        withdraw=partial(withdraw, journal),
    )
    return cast("Channel", module.create(config, services))


def _server(
    loaded: Loaded, channels: Mapping[str, Channel], pulse: Pulse, api: Sequence[BaseRoute]
) -> HttpServer:
    console = loaded.settings.console
    routes = [route for each in channels.values() if isinstance(each, ServesHttp) for route in each.routes()]
    return HttpServer(
        ConsoleOptions(
            console.host,
            console.port,
            console_token(loaded),
            generated=not console.token,
            names=console.names,
        ),
        [*api, *(route for route in routes if not isinstance(route, Webhook))],
        pulse.reports,
        webhooks=[route for route in routes if isinstance(route, Webhook)],
        look=pulse.look,
        doubt=pulse.doubt,
    )


def _upkeep(
    loaded: Loaded, journal: Journal, clock: Callable[[], float]
) -> Callable[[], Coroutine[None, None, None]]:
    return partial(keep_up, journal, loaded.data_dir / FILES, loaded.settings.retention, clock)


def _assistants(loaded: Loaded, agent: LangGraphAgent) -> Sequence[Callable[[], Coroutine[None, None, None]]]:
    """What looks for the assistants of a server; those of the embedded one are known beforehand."""
    return () if loaded.settings.agent.embedded else (partial(warn_of_assistants, loaded, agent),)


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path
