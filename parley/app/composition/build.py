"""The composition root: settings become a running Parley, and stop in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from starlette.routing import BaseRoute

from parley.agent.agent import LangGraphAgent
from parley.agent.files.reader import FileReader
from parley.agent.speech.service import open_speech
from parley.app.checks.assistants import warn_missing_assistants
from parley.app.composition.agent import open_agent
from parley.app.composition.memory import make_memory, page_person
from parley.app.composition.monitoring import Watchers, monitoring_routes, open_watchers
from parley.app.composition.privacy import build_privacy_service
from parley.app.monitoring.file_descriptors import watch_descriptors
from parley.app.monitoring.health import HealthMonitor
from parley.app.monitoring.loop_lag import LoopLag
from parley.app.openapi.document import openapi_routes
from parley.app.settings.core_options import core_options
from parley.app.settings.load import LoadedSettings
from parley.app.storage.database_watch import make_database_watch
from parley.app.storage.paths import FILES
from parley.app.storage.retention_job import run_retention
from parley.app.storage.secret_files import console_token
from parley.app.storage.store import lock_data_folder, open_store
from parley.app.supervision.channel_factory import make_channel, make_channels, make_folder
from parley.app.supervision.channel_supervisor import ChannelSupervisor, ChannelSupervisors
from parley.app.supervision.cluster import ClusterMembership, lease_embedded_agent
from parley.app.supervision.connection_lease import ConnectionLease, ExclusiveLease, NoLease
from parley.channels.kit.webhook import Webhook, routes_of
from parley.console.api.dead_letters import letter_routes
from parley.console.api.feedback import feedback_routes
from parley.console.api.memory import memory_routes
from parley.console.api.pairing import pairing_routes
from parley.console.api.privacy import privacy_routes
from parley.console.api.setup import FirstSetup, setup_routes
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.commands.overview import PersonOverviews
from parley.core.dead_letters import DeadLetters
from parley.core.delivery.delivery_counts import DeliveryCounts
from parley.core.flow_control.quarantine import Quarantine
from parley.core.hitl.clicks import ClickHandler
from parley.core.inbound.bus import MessageBus
from parley.core.inbound.busy_policy_cache import BusyPolicyCache
from parley.core.model.errors import ParleyError, unwrap_exception_group
from parley.core.model.options import CoreOptions
from parley.core.ports.channel import Channel, ExclusiveConnection
from parley.core.ports.pubsub import NULL_NOTIFIER
from parley.core.ports.speech import SpeechService
from parley.core.ports.telemetry import Telemetry
from parley.core.privacy.conversation_deletion import ConversationDeletion
from parley.core.privacy.service import PrivacyService
from parley.core.scheduler.manager import Manager
from parley.core.services import CoreServices
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.feedback.delivery import FeedbackDelivery, open_destinations
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

    async def run(self, stop: asyncio.Event, started: Callable[[str], None]) -> None:
        """Serve until `stop` is set, then stop in order: listening, turns, everything else.

        `started` is called with the page's address, once the page is listened to. Raises ParleyError when a
        part cannot start.
        """
        with unwrap_exception_group(ParleyError):
            async with asyncio.TaskGroup() as group:
                listening: asyncio.Future[str] = asyncio.get_running_loop().create_future()
                tasks = [group.create_task(self.server.run(listening.set_result))]
                tasks += [group.create_task(work()) for work in self.background]
                url = await listening
                tasks.append(group.create_task(self.manager.run()))
                async with self.supervisors:
                    await self.supervisors.wait_until_started("web")
                    started(url)
                    await stop.wait()
                    handing_over = await self.others()
                await self.manager.drain(hand_over=handing_over)
                await self.memory.drain()
                for task in tasks:
                    task.cancel()


@dataclass(frozen=True, slots=True)
class _Opened:
    """What is open for as long as a Parley lives."""

    journal: Store
    agent: LangGraphAgent
    speech: SpeechService
    watchers: Watchers


@asynccontextmanager
async def build_parley(
    loaded: LoadedSettings, clock: Callable[[], float] = time.time, setup: FirstSetup | None = None
) -> AsyncIterator[Parley]:
    """Open the store and the agent, and put a Parley together on them; `setup` is what a new one offers.

    Only channels that are on are imported. Raises StoreUnavailable, ConfigError.
    """
    with lock_data_folder(loaded):
        settings = loaded.settings
        async with (
            open_store(loaded, clock) as journal,
            _agent(loaded, journal) as agent,
            open_speech(settings.transcription.options(), settings.speech.options()) as speech,
            open_watchers(loaded, journal) as watchers,
            open_destinations(settings.feedback.options()) as told,
        ):
            parley = await _put_together(loaded, clock, _Opened(journal, agent, speech, watchers), setup)
            telling = FeedbackDelivery(journal, told, Quarantine())
            yield replace(parley, background=(*parley.background, telling.run))


async def _put_together(
    loaded: LoadedSettings, clock: Callable[[], float], opened: _Opened, setup: FirstSetup | None
) -> Parley:
    journal, agent, watchers = opened.journal, opened.agent, opened.watchers
    options, pairing = core_options(loaded), await Pairing.open(journal, clock, journal.news)
    channels, quarantine = make_channels(loaded, journal, journal.news), Quarantine()
    bus = _bus(journal, options, pairing, channels, watchers.telemetry)
    memory = make_memory(loaded, journal, clock, quarantine, watchers.telemetry)
    lag, letters, deliveries = LoopLag(), DeadLetters(journal), DeliveryCounts()
    supervisors = _supervisors(channels, bus, memory, options, pairing, journal, clock)
    nodes = ClusterMembership(journal.nodes, loaded.settings.agent.url, supervisors.reports, clock)
    pulse = HealthMonitor(journal, agent, supervisors, clock=clock, more=nodes.reports)
    services = CoreServices(
        journal=journal,
        bus=bus,
        agent=agent,
        memory=memory,
        people=PersonRepository(journal, clock),
        conversations=watchers.conversations,
        channels=channels,
        options=options,
        files=make_folder(loaded.data_dir / FILES),
        reports=pulse.reports,
        clock=clock,
        pairing=pairing,
        news=journal.news,
        quarantine=quarantine,
        speech=opened.speech,
        deliveries=deliveries,
        telemetry=watchers.telemetry,
    )
    remake = partial(make_channel, loaded, journal, NULL_NOTIFIER)
    people = build_privacy_service(loaded, services, journal, agent, remake)
    manager, own = Manager(services), (*_api(services, memory, people, letters), *setup_routes(setup))
    api = (*own, *monitoring_routes(services, manager, lag, watchers.metrics, letters, journal))
    server = _server(loaded, channels, pulse, api)
    deletion = ConversationDeletion(journal, agent, services.conversations, services.files, quarantine)
    work = (pulse.run, nodes.run, journal.maintain, memory.run, pairing.follow, deletion.run, lag.run)
    background = (*work, *_watches(loaded), _upkeep(loaded, services), *_assistants(loaded, agent))
    return Parley(manager, supervisors, server, memory, background, nodes.others, people)


def _api(
    services: CoreServices, memory: MemoryService, people: PrivacyService, letters: DeadLetters
) -> Sequence[BaseRoute]:
    return [
        *memory_routes(memory.admin, partial(page_person, services.people)),
        *pairing_routes(services.pairing),
        *privacy_routes(people, services.files),
        *letter_routes(letters),
        *openapi_routes(),
        *feedback_routes(services.journal),
    ]


def _bus(
    journal: Store,
    options: CoreOptions,
    pairing: Pairing,
    channels: Mapping[str, Channel],
    telemetry: Telemetry,
) -> MessageBus:
    deaf = [name for name, each in channels.items() if not each.capabilities.history]
    busy = BusyPolicyCache(journal, journal.news)
    return MessageBus(journal, options.channels, pairing, busy, deaf, telemetry)


def _supervisors(
    channels: Mapping[str, Channel],
    bus: MessageBus,
    memory: MemoryService,
    options: CoreOptions,
    pairing: Pairing,
    store: Store,
    clock: Callable[[], float],
) -> ChannelSupervisors:
    comments = {name: each.capabilities.comments for name, each in channels.items()}
    clicks = ClickHandler(store, options.channels, pairing, clock, comments)
    people = PersonRepository(store, clock)
    overviews = PersonOverviews(store, memory, people, options.channels, pairing)
    return ChannelSupervisors(
        [
            ChannelSupervisor(
                each,
                bus.publish_inbound,
                clicks.submit,
                seat=_seat(each, store),
                overview=overviews.describe,
            )
            for each in channels.values()
        ]
    )


@asynccontextmanager
async def _agent(loaded: LoadedSettings, store: Store) -> AsyncIterator[LangGraphAgent]:
    """Yield the agent; one that lives inside is one node's only."""
    async with AsyncExitStack() as stack:
        if loaded.settings.agent.embedded and store.news.shared:
            await stack.enter_async_context(lease_embedded_agent(store.nodes))
        yield await stack.enter_async_context(open_agent(loaded))


def _seat(channel: Channel, store: Store) -> ConnectionLease:
    """Return where a channel listens: on one node where its platform has but one connection."""
    if store.news.shared and isinstance(channel, ExclusiveConnection) and channel.held_by_one:
        return ExclusiveLease(store.nodes, channel.name)
    return NoLease()


def _server(
    loaded: LoadedSettings, channels: Mapping[str, Channel], pulse: HealthMonitor, api: Sequence[BaseRoute]
) -> HttpServer:
    console = loaded.settings.console
    kinds = {name: loaded.plans[name].kind for name in channels}
    routes = [route for name, each in channels.items() for route in routes_of(each, name, kinds[name])]
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
        look=pulse.refresh,
        doubt=pulse.recheck,
    )


def _watches(loaded: LoadedSettings) -> Sequence[Callable[[], Coroutine[None, None, None]]]:
    return (watch_descriptors, make_database_watch(loaded), FileReader().tell_protection)


def _upkeep(loaded: LoadedSettings, services: CoreServices) -> Callable[[], Coroutine[None, None, None]]:
    retention, channels = loaded.settings.retention, services.options.channels
    files = loaded.data_dir / FILES
    return partial(run_retention, services.journal, files, retention, services.clock, channels)


def _assistants(
    loaded: LoadedSettings, agent: LangGraphAgent
) -> Sequence[Callable[[], Coroutine[None, None, None]]]:
    """Return what looks for the assistants of a server; those of the embedded one are known beforehand."""
    return () if loaded.settings.agent.embedded else (partial(warn_missing_assistants, loaded, agent),)
