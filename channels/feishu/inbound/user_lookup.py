"""What an event does not say: who somebody is, and what the message said that they answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.errors import ScopeMissing
from parley.channels.feishu.inbound.event_parser import FeishuInboundMessage, resolve_mentions
from parley.channels.feishu.inbound.message_content import parse_content
from parley.channels.kit.fields import json_object
from parley.channels.kit.lru import LruCache
from parley.channels.kit.user_cache import UserCache
from parley.core.model.attachments import Attachment
from parley.core.model.errors import ChannelError, DeliveryRejected

log = logging.getLogger(__name__)

MOST_QUOTED = 4000
_NAME_LIFE = 86_400.0
_UNKNOWN_LIFE = 600.0


@dataclass(frozen=True, slots=True)
class QuotedMessage:
    """The message that is answered: its words and files, and whether it is ours."""

    text: str = ""
    files: tuple[Attachment, ...] = ()
    ours: bool = False


NO_QUOTE = QuotedMessage()


class FeishuUserLookup:
    """People's names, kept for a day. `clock` is monotonic."""

    def __init__(self, api: FeishuApi, clock: Callable[[], float] = time.monotonic) -> None:
        self._api, self._clock = api, clock
        self._known: UserCache[str] = UserCache(clock)
        self._not_before = 0.0

    async def get_name(self, person: str) -> str:
        """A person's name, or "" where Feishu does not tell."""
        found = self._known.fresh(person)
        if found is not None:
            return found
        if self._clock() < self._not_before:
            return ""
        name, life = "", _UNKNOWN_LIFE
        try:
            name, life = await self._api.name_of(person), _NAME_LIFE
        except ScopeMissing as error:
            log.info("feishu: people's names are not known to the agent (%s)", error)
            self._not_before = self._clock() + _UNKNOWN_LIFE
        except ChannelError as error:
            log.info("feishu: a name could not be looked up (%s)", error)
            life = 5.0
        return self._known.put(person, name, life)


class QuotedMessages:
    """Messages that are answered. Our own are remembered: as cards they are hard to read back."""

    def __init__(self, api: FeishuApi, me: str, ours: LruCache[str]) -> None:
        self._api, self._me, self._ours = api, me, ours
        self._topics: LruCache[bool] = LruCache(10_000)

    async def get_quoted(self, heard: FeishuInboundMessage) -> QuotedMessage:
        """What `heard` answers. In a topic everything answers its opening, which is told once only.

        Raises ChannelUnavailable, RateLimited where it depends on the answer whether we are meant.
        """
        topic = heard.conversation.topic
        if not heard.parent:
            return NO_QUOTE
        if topic is not None and heard.parent == heard.root:
            known = self._topics.get(topic)
            if known is not None:
                return QuotedMessage(ours=known)
            found = await self._find(heard)
            self._topics.put(topic, found.ours)
            return found
        return await self._find(heard)

    async def _find(self, heard: FeishuInboundMessage) -> QuotedMessage:
        text = self._ours.get(heard.parent)
        if text is not None:
            return QuotedMessage(text[:MOST_QUOTED], ours=True)
        try:
            return await self._fetch(heard.parent)
        except DeliveryRejected as error:
            log.info("feishu: a quoted message is not to be had (%s)", error)
        except ChannelError as error:
            if not heard.addressed:
                raise
            log.info("feishu: a quoted message is left out (%s)", error)
        return NO_QUOTE

    async def _fetch(self, message: str) -> QuotedMessage:
        found = await self._api.message(message)
        try:
            what = parse_content(found.kind, json_object(found.content), message)
        except ValueError:
            return QuotedMessage(ours=found.ours)
        text, _ = resolve_mentions(what.text, found.mentions, self._me)
        # What we sent ourselves the agent knows already.
        return QuotedMessage(text[:MOST_QUOTED], () if found.ours else what.files, found.ours)
