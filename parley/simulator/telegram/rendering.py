"""A message as people see it, and whom its words call."""

from __future__ import annotations

from parley.simulator.kit.json_values import JsonObject, as_list, as_object
from parley.simulator.telegram.model import SeenTelegramMessage, TelegramAccount, TelegramMessage


def see_message(message: TelegramMessage, sender: TelegramAccount) -> SeenTelegramMessage:
    """Return the message as it is shown now."""
    media = message.media
    return SeenTelegramMessage(
        id=message.id,
        sender=sender.name,
        from_bot=sender.is_bot,
        text=message.rich or message.text,
        entities=tuple(message.entities),
        reply_to=message.reply_to,
        topic=message.topic,
        file="" if media is None else media.name,
        file_kind="" if media is None else media.kind,
        file_size=0 if media is None else media.size,
        album=message.album,
        buttons=tuple(tuple(str(b.get("text")) for b in row) for row in _rows(message)),
        edited=message.edited_at is not None,
        reactions=tuple(message.reactions),
        at=message.at,
        rich=bool(message.rich),
    )


def addresses_bot(message: TelegramMessage, bot: TelegramAccount) -> bool:
    """Return whether a message mentions the bot or is a command that may be for it."""
    raw = message.text.encode("utf-16-le")
    for entity in message.entities:
        if not isinstance(entity, dict):
            continue
        start, length = entity.get("offset"), entity.get("length")
        if not isinstance(start, int) or not isinstance(length, int):
            continue
        part = raw[2 * start : 2 * (start + length)].decode("utf-16-le").lower()
        mentioned = part.partition("@")[2]
        if mentioned == bot.username.lower() or (part.startswith("/") and not mentioned):
            return True
    return False


def _rows(message: TelegramMessage) -> list[list[JsonObject]]:
    rows = as_list(as_object(message.markup).get("inline_keyboard"))
    return [[button for button in row if isinstance(button, dict)] for row in rows if isinstance(row, list)]


def buttons(message: TelegramMessage) -> list[JsonObject]:
    """Return all buttons under a message."""
    return [button for row in _rows(message) for button in row]
