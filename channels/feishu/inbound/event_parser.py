"""An event as a message for the core, or nothing. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parley.channels.feishu.fields import id_at, id_if_any, is_foreign
from parley.channels.feishu.inbound.message_content import FORWARDED, read_content
from parley.channels.feishu.inbound.special_content import unread_text
from parley.channels.kit.fields import json_object, object_at
from parley.channels.kit.text import wellformed
from parley.core.model.address import Conversation
from parley.core.model.attachments import Attachment
from parley.core.model.types import Json, JsonObject

NAME = "feishu"
MESSAGE = "im.message.receive_v1"
_BOTS = ("app", "bot")
"""Told of other bots that mention us, with the scope im:message.group_at_msg.include_bot:readonly."""
_KEY = re.compile(r"@_user_\d+|@_all")
# What belongs to a name that a text begins with.
_CALL = re.compile(r"\s*[,:;，：]?\s*")


@dataclass(frozen=True, slots=True)
class FeishuInboundMessage:
    """A message as the event tells it. `parent` is the message that it answers ("" for none), `root` the
    first of that chain; `foreign` says that its writer belongs to another tenant, and `forwards` that it is
    a forwarded conversation."""

    id: str
    conversation: Conversation
    sender: str
    text: str
    files: tuple[Attachment, ...]
    addressed: bool
    private: bool
    sent_at: float
    parent: str
    root: str
    foreign: bool
    bot: bool = False
    forwards: bool = False


def parse_event(payload: bytes, me: str) -> FeishuInboundMessage | None:
    """Return what a person or another bot wrote, or nothing for any other event. `me` is our own open id.

    Raises ValueError for what no platform should send.
    """
    event = json_object(payload)
    header, body = object_at(event, "header"), object_at(event, "event")
    if header.get("event_type") != MESSAGE:
        return None
    message, sender = object_at(body, "message"), object_at(body, "sender")
    bot = sender.get("sender_type") in _BOTS
    if sender.get("sender_type") != "user" and not bot:
        return None
    who = id_at(object_at(sender, "sender_id"), "open_id")
    if who == me:
        return None
    number, chat = id_at(message, "message_id"), id_at(message, "chat_id")
    kind = str(message.get("message_type"))
    what = read_content(kind, str(message.get("content") or ""), number)
    text, called = resolve_mentions(what.text, message.get("mentions"), me)
    text = text or ("" if what.files else unread_text(kind))
    if not text and not what.files:
        return None
    private = message.get("chat_type") == "p2p"
    return FeishuInboundMessage(
        id=number,
        conversation=Conversation(NAME, chat, id_if_any(message, "thread_id") or None),
        sender=who,
        text=text,
        files=what.files,
        addressed=private or called,
        private=private,
        sent_at=_milliseconds(message, header),
        parent=id_if_any(message, "parent_id"),
        root=id_if_any(message, "root_id"),
        foreign=is_foreign(header, sender),
        bot=bot,
        forwards=kind == FORWARDED,
    )


def resolve_mentions(text: str, mentions: Json, me: str) -> tuple[str, bool]:
    """Return a text with names for its placeholders and without our own, and whether that was there.

    Our name alone stays, being all that was said.
    """
    listed = mentions if isinstance(mentions, list) else []
    names = {str(each.get("key")): each for each in listed if isinstance(each, dict)}
    parts: list[str] = []
    at, called, last = 0, False, ""
    for found in _KEY.finditer(text):
        mention = names.get(found[0])
        parts.append(text[at : found.start()])
        last = _last(last, parts[-1])
        at = found.end()
        if mention is not None and _open_id(mention) == me:
            called = True
            at = _without_us(last, text, at)
        else:
            parts.append(_name(found[0], mention))
            last = _last(last, parts[-1])
    rest = wellformed("".join((*parts, text[at:]))).strip()
    if called and not rest:
        rest = wellformed(_KEY.sub(lambda found: _name(found[0], names.get(found[0])), text)).strip()
    return rest, called


def _last(last: str, more: str) -> str:
    """Return the last character of a text that goes on; nothing while it is blank."""
    return more[-1:] or last if last or more.strip() else ""


def _without_us(last: str, text: str, at: int) -> int:
    """Return where the text goes on after our name and what belonged to it: a comma, a doubled space."""
    if not last:
        found = _CALL.match(text, at)
        return found.end() if found else at
    return at + 1 if last.isspace() and text[at : at + 1] == " " else at


def _name(key: str, mention: JsonObject | None) -> str:
    if mention is None:
        return "@all" if key == "@_all" else key
    return f"@{mention.get('name') or 'somebody'}"


def _open_id(mention: JsonObject) -> str:
    """Return an id, which is an object in events, a text in fetched messages."""
    found = mention.get("id")
    return str(found.get("open_id")) if isinstance(found, dict) else str(found)


def _milliseconds(message: JsonObject, header: JsonObject) -> float:
    text = str(message.get("create_time") or header.get("create_time"))
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise ValueError("create_time is no time")
    return int(text) / 1000
