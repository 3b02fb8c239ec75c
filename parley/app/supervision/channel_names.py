"""The name that the settings give a channel, where they give it one: the core knows it by no other."""

from __future__ import annotations

from dataclasses import replace

from parley.core.hitl.clicks import outcome_text
from parley.core.inbound.withdrawal import recall_message, withdraw_message
from parley.core.model.address import Conversation, User
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import ChannelServices
from parley.core.ports.journal import Journal
from parley.core.privacy.conversation_deletion import schedule_deletion


def named_message(name: str, message: InboundMessage) -> InboundMessage:
    """Return a message of a platform as one of the channel of this name."""
    if message.conversation.channel == message.sender.channel == name:
        return message
    return replace(
        message,
        conversation=replace(message.conversation, channel=name),
        sender=replace(message.sender, channel=name),
    )


def named_click(name: str, click: Click) -> Click:
    """Return a press of a button on a platform as one on the channel of this name."""
    if click.conversation.channel == click.sender.channel == name:
        return click
    return replace(
        click,
        conversation=replace(click.conversation, channel=name),
        sender=replace(click.sender, channel=name),
    )


def connect_core(services: ChannelServices, journal: Journal) -> ChannelServices:
    """Return services that ask the core by the channel's name, whatever channel a place or a press names."""

    def own(place: Conversation) -> Conversation:
        return replace(place, channel=services.name)

    async def clear(place: Conversation) -> None:
        await schedule_deletion(journal, own(place))

    async def withdraw(place: Conversation, message_id: str, sender: User) -> bool:
        return await withdraw_message(journal, own(place), message_id, sender)

    async def recall(place: Conversation, message_id: str) -> None:
        await recall_message(journal, own(place), message_id)

    async def outcome(click: Click, max_chars: int) -> str:
        return await outcome_text(journal, named_click(services.name, click), max_chars)

    return replace(services, clear=clear, withdraw=withdraw, recall=recall, outcome=outcome)
