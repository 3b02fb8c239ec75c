"""A question, and its message with the buttons."""

from __future__ import annotations

from dataclasses import replace

from parley.channels.telegram.channel import TelegramChannel
from parley.core.model.address import Conversation
from parley.core.model.questions import Option, Question
from parley.core.model.types import OutboundMessage
from tests.kit.platforms.telegram_channel import Notes, World

KEY = f"{'0123456789abcdef' * 2}-12"
DEPLOY = Question(KEY, "Shall I deploy?", (Option("ship", "Ship it"), Option("wait", "Not now")))


def asks(question: Question = DEPLOY, text: str = "Shall I deploy?") -> OutboundMessage:
    """A question's message, as the core gives it."""
    return OutboundMessage(
        question.id, Conversation("telegram", "1"), "", text, final=True, question=question
    )


def decided(text: str = "Shall I deploy?\n\n✅ Alice: Ship it") -> OutboundMessage:
    """The same once it is settled."""
    return OutboundMessage(KEY, Conversation("telegram", "1"), "", text, final=True)


async def asked(
    channel: TelegramChannel,
    world: World,
    said: OutboundMessage | None = None,
    notes: Notes | None = None,
    **where,
) -> int:
    """Ask; returns the number of the newest message with buttons, 0 where there is none."""
    said = said or asks()
    target = replace(world.target(**where), turn_id=said.turn_id)
    await channel.open_reply(target, notes or Notes()).finish(said)
    chat = int(target.conversation.chat)
    return max((message.id for message in world.people.messages(chat) if message.buttons), default=0)


async def settle(channel: TelegramChannel, world: World, handle: str, said: OutboundMessage, **where) -> None:
    """Settle, as a later process does: it has only the handle."""
    target = replace(world.target(handle=handle, **where), turn_id=said.turn_id)
    await channel.open_reply(target, Notes()).settle(said)
