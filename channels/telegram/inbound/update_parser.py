"""An update as a message for the core, or nothing. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from telegram import Chat, Message, Update
from telegram.constants import ChatType

from parley.channels.kit.text import wellformed
from parley.channels.telegram.inbound.attachments import attachments_of
from parley.channels.telegram.inbound.membership import JoinedGroup, read_membership
from parley.channels.telegram.inbound.message_words import (
    FORWARDED,
    BotCalls,
    find_calls,
    forwarded_words,
    quoted_words,
    replied_message,
    spoken_words,
)
from parley.channels.telegram.inline_keyboard import CallbackPress, parse_callback_query
from parley.channels.telegram.mapping import CHAT_TYPES, NAME, conversation_of, user_of
from parley.core.model.address import Conversation, User
from parley.core.model.bots import is_welcome
from parley.core.model.options import ChannelOptions
from parley.core.model.types import InboundMessage, Json
from parley.core.ports.no_core import no_rules

STOP = "stop"
"""How the ids of presses of the stop button begin."""
GUEST = "guest"
"""How the ids of messages begin from chats that the bot is no member of, and the topic of their
conversations: such a chat may have the number of another one."""
_MOST_QUERY = 200
_STOPPED = "stopped_message_generation"
UPDATE_KINDS = (
    "message",
    "edited_message",
    "guest_message",
    "callback_query",
    "my_chat_member",
    _STOPPED,
)
"""The updates that are asked for."""


@dataclass(frozen=True, slots=True)
class TelegramBotIdentity:
    """Who the bot is."""

    id: int
    username: str


@dataclass(frozen=True, slots=True)
class GroupMigrated:
    """The group `old` has become the supergroup `new`."""

    old: int
    new: int


def parse_update(
    update: Update,
    me: TelegramBotIdentity,
    now: float,
    rules: Callable[[Conversation], ChannelOptions] = no_rules,
) -> InboundMessage | CallbackPress | GroupMigrated | JoinedGroup | None:
    """Return what somebody wrote in our hearing, the button that they pressed, or that a group has moved or
    taken us in.

    Nothing for bots and posts of channels but those that the `rules` of a place name, other service messages
    and commands for other bots. A press of the stop button, which has no time of its own, is "/stop" said
    `now`.
    """
    if _STOPPED in update.api_kwargs:
        return _stop(update.api_kwargs[_STOPPED], update.update_id, now)
    if update.callback_query is not None:
        return parse_callback_query(update.callback_query)
    if update.my_chat_member is not None:
        return read_membership(update.my_chat_member, update.update_id, now, STOP)
    if update.edited_message is not None:
        return _edited(update.edited_message, update.update_id, me)
    if update.guest_message is not None:
        return _guest(update.guest_message, me, rules)
    message = update.message
    if message is None or message.chat.type not in CHAT_TYPES:
        return None
    return _move(message) or _said(message, me, rules)


def _edited(message: Message, number: int, me: TelegramBotIdentity) -> InboundMessage | None:
    """The message as it reads now. A shared place that moves is edited too, and says nothing new by that.

    Edits have no ids, and only whole seconds to tell them apart: the update's number does.
    """
    if message.chat.type not in CHAT_TYPES or message.location is not None:
        return None
    said = _said(message, me)
    if said is None:
        return None
    at = message.edit_date or message.date
    return replace(said, id=f"{said.id}:edit:{int(number)}", edits=said.id, sent_at=at.timestamp())


def _guest(
    message: Message, me: TelegramBotIdentity, rules: Callable[[Conversation], ChannelOptions]
) -> InboundMessage | None:
    """Return what somebody asks the bot in a chat that it is no member of, never one of its private ones."""
    query = message.guest_query_id or ""
    if not query.isprintable() or not 0 < len(query) <= _MOST_QUERY:
        raise ValueError("a guest message without a query")
    said = _said(message, me, rules)
    if said is None:
        return None
    place = replace(said.conversation, topic=GUEST)
    return replace(said, id=f"{GUEST}:{query}", conversation=place, addressed=True, private=False)


def _stop(pressed: Json, number: int, now: float) -> InboundMessage | None:
    """Return the stop of a draft: in private chats only, where the chat is the person."""
    given = pressed.get("chat") if isinstance(pressed, dict) else None
    if not isinstance(pressed, dict) or not isinstance(given, dict):
        raise TypeError("a stop without a chat")
    chat, topic = Chat.de_json(dict(given), None), pressed.get("message_thread_id")
    if chat.type != ChatType.PRIVATE:
        return None
    sender = User(NAME, str(int(chat.id)), wellformed(chat.full_name or ""))
    return InboundMessage(
        id=f"{STOP}:{sender.id}:{int(number)}",
        conversation=Conversation(NAME, sender.id, str(topic) if isinstance(topic, int) else None),
        sender=sender,
        text="/stop",
        addressed=True,
        private=True,
        sent_at=now,
    )


def _move(message: Message) -> GroupMigrated | None:
    """Return a group's move, of which both chats are told, the new one in nobody's name."""
    if message.migrate_to_chat_id:
        return GroupMigrated(int(message.chat.id), int(message.migrate_to_chat_id))
    if message.migrate_from_chat_id:
        return GroupMigrated(int(message.migrate_from_chat_id), int(message.chat.id))
    return None


def _said(
    message: Message, me: TelegramBotIdentity, rules: Callable[[Conversation], ChannelOptions] = no_rules
) -> InboundMessage | None:
    if not _by_person(message) and not _by_welcome_bot(message, me, rules):
        return None
    calls = find_calls(message, me.id, me.username)
    files = attachments_of(message)
    quoted = forwarded_words(message)
    if quoted:
        # The words are somebody else's: whoever passes them on gives no command by that.
        calls, text = BotCalls(), FORWARDED
    else:
        text, quoted = spoken_words(message, calls.spans), quoted_words(message)
    if calls.foreign or not (text or files or (quoted and calls.spans)):
        return None
    private = message.chat.type == ChatType.PRIVATE
    heard = InboundMessage(
        id=f"{message.chat.id}:{message.message_id}",
        conversation=conversation_of(message),
        sender=_sender(message),
        text=text,
        addressed=private or calls.addressed or _answers(message, me),
        private=private,
        sent_at=message.date.timestamp(),
        attachments=files,
        quoted=quoted,
        group=message.media_group_id or "",
        replies_to=_reply_id(message),
        link=message.link or "",
    )
    _check(heard)
    return heard


def _check(message: InboundMessage) -> None:
    """Raise ValueError, AttributeError where a text is none: the SDK checks no types."""
    sender, names = message.sender, [(file.name, file.mime, file.handle) for file in message.attachments]
    said = (message.text, message.quoted, message.group, message.link)
    for text in (*said, sender.name, sender.language, *sum(names, ())):
        text.encode()
        if "\0" in text:
            raise ValueError("a NUL in a text")
    for number in (*message.id.split(":"), message.conversation.chat, sender.id):
        int(number)


def _by_person(message: Message) -> bool:
    sender = message.from_user
    if sender is None or sender.is_bot:
        return False
    return message.sender_chat is None and not message.is_automatic_forward


def _by_welcome_bot(
    message: Message, me: TelegramBotIdentity, rules: Callable[[Conversation], ChannelOptions]
) -> bool:
    if message.from_user is None or message.from_user.id == me.id:
        return False
    return is_welcome(rules(conversation_of(message)).bots, _sender(message))


def _sender(message: Message) -> User:
    """Return who speaks: a channel or a group where a message is in its name, a bot, or a person."""
    place = message.sender_chat
    if place is not None:
        number = str(int(place.id))
        name = wellformed(place.effective_name or "")
        return User(NAME, number, name, bot=f"@{place.username}" if place.username else number)
    sender = message.from_user
    if sender is None:
        raise ValueError("a message without a sender")
    if not sender.is_bot:
        return user_of(sender)
    return replace(user_of(sender), bot=f"@{sender.username}" if sender.username else str(int(sender.id)))


def _answers(message: Message, me: TelegramBotIdentity) -> bool:
    replied = replied_message(message)
    return replied is not None and replied.from_user is not None and replied.from_user.id == me.id


def _reply_id(message: Message) -> str:
    replied = replied_message(message)
    return "" if replied is None else f"{message.chat.id}:{replied.message_id}"
