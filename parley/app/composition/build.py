"""The composition root: settings become a running Parley, and stop in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from starlette.routing import BaseRoute

from parley.agent.speech.service import open_speech
from parley.app.composition.agent import OpenedAgent, open_reloadable_agent
from parley.app.composition.api_routes import api_routes
from parley.app.composition.background import background_work
from parley.app.composition.memory import make_memory
from parley.app.composition.monitoring import Watchers, monitoring_routes, open_watchers
from parley.app.composition.privacy import build_conversation_deletion, build_privacy_service
from parley.app.composition.reconfigure import ChannelMaking, Reconfiguration
from parley.app.composition.serving import make_server, routes_of_state
from parley.app.composition.supervising import make_bus, make_supervise
from parley.app.monitoring.health import HealthMonitor
from parley.app.monitoring.loop_lag import LoopLag
from parley.app.process.stop_request import count_down
from parley.app.reload.current_state import CurrentState, LiveState
from parley.app.reload.reloader import Reloader, ReloadTarget
from parley.app.reload.source import ConfigSource, fixed_source
from parley.app.settings.core_options import core_options
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import FILES
from parley.app.storage.store import lock_data_folder, open_store
from parley.app.supervision.channel_factory import (
    make_channel,
    make_channels,
    make_folder,
)
from parley.app.supervision.channel_supervisor import ChannelSupervisor, ChannelSupervisors
from parley.app.supervision.cluster import join_cluster, lease_embedded_agent
from parley.app.supervision.waiting_work import WaitingWork
from parley.channels.kit.config import ChannelConfig
from parley.console.api.setup import FirstSetup, setup_routes
from parley.console.server import HttpServer
from parley.core.dead_letters import DeadLetters
from parley.core.flow_control.quarantine import Quarantine
from parley.core.flow_control.store_outage import StoreOutage
from parley.core.inbound.bus import MessageBus
from parley.core.model.errors import ParleyError, unwrap_exception_group
from parley.core.ports.channel import Channel
from parley.core.ports.health import Health, HealthReport
from parley.core.ports.memory.changes import MemoryChanges
from parley.core.ports.pubsub import NULL_NOTIFIER
from parley.core.ports.speech import SpeechService
from parley.core.privacy.service import PrivacyService
from parley.core.scheduler.manager import Manager
from parley.core.services import CoreServices
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.feedback.delivery import FeedbackDelivery, open_destinations
from parley.memory.change_feed import MemoryChangeFeed
from parley.memory.service import MemoryService
from parley.store.interface import Store


@dataclass(frozen=True, slots=True)
class Parley:
    """Everything that was built; `run` makes it live. `background` works until it is cancelled.

    `others` tells whether another node could go on at once with what is left when this one stops.
    """

    manager: Manager
    supervisors: ChannelSupervisors
    server: HttpServer
    memory: MemoryService
    background: Sequence[Callable[[], Coroutine[None, None, None]]]
    others: Callable[[], Awaitable[bool]]
    people: PrivacyService
    reloader: Reloader

    async def run(self, stop: asyncio.Event, started: Callable[[str], None], *, listens: bool = True) -> None:
        """Serve until `stop` is set, then stop in order: listening, turns, everything else.

        `started` is called with the page's address, once the page is listened to; "" where it `listens` to no
        port. Raises ParleyError when a part cannot start.
        """
        with unwrap_exception_group(ParleyError):
            async with asyncio.TaskGroup() as group:
                listening: asyncio.Future[str] = asyncio.get_running_loop().create_future()
                served = [self.server.run(listening.set_result)] if listens else []
                tasks = [group.create_task(work) for work in (*served, *(each() for each in self.background))]
                url = await listening if listens else ""
                tasks.append(group.create_task(self.manager.run()))
                async with self.supervisors:
                    await self.supervisors.wait_until_started("web")
                    reloading = group.create_task(self.reloader.run())
                    tasks.append(reloading)
                    started(url)
                    await stop.wait()
                    left = count_down(self.manager.shutdown_grace)
                    reloading.cancel()
                    handing_over = await self.others()
                await self.manager.drain(left(), hand_over=handing_over)
                await self.memory.drain(left())
                for task in tasks:
                    task.cancel()


@dataclass(frozen=True, slots=True)
class _Opened:
    """What is open for as long as a Parley lives; `clock` is this machine's."""

    journal: Store
    agent: OpenedAgent
    speech: SpeechService
    watchers: Watchers
    setup: Sequence[BaseRoute]
    outage: StoreOutage
    clock: Callable[[], float]


@asynccontextmanager
async def build_parley(
    loaded: LoadedSettings,
    source: ConfigSource | None = None,
    clock: Callable[[], float] = time.time,
    setup: FirstSetup | None = None,
) -> AsyncIterator[Parley]:
    """Open the store and the agent, and put a Parley together on them; `setup` is what a new one offers.

    Only channels that are on are imported. Edits of the `source` are taken over while it runs. Raises
    StoreUnavailable, ConfigError.
    """
    outage = StoreOutage()
    with lock_data_folder(loaded):
        settings = loaded.settings
        async with (
            open_store(loaded, clock, outage) as journal,
            _agent(loaded, journal) as agent,
            open_speech(settings.transcription.options(), settings.speech.options()) as speech,
            open_watchers(loaded, journal) as watchers,
            open_destinations(settings.feedback.options()) as told,
        ):
            parts = _Opened(journal, agent, speech, watchers, setup_routes(setup), outage, clock)
            shared = journal.nodes.shared_clock(clock)
            agent.keep_commands(journal, shared)
            parley = await _put_together(loaded, source or fixed_source(loaded), shared, parts)
            telling = FeedbackDelivery(journal, told, Quarantine())
            yield replace(parley, background=(*parley.background, telling.run))


async def _put_together(
    loaded: LoadedSettings,
    source: ConfigSource,
    clock: Callable[[], float],
    opened: _Opened,
) -> Parley:
    journal, agent, watchers = opened.journal, opened.agent.agent, opened.watchers
    news, quarantine, lag, letters = journal.news, Quarantine(), LoopLag(), DeadLetters(journal)
    pairing, changes = await Pairing.open(journal, clock, news), MemoryChangeFeed(news)
    current, url = CurrentState(LiveState(loaded, core_options(loaded), {})), loaded.settings.agent.url
    current.add_channels(make_channels(loaded, journal, news, current.rules, changes))
    bus = make_bus(journal, current, pairing, watchers.telemetry)
    memory = make_memory(loaded, journal, agent, clock, quarantine, watchers.telemetry, changes)
    await opened.agent.tools.bind(loaded, memory, journal, watchers.conversations, clock)
    supervise = make_supervise(bus, memory, current, pairing, journal, watchers.conversations, agent, clock)
    supervisors = ChannelSupervisors([supervise(each, Health.STARTING) for each in current.channels.values()])
    nodes = await join_cluster(journal, url, supervisors.reports, opened.clock)
    waiting = WaitingWork(journal, lambda: current.channels, clock)
    bus.crossing, more = nodes.crossing, [nodes.reports, waiting.reports]
    pulse = HealthMonitor(
        journal, agent, supervisors, 10.0, clock, partial(_all_of, more), watchers.note_store_write
    )
    services = _services(opened, current, bus, memory, pairing, quarantine, pulse.reports, clock)
    remake = partial(make_channel, loaded, journal, NULL_NOTIFIER)
    people = build_privacy_service(current, services, journal, agent, remake)
    manager = Manager(services)
    watched = monitoring_routes(services, current.channels, manager, lag, watchers, letters, journal)
    known = api_routes(services, memory, current.rules, people, letters)
    api = [*known, *watched, *opened.setup, *opened.agent.routes()]
    server = make_server(loaded, current, pulse, api)
    making = _making(journal, current, supervise, server, api, changes)
    changing = Reconfiguration(
        current, opened.agent, memory, manager, watchers.metrics, supervisors, making, source.note
    )
    reloader = Reloader(current, source, ReloadTarget(changing.apply, opened.agent.files), clock)
    more.append(reloader.reports)
    deletion = build_conversation_deletion(services, journal, agent)
    work = (pulse.run, nodes.run, waiting.run, journal.maintain, memory.run, pairing.follow, deletion.run)
    background = (*work, lag.run, *background_work(loaded, current, services, opened.agent))
    return Parley(manager, supervisors, server, memory, background, nodes.others, people, reloader)


def _all_of(reports: Sequence[Callable[[], Sequence[HealthReport]]]) -> Sequence[HealthReport]:
    return [one for each in reports for one in each()]


def _services(
    opened: _Opened,
    current: CurrentState,
    bus: MessageBus,
    memory: MemoryService,
    pairing: Pairing,
    quarantine: Quarantine,
    reports: Callable[[], Sequence[HealthReport]],
    clock: Callable[[], float],
) -> CoreServices:
    journal, watchers, state = opened.journal, opened.watchers, current.get()
    return CoreServices(
        journal=journal,
        bus=bus,
        agent=opened.agent.agent,
        memory=memory,
        people=PersonRepository(journal, clock),
        conversations=watchers.conversations,
        channels=state.channels,
        options=state.options,
        files=make_folder(state.loaded.data_dir / FILES),
        reports=reports,
        clock=clock,
        pairing=pairing,
        news=journal.news,
        outage=opened.outage,
        quarantine=quarantine,
        speech=opened.speech,
        telemetry=watchers.telemetry,
        past_turns=memory.past_turns,
        memory_tools=opened.agent.tools,
        memory_controls=memory.controls,
        load=watchers.load.read,
    )


def _making(
    journal: Store,
    current: CurrentState,
    supervise: Callable[[Channel, Health], ChannelSupervisor],
    server: HttpServer,
    api: Sequence[BaseRoute],
    changes: MemoryChanges,
) -> ChannelMaking:
    def make(loaded: LoadedSettings, name: str, config: ChannelConfig) -> Channel:
        return make_channel(loaded, journal, journal.news, name, config, current.rules, changes)

    return ChannelMaking(
        make=make,
        supervise=lambda channel: supervise(channel, Health.RETRYING),
        mount=lambda state: server.mount(*routes_of_state(state, api)),
    )


@asynccontextmanager
async def _agent(loaded: LoadedSettings, store: Store) -> AsyncIterator[OpenedAgent]:
    """Yield the agent; one that lives inside is one node's only, unless all nodes share its state."""
    async with AsyncExitStack() as stack:
        settings = loaded.settings
        if settings.agent.embedded and store.news.shared and not settings.agent_server.database:
            await stack.enter_async_context(lease_embedded_agent(store.nodes))
        yield await stack.enter_async_context(open_reloadable_agent(loaded))
