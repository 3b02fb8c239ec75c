"""The Feishu adapter."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.config import Config
from parley.channels.feishu.formatting import MAX_CARD_BYTES
from parley.channels.feishu.inbound import frame_codec
from parley.channels.feishu.inbound.card_actions import CardActionHandler
from parley.channels.feishu.inbound.earlier_messages import FeishuHistory
from parley.channels.feishu.inbound.event_handler import FeishuEventHandler
from parley.channels.feishu.inbound.event_parser import NAME
from parley.channels.feishu.inbound.forwarded_conversation import ForwardedConversations
from parley.channels.feishu.inbound.quoted_messages import QuotedMessages
from parley.channels.feishu.inbound.user_lookup import FeishuUserLookup
from parley.channels.feishu.inbound.websocket import Endpoint, EventResult, LongConnection, open_websocket
from parley.channels.feishu.outbound.message_part import RenderLevelPolicy
from parley.channels.feishu.outbound.rate_limit import RateBudget
from parley.channels.feishu.outbound.reply import FeishuReply, FeishuReplyContext
from parley.channels.kit.files import file_too_large
from parley.channels.kit.lru import LruCache
from parley.core.model.address import Conversation
from parley.core.model.attachments import Attachment
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.errors import DeliveryRejected
from parley.core.model.options import ChannelOptions
from parley.core.model.types import ReplyTarget
from parley.core.ports.channel import (
    Capabilities,
    Channel,
    ChannelServices,
    Checkpoint,
    Inbox,
    PreflightResult,
    Reply,
    no_rules,
)

log = logging.getLogger(__name__)

_MOST_SAID = 2000
HISTORY_SCOPES = (
    (
        "im:message:readonly",
        frozenset({"im:message", "im:message:readonly", "im:message.history:readonly"}),
    ),
    ("im:message.group_msg", frozenset({"im:message.group_msg"})),
)
"""What reading earlier messages takes: a name for people, and the scopes any of which will do."""


def create(config: Config, services: ChannelServices) -> FeishuChannel:
    """Return the channel as configured. Raises ConfigError when the SDK is not one that we know."""
    frame_codec.check()
    return FeishuChannel(config, services.rules)


class FeishuChannel(Channel):
    """One app's bot, on a long connection."""

    name = NAME

    def __init__(self, config: Config, rules: Callable[[Conversation], ChannelOptions] = no_rules) -> None:
        self.capabilities = Capabilities(
            max_chars=MAX_CARD_BYTES,
            edit_interval=0.3,
            group_edit_interval=0.5,
            buttons=True,
            edits=True,
            history=True,
        )
        self._config = config
        self._rules = rules
        self._me = ""
        self._max_file_in = config.max_file_in
        self._guests = frozenset(config.allowed_users) - {"*"}
        self._api = FeishuApi(config)
        self._names = FeishuUserLookup(self._api)
        self._shared = FeishuReplyContext(self._api, RenderLevelPolicy(), RateBudget(), LruCache(_MOST_SAID))

    async def preflight(self) -> PreflightResult:
        """Ask Feishu for an access token, and who the bot is."""
        async with self._api.connected():
            await self._api.tokens.renew()
            return PreflightResult(await self._api.me(), await self._lacking())

    async def listen(self, inbox: Inbox) -> None:
        """Take events until the connection ends, which always raises.

        Raises AuthenticationRefused for wrong credentials and apps without a bot, else ChannelUnavailable.
        """
        async with self._api.connected() as session:
            await self._api.tokens.renew()
            me, where = await asyncio.gather(self._api.me(), self._api.endpoint())
            self._me, endpoint = me, Endpoint.read(where)
            forwarded = ForwardedConversations(self._api, self._names, me)
            quotes = QuotedMessages(self._api, me, self._shared.said, forwarded)
            intake = FeishuEventHandler(inbox, me, self._names, quotes, self._guests, self._rules)
            presses = self._presses(inbox)

            async def take(payload: bytes) -> EventResult:
                return await presses.take(payload) or EventResult(await intake.take(payload))

            async with open_websocket(session, endpoint) as socket:
                inbox.online()
                log.info("feishu: listening as %s", me)
                await LongConnection(socket, endpoint, take).run(self._api.tokens.keep_fresh)

    def _presses(self, inbox: Inbox) -> CardActionHandler:
        return CardActionHandler(inbox, self._names, self._guests)

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """Return a reply in the target's chat and topic; in groups it answers the message it is for."""
        return FeishuReply(self._shared, target, checkpoint)

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        """Return what was said above a message, from its topic or its chat."""
        async with self._api.connected():
            # A turn may go on before listening has begun.
            self._me = self._me or await self._api.me()
            return await FeishuHistory(self._api, self._names, self._me, self._guests).read(request)

    async def _lacking(self) -> tuple[tuple[str, str], ...]:
        """Return the permissions that reading earlier messages needs and the app was not given."""
        if not self._config.context_scopes:
            return ()
        try:
            granted = await self._api.granted_scopes()
        except DeliveryRejected as error:
            log.info("feishu: what the app may do is not to be known (%s)", error)
            return ()
        missing = [name for name, ways in HISTORY_SCOPES if not ways & granted]
        if not missing:
            return ()
        text = f"the app lacks scopes for the messages above a mention: {', '.join(missing)}; add them under"
        remedy = "Permissions & Scopes and publish a version, or set context_messages: off"
        return (("app_id", f"{text} {remedy}"),)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Stream a file of a message."""
        most = min(limit, self._max_file_in)
        if attachment.size > most:
            raise file_too_large(most)
        return await self._api.fetch(attachment.handle, into, most)
