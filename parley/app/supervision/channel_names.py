"""The name that the settings give a channel, where they give it one: its messages and presses bear it."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage


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
