"""Supervisors of channels, joined to the core."""

from __future__ import annotations

from collections.abc import Callable

from parley.app.reload.current_state import CurrentState
from parley.app.reload.live_mapping import LiveMapping
from parley.app.supervision.channel_factory import ChannelsWithoutHistory
from parley.app.supervision.channel_supervisor import ChannelSupervisor
from parley.app.supervision.connection_lease import ConnectionLease, ExclusiveLease, NoLease
from parley.core.commands.overview import PersonOverviews
from parley.core.hitl.clicks import ClickHandler
from parley.core.inbound.bus import MessageBus
from parley.core.inbound.busy_policy_cache import BusyPolicyCache
from parley.core.ports.agent import Agent
from parley.core.ports.channel import Channel, ExclusiveConnection
from parley.core.ports.health import Health
from parley.core.ports.telemetry import Telemetry
from parley.core.state.conversations import ConversationRepository
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.memory.service import MemoryService
from parley.store.interface import Store


def make_supervise(
    bus: MessageBus,
    memory: MemoryService,
    current: CurrentState,
    pairing: Pairing,
    store: Store,
    conversations: ConversationRepository,
    agent: Agent,
    clock: Callable[[], float],
) -> Callable[[Channel, Health], ChannelSupervisor]:
    """Return what makes the supervisor of a channel, which is reported as said until it has connected."""
    rules, channels = current.rules, current.channels
    comments = LiveMapping(lambda: {name: each.capabilities.comments for name, each in channels.items()})
    clicks = ClickHandler(store, rules, conversations.turn_id, bus.publish_inbound, pairing, comments)
    overviews = PersonOverviews(store, memory, PersonRepository(store, clock), rules, agent.health, pairing)

    def supervise(channel: Channel, first: Health) -> ChannelSupervisor:
        return ChannelSupervisor(
            channel,
            bus.publish_inbound,
            clicks.submit,
            seat=_seat(channel, store),
            overview=overviews.describe,
            first=first,
        )

    return supervise


def _seat(channel: Channel, store: Store) -> ConnectionLease:
    """Return where a channel listens: on one node where its platform has but one connection."""
    if store.news.shared and isinstance(channel, ExclusiveConnection) and channel.held_by_one:
        return ExclusiveLease(store.nodes, channel.name)
    return NoLease()


def make_bus(journal: Store, current: CurrentState, pairing: Pairing, telemetry: Telemetry) -> MessageBus:
    """Return the bus of a node."""
    deaf, busy = ChannelsWithoutHistory(current.channels), BusyPolicyCache(journal, journal.news)
    return MessageBus(journal, current.rules, pairing, busy, deaf, telemetry)
