"""What a message said that is answered: an event tells its id only."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.errors import ScopeMissing
from parley.channels.feishu.inbound.event_parser import FeishuInboundMessage
from parley.channels.feishu.inbound.forwarded_conversation import ForwardedConversations, unopened
from parley.channels.feishu.inbound.listed_message import parse_listed
from parley.channels.kit.fields import object_or_empty
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
    """Messages that are answered. Our own are remembered: as cards they are hard to read back.

    A forwarded conversation quotes what is in it.
    """

    def __init__(
        self, api: FeishuApi, me: str, ours: LruCache[str], forwarded: ForwardedConversations
    ) -> None:
        self._api, self._me, self._ours = api, me, ours
        self._forwarded = forwarded
        self._topics: LruCache[bool] = LruCache(10_000)

    async def get_quoted(self, heard: FeishuInboundMessage) -> QuotedMessage:
        """Return what `heard` answers. In a topic everything answers its opening, which is told once only.

        Raises ChannelUnavailable, RateLimited where it depends on the answer whether we are meant.
        """
        topic = heard.conversation.topic
        if heard.forwards:
            return await self._opened(heard.id)
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

    async def _opened(self, message: str) -> QuotedMessage:
        try:
            return QuotedMessage(await self._forwarded.text_of(message))
        except ChannelError as error:
            log.info("feishu: a forwarded conversation cannot be read (%s)", error)
            return QuotedMessage(unopened(error))

    async def _find(self, heard: FeishuInboundMessage) -> QuotedMessage:
        text = self._ours.get(heard.parent)
        if text is not None:
            return QuotedMessage(text[:MOST_QUOTED], ours=True)
        try:
            return await self._fetch(heard.parent)
        except ScopeMissing as error:
            log.info("feishu: a quoted message may not be read (%s)", error)
            return QuotedMessage(unopened(error))
        except DeliveryRejected as error:
            log.info("feishu: a quoted message is not to be had (%s)", error)
        except ChannelError as error:
            if not heard.addressed:
                raise
            log.info("feishu: a quoted message is left out (%s)", error)
        return NO_QUOTE

    async def _fetch(self, message: str) -> QuotedMessage:
        items = await self._api.message(message)
        ours = object_or_empty(items[0], "sender").get("id") == self._api.app_id
        try:
            found = parse_listed(items[0], self._me)
        except ValueError:
            found = None
        if found is None:
            return QuotedMessage(ours=ours)
        if found.forwards:
            return QuotedMessage(await self._forwarded.read(message, items), ours=ours)
        # What we sent ourselves the agent knows already.
        return QuotedMessage(found.text[:MOST_QUOTED], () if ours else found.files, ours)
