"""What turns and commands work with, wired once at the top."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from parley.core.delivery.delivery_counts import DeliveryCounts
from parley.core.delivery.loop_throttle import LoopThrottle
from parley.core.flow_control.quarantine import Quarantine
from parley.core.flow_control.store_outage import StoreOutage
from parley.core.inbound.access import AccessVerdict, decide_access
from parley.core.inbound.bus import MessageBus
from parley.core.model.options import ChannelOptions, CoreOptions
from parley.core.model.types import InboundMessage
from parley.core.ports.agent import Agent
from parley.core.ports.channel import Channel
from parley.core.ports.health import HealthReport, SystemLoad, no_load
from parley.core.ports.journal import Journal
from parley.core.ports.memory.controls import NO_MEMORY_CONTROLS, MemoryControls
from parley.core.ports.memory.past_turns import NO_PAST_TURNS, PastTurns
from parley.core.ports.memory.port import Memory
from parley.core.ports.memory.tools import NO_MEMORY_TOOLS, MemoryTools
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.core.ports.sending import WaitObserver
from parley.core.ports.speech import NO_SPEECH, SpeechService
from parley.core.ports.telemetry import NO_TELEMETRY, Telemetry
from parley.core.state.conversations import ConversationRepository
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.core.state.team_chats import TeamChats
from parley.core.texts import language_of


@dataclass(frozen=True, slots=True)
class CoreServices:
    """Ports and settings. `files` is the folder for attachments; `reports` tells how channels are.

    A reload makes another one, `with_configuration`; work that began keeps the one that it began with.
    """

    journal: Journal
    bus: MessageBus
    agent: Agent
    memory: Memory
    people: PersonRepository
    conversations: ConversationRepository
    channels: Mapping[str, Channel]
    options: CoreOptions
    files: Path
    reports: Callable[[], Sequence[HealthReport]]
    clock: Callable[[], float]
    pairing: Pairing
    deliveries: DeliveryCounts = field(default_factory=DeliveryCounts)
    news: Notifier = NULL_NOTIFIER
    turnstile: LoopThrottle = field(default_factory=LoopThrottle)
    quarantine: Quarantine = field(default_factory=Quarantine)
    outage: StoreOutage = field(default_factory=StoreOutage)
    speech: SpeechService = NO_SPEECH
    telemetry: Telemetry = NO_TELEMETRY
    past_turns: PastTurns = NO_PAST_TURNS
    memory_tools: MemoryTools = NO_MEMORY_TOOLS
    memory_controls: MemoryControls = NO_MEMORY_CONTROLS
    load: Callable[[], Awaitable[SystemLoad]] = no_load

    @property
    def team_chats(self) -> TeamChats:
        """The chats that have a memory of their own."""
        return TeamChats(self.journal)

    def with_configuration(self, options: CoreOptions, channels: Mapping[str, Channel]) -> CoreServices:
        """Return the same with other settings and channels."""
        return replace(self, options=options, channels=channels)

    def channel_options(self, message: InboundMessage) -> ChannelOptions:
        """Return what the settings say of the place that the message came from."""
        place = message.conversation
        return self.options.channels[place.channel].at(place)

    def access_verdict(self, message: InboundMessage) -> AccessVerdict:
        """Return what becomes of a message that was accepted: the rules may have changed since."""
        return decide_access(self.channel_options(message), message, ours=True, paired=self.pairing)

    async def with_chosen_language(self, message: InboundMessage) -> InboundMessage:
        """Return the message of somebody whose choice of a language is known. Raises StoreUnavailable."""
        return self.with_language(message, await self.people.language_of(message.sender))

    def with_language(self, message: InboundMessage, chosen: str) -> InboundMessage:
        """Return the message of somebody who chose this language; "" where they chose none."""
        language = chosen or self.channel_options(message).language
        if not language or language == message.sender.language:
            return message
        return replace(message, sender=replace(message.sender, language=language))

    def language(self, message: InboundMessage) -> str:
        """The language to answer its sender in: chosen with /language, else the channel's where it has one,
        else the platform's. What was chosen is seen in messages that went through `with_chosen_language`.
        """
        return language_of(message.sender.language, self.channel_options(message).language)

    def wait_observer(self, channel: str) -> WaitObserver:
        """Return who is told when something waits for a channel's platform."""
        return partial(self.telemetry.platform_waited, channel)
