"""Who says something, and where, as the core knows them."""

from __future__ import annotations

from telegram import Message, User
from telegram.constants import ChatType

from parley.channels.kit.text import wellformed
from parley.core.model.address import Conversation
from parley.core.model.address import User as Person

NAME = "telegram"
CHAT_TYPES = (ChatType.PRIVATE, ChatType.GROUP, ChatType.SUPERGROUP)
"""The kinds of chats in which people talk."""


def conversation_of(message: Message) -> Conversation:
    """Return the chat of a message, or its topic."""
    # Replies in plain groups have a message_thread_id too; only in topics does it name one.
    topic = str(message.message_thread_id) if message.is_topic_message and message.message_thread_id else None
    return Conversation(NAME, str(message.chat.id), topic)


def user_of(account: User) -> Person:
    """Return somebody with an account."""
    return Person(NAME, str(account.id), wellformed(account.full_name), language=account.language_code or "")
