"""What is kept of messages that are not for us, where a mention brings what was said before it."""

from __future__ import annotations

from collections.abc import Container

from parley.core.inbound.access import SenderStanding, standing_of
from parley.core.model.command_syntax import is_command
from parley.core.model.options import ChannelOptions, ContextOptions, ContextPeople, ContextScope
from parley.core.model.types import InboundMessage

_CHARACTERS_PER_TOKEN = 4


def is_worth_keeping(options: ChannelOptions, message: InboundMessage, paired: Container[str] = ()) -> bool:
    """Return whether a message that is not for us may be brought by a later mention."""
    if message.private or message.resumes or is_command(message.text):
        return False
    wanted = options.at(message.conversation).earlier
    if wanted.scope is ContextScope.OFF or not (message.text.strip() or message.attachments):
        return False
    standing = standing_of(options, message, paired)
    if standing is SenderStanding.NOBODY:
        return False
    return standing is SenderStanding.KNOWN or wanted.people is ContextPeople.EVERYONE


def most_characters(wanted: ContextOptions) -> int:
    """Return how much of a conversation is kept: what the budget can hold."""
    return wanted.tokens * _CHARACTERS_PER_TOKEN
