"""What a message said that is answered: an event tells its id only."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.inbound.event_parser import FeishuInboundMessage, resolve_mentions
from parley.channels.feishu.inbound.message_content import parse_content
from parley.channels.kit.fields import json_object
from parley.channels.kit.lru import LruCache
from parley.core.model.attachments import Attachment
from parley.core.model.errors import ChannelError, DeliveryRejected

log = logging.getLogger(__name__)

MOST_QUOTED = 4000


@dataclass(frozen=True, slots=True)
class QuotedMessage:
    """The message that is answered: its words and files, and whether it is ours."""

    text: str = ""
    files: tuple[Attachment, ...] = ()
    ours: bool = False


NO_QUOTE = QuotedMessage()


class QuotedMessages:
    """Messages that are answered. Our own are remembered: as cards they are hard to read back."""

    def __init__(self, api: FeishuApi, me: str, ours: LruCache[str]) -> None:
        self._api, self._me, self._ours = api, me, ours
        self._topics: LruCache[bool] = LruCache(10_000)

    async def get_quoted(self, heard: FeishuInboundMessage) -> QuotedMessage:
        """Return what `heard` answers. In a topic everything answers its opening, which is told once only.

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
