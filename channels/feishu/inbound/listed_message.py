"""A message as Feishu lists it: what is read of those that no event told of. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from parley.channels.feishu.fields import id_at
from parley.channels.feishu.inbound.event_parser import resolve_mentions
from parley.channels.feishu.inbound.message_content import FORWARDED, read_content
from parley.channels.kit.fields import object_or_empty, text_or_empty
from parley.core.model.attachments import Attachment
from parley.core.model.types import JsonObject


@dataclass(frozen=True, slots=True)
class ListedMessage:
    """A message that stands somewhere. `sender` is a person's open id, or an app's; `sent_at` Unix seconds.

    `within` is the forwarded conversation that it came in, and `forwards` says that it is one itself.
    `opens` is the topic that began with it.
    """

    id: str
    sender: str
    name: str
    tenant: str
    by_app: bool
    text: str
    files: tuple[Attachment, ...]
    sent_at: float
    within: str
    forwards: bool
    opens: str = ""


def parse_listed(item: JsonObject, me: str) -> ListedMessage | None:
    """Return a message, without our own name in it; nothing for one that was taken back.

    `me` is our own open id. Raises ValueError for what no platform should send.
    """
    if item.get("deleted"):
        return None
    sender, kind, number = (
        object_or_empty(item, "sender"),
        str(item.get("msg_type")),
        id_at(item, "message_id"),
    )
    what = read_content(kind, text_or_empty(object_or_empty(item, "body"), "content"), number)
    text, _ = resolve_mentions(what.text, item.get("mentions"), me)
    return ListedMessage(
        id=number,
        sender=text_or_empty(sender, "id"),
        name=text_or_empty(sender, "sender_name"),
        tenant=text_or_empty(sender, "tenant_key"),
        by_app=sender.get("sender_type") == "app",
        text=text,
        files=what.files,
        sent_at=_seconds(item),
        within=text_or_empty(item, "upper_message_id"),
        forwards=kind == FORWARDED,
        opens="" if item.get("parent_id") else text_or_empty(item, "thread_id"),
    )


def _seconds(item: JsonObject) -> float:
    time = text_or_empty(item, "create_time")
    return int(time) / 1000 if time.isascii() and time.isdecimal() and len(time) < 16 else 0.0
