"""What messages told about where they came from: for mentions, receipts, and people without a staff id."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from parley.channels.kit.fields import number_or, text_or_empty
from parley.channels.kit.lru import LruCache
from parley.core.model.types import JsonObject

MAX_KNOWN = 5_000
MOST_WORDS = 2_000
"""Characters of a message that are kept for quotes that name it only."""
_MOST_TEXT = 1000
_EARLY = 30.0


@dataclass(frozen=True, slots=True)
class MessageOrigin:
    """The conversation, robot and writer of a message, and an address that takes answers for an hour."""

    conversation: str
    robot: str
    staff: str
    name: str
    webhook: str
    until: float
    words: str = ""


class MessageOrigins:
    """The origins of the last messages, in memory. `hosts` are DingTalk's addresses; `clock` gives Unix time.

    What is lost with the process is only a convenience.
    """

    def __init__(self, hosts: tuple[str, ...], clock: Callable[[], float] = time.time) -> None:
        self._hosts = frozenset(_host(url) for url in hosts)
        self._clock = clock
        self._known: LruCache[MessageOrigin] = LruCache(MAX_KNOWN)

    def remember(self, data: JsonObject, words: str = "") -> None:
        """Keep what a message told, and its words."""
        number = text_or_empty(data, "msgId")
        if not number or len(number) > _MOST_TEXT:
            return
        found = MessageOrigin(
            conversation=text_or_empty(data, "conversationId")[:_MOST_TEXT],
            robot=text_or_empty(data, "robotCode")[:_MOST_TEXT],
            staff=text_or_empty(data, "senderStaffId")[:_MOST_TEXT],
            name=text_or_empty(data, "senderNick")[:_MOST_TEXT],
            webhook=self._webhook(text_or_empty(data, "sessionWebhook")),
            until=number_or(data.get("sessionWebhookExpiredTime"), 0.0) / 1000,
            words=words[:MOST_WORDS],
        )
        self._known.put(number, found)

    def get(self, message: str) -> MessageOrigin | None:
        """Return the origin of a message, if it is known."""
        return self._known.get(message)

    def words(self, message: str) -> str:
        """Return what a message said; "" where that is not known."""
        found = self._known.get(message)
        return "" if found is None else found.words

    def webhook(self, message: str) -> str:
        """Return the address that takes answers to a message; "" where there is none, or no more."""
        found = self._known.get(message)
        return found.webhook if found is not None and self._clock() < found.until - _EARLY else ""

    def _webhook(self, url: str) -> str:
        """Return an address of DingTalk's; "" for any other."""
        return url if len(url) <= _MOST_TEXT and _host(url) in self._hosts else ""


def _host(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ("", url)
    return parts.scheme, parts.netloc
