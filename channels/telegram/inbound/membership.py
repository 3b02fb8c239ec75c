"""What becomes of the bot's own place in a chat: taken in, thrown out, blocked. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from telegram import ChatMember, ChatMemberUpdated
from telegram.constants import ChatType

from parley.channels.telegram.mapping import NAME, user_of
from parley.core.model.address import Conversation, User
from parley.core.model.types import InboundMessage

_OUT = (ChatMember.LEFT, ChatMember.BANNED)
_GROUPS = (ChatType.GROUP, ChatType.SUPERGROUP)


@dataclass(frozen=True, slots=True)
class JoinedGroup:
    """Somebody took the bot into a group; `number` is that of the update that says so."""

    chat: int
    number: int
    person: User


def read_membership(
    change: ChatMemberUpdated, number: int, now: float, stop: str
) -> InboundMessage | JoinedGroup | None:
    """Return that the bot was taken into a group, or that the person of a private chat blocked it.

    Who blocks it wants no answer: that is "/stop" under an id that begins with `stop`.
    """
    was_out = change.old_chat_member.status in _OUT
    is_out = change.new_chat_member.status in _OUT
    if was_out == is_out:
        return None
    person = user_of(change.from_user)
    if change.chat.type == ChatType.PRIVATE and is_out:
        return InboundMessage(
            id=f"{stop}:{int(change.chat.id)}:{int(number)}",
            conversation=Conversation(NAME, str(int(change.chat.id))),
            sender=person,
            text="/stop",
            addressed=True,
            private=True,
            sent_at=now,
        )
    if change.chat.type in _GROUPS and was_out:
        return JoinedGroup(int(change.chat.id), int(number), person)
    return None
