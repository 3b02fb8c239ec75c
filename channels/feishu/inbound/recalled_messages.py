"""Messages that people take back: a question that is gone needs no answer."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from parley.channels.feishu.fields import id_at
from parley.channels.feishu.inbound.event_parser import NAME
from parley.channels.kit.fields import MALFORMED, json_object, object_at
from parley.channels.kit.lru import LruCache
from parley.core.model.address import Conversation
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import log_store_failure

log = logging.getLogger(__name__)

RECALLED = "im.message.recalled_v1"
_MOST = 10_000


def parse_recall(payload: bytes) -> tuple[str, str] | None:
    """Return the message that was taken back and its chat; None for other events.

    Raises ValueError for what no platform should send.
    """
    if RECALLED.encode() not in payload:
        return None
    event = json_object(payload)
    if object_at(event, "header").get("event_type") != RECALLED:
        return None
    body = object_at(event, "event")
    return id_at(body, "message_id"), id_at(body, "chat_id")


class RecalledMessages:
    """Tells the core of them.

    An event names the chat and no topic: those of the messages heard lately are remembered.
    """

    def __init__(self, recall: Callable[[Conversation, str], Awaitable[None]]) -> None:
        self._recall = recall
        self._topics: LruCache[str] = LruCache(_MOST)

    def hear(self, message: str, conversation: Conversation) -> None:
        """Remember in which topic a message stands."""
        if conversation.topic is not None:
            self._topics.put(message, conversation.topic)

    async def take(self, payload: bytes) -> bool | None:
        """Take an event: True when it is done with, False when it shall come again, None for other events."""
        try:
            found = parse_recall(payload)
        except MALFORMED as error:
            log.warning("feishu: a recall cannot be read and is skipped: %s", type(error).__name__)
            return True
        if found is None:
            return None
        message, chat = found
        try:
            await self._recall(Conversation(NAME, chat, self._topics.get(message)), message)
        except StoreUnavailable as error:
            log_store_failure(log.warning, "feishu: the recall of %s shall come again (%s)", message, error)
            return False
        return True
