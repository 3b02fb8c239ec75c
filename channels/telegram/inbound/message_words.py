"""What a message says: its words as markdown, whom they call, what they answer, and where they come from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from telegram import (
    Message,
    MessageEntity,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
)

from parley.channels.kit.text import wellformed
from parley.channels.telegram.inbound.marked_text import MOST_MARKS, MarkedText
from parley.channels.telegram.inbound.rich_words import rich_words
from parley.core.model.types import Json

FORWARDED = "[forwarded message]"
_MOST_MARKED = 20_000
"""Characters of a text whose marks are read; Telegram's own are shorter."""


@dataclass(frozen=True, slots=True)
class BotCalls:
    """How a text calls the bot: the spans (UTF-16) that do so, and whether it is another bot's command."""

    spans: tuple[tuple[int, int], ...] = ()
    addressed: bool = False
    foreign: bool = False


def find_calls(message: Message, bot: int, username: str) -> BotCalls:
    """Return how a message calls the bot that has this id and name."""
    text = MarkedText(message.text or message.caption or "")
    spans: list[tuple[int, int]] = []
    addressed = foreign = False
    for entity in _entities(message):
        start, end = entity.offset, entity.offset + entity.length
        if start < 0 or end <= start:
            continue
        words = text.words(start, end)
        if entity.type == MessageEntity.BOT_COMMAND:
            command, _, name = words.partition("@")
            ours = bool(name) and name.lower() == username.lower()
            addressed = addressed or ours or (start == 0 and not name)
            foreign = foreign or (start == 0 and bool(name) and not ours)
            if ours:
                spans.append((start + len(command), end))
        elif _is_mention(entity, words, bot, username):
            addressed = True
            spans.append((start, end))
    return BotCalls(tuple(spans), addressed, foreign)


def spoken_words(message: Message, spans: Sequence[tuple[int, int]]) -> str:
    """Return what was written, without our name; our name alone stays, being all that was said."""
    plain = message.text or message.caption or ""
    whole = plain or _instead_of_words(message)
    said = _without(whole, spans)
    if plain and not said.startswith("/") and len(plain) <= _MOST_MARKED:
        marked = MarkedText(plain)
        marked.mark(_entities(message), spans)
        said = _without(*marked.with_marks(spans))
    return said or (
        "" if message.effective_attachment or quoted_words(message) else wellformed(whole).strip()
    )


def quoted_words(message: Message) -> str:
    """Return what a message answers: the part that was quoted, or all of it."""
    if message.quote is not None:
        return _marked(message.quote.text, message.quote.entities or ())
    replied = replied_message(message)
    return "" if replied is None else _all_words(replied)


def forwarded_words(message: Message) -> str:
    """Return what was forwarded, with who said it and where; "" for what was not."""
    source = _source(message)
    words = _all_words(message)
    return f"Forwarded from {source}:\n{words}".rstrip() if source else ""


def replied_message(message: Message) -> Message | None:
    """Return the message that this one answers. In a topic Telegram gives its opening where there is none."""
    replied = message.reply_to_message
    return None if replied is None or replied.forum_topic_created is not None else replied


def _entities(message: Message) -> list[MessageEntity]:
    return list(islice(message.entities or message.caption_entities, MOST_MARKS))


def _all_words(message: Message) -> str:
    return _marked(message.text or message.caption or "", _entities(message)) or _rich(message)


def _marked(text: str, entities: Sequence[MessageEntity]) -> str:
    if len(text) > _MOST_MARKED:
        return wellformed(text).strip()
    marked = MarkedText(text)
    marked.mark(entities, ())
    return wellformed(marked.with_marks(())[0]).strip()


def _rich(message: Message) -> str:
    given: Json = message.api_kwargs.get("rich_message")
    return wellformed(rich_words(given))


def _source(message: Message) -> str:
    match message.forward_origin:
        case MessageOriginUser(sender_user=sender):
            who, link = sender.full_name, ""
        case MessageOriginHiddenUser(sender_user_name=who):
            link = ""
        case MessageOriginChat(sender_chat=chat):
            who, link = chat.effective_name or "", chat.link or ""
        case MessageOriginChannel(chat=chat, message_id=number):
            who, link = chat.effective_name or "", _link(chat.id, chat.link, number)
        case _:
            return ""
    name = " ".join(wellformed(who).split())[:200] or "somebody"
    return f"{name} ({link})" if link else name


def _link(chat: int, public: str | None, number: int) -> str:
    """Return a post's address; that of a private channel is for its members."""
    return (
        f"{public}/{int(number)}"
        if public
        else f"https://t.me/c/{str(int(chat)).removeprefix('-100')}/{int(number)}"
    )


def _is_mention(entity: MessageEntity, words: str, bot: int, username: str) -> bool:
    if entity.type == MessageEntity.TEXT_MENTION:
        return entity.user is not None and entity.user.id == bot
    return entity.type == MessageEntity.MENTION and words.lower() == f"@{username.lower()}"


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text without what stands on some spans of it."""
    raw = _utf16(text)
    for start, end in sorted(spans, reverse=True):
        before, after = _decoded(raw[: 2 * start]), _decoded(raw[2 * end :])
        if not before.strip():
            after = re.sub(r"^\s*[,:;，：]?\s*", "", after)
        elif before[-1].isspace():
            after = after.removeprefix(" ")
        raw = _utf16(before + after)
    return wellformed(_decoded(raw)).strip()


def _instead_of_words(message: Message) -> str:
    """Return words for what people send instead of words."""
    if message.sticker is not None:
        return message.sticker.emoji or "[sticker]"
    if message.location is not None:
        return f"📍 {message.location.latitude}, {message.location.longitude}"
    if message.contact is not None:
        contact = message.contact
        return f"👤 {contact.first_name} {contact.last_name or ''} {contact.phone_number}".replace("  ", " ")
    if message.poll is not None:
        options = "".join(f"\n- {option.text}" for option in message.poll.options)
        return f"📊 {message.poll.question}{options}"
    return _rich(message)


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-16-le", "replace")
