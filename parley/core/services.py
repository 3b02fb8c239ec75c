"""What turns and commands work with, wired once at the top."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from parley.core.access import Verdict, judge
from parley.core.bus import MessageBus
from parley.core.conversations import Conversations
from parley.core.deliveries import Deliveries
from parley.core.news import NO_NEWS, News
from parley.core.options import ChannelOptions, Options
from parley.core.pairing import Pairing
from parley.core.people import People
from parley.core.ports import Agent, Channel, HealthReport, Journal, Memory
from parley.core.quarantine import Quarantine
from parley.core.texts import language_of
from parley.core.turnstile import Turnstile
from parley.core.types import InboundMessage


@dataclass(frozen=True, slots=True)
class Services:
    """Ports and settings. `files` is the folder for attachments; `reports` tells how channels are."""

    journal: Journal
    bus: MessageBus
    agent: Agent
    memory: Memory
    people: People
    conversations: Conversations
    channels: Mapping[str, Channel]
    options: Options
    files: Path
    reports: Callable[[], Sequence[HealthReport]]
    clock: Callable[[], float]
    pairing: Pairing
    deliveries: Deliveries = field(default_factory=Deliveries)
    news: News = NO_NEWS
    turnstile: Turnstile = field(default_factory=Turnstile)
    quarantine: Quarantine = field(default_factory=Quarantine)

    def channel_options(self, message: InboundMessage) -> ChannelOptions:
        """The settings of the channel that the message came by."""
        return self.options.channels[message.conversation.channel]

    def verdict(self, message: InboundMessage) -> Verdict:
        """What becomes of a message that was accepted: the rules may have changed since."""
        return judge(self.channel_options(message), message, ours=True, paired=self.pairing)

    async def known(self, message: InboundMessage) -> InboundMessage:
        """The message of somebody whose choice of a language is known. Raises StoreUnavailable."""
        return self.speaking(message, await self.people.language_of(message.sender))

    def speaking(self, message: InboundMessage, chosen: str) -> InboundMessage:
        """The message of somebody who chose this language; "" where they chose none."""
        language = chosen or self.channel_options(message).language
        if not language:
            return message
        return replace(message, sender=replace(message.sender, language=language))

    def language(self, message: InboundMessage) -> str:
        """The language to answer its sender in: chosen with /language, else the channel's where it has one,
        else the platform's. What was chosen is seen in messages that went through `known`.
        """
        return language_of(message.sender.language, self.channel_options(message).language)
