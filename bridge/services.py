"""What turns and commands work with, wired once at the top."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bridge.bus import MessageBus
from bridge.conversations import Conversations
from bridge.options import ChannelOptions, Options
from bridge.people import People
from bridge.ports import Agent, Channel, HealthReport, Journal, Memory
from bridge.texts import language_of
from bridge.types import InboundMessage


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

    def channel_options(self, message: InboundMessage) -> ChannelOptions:
        """The settings of the channel that the message came by."""
        return self.options.channels[message.conversation.channel]

    def language(self, message: InboundMessage) -> str:
        """The language to answer its sender in: the channel's when set, else the person's own."""
        return language_of(self.channel_options(message).language, message.sender.language)
