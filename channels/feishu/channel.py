"""The Feishu adapter."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import ClassVar

from parley.channels.feishu import codec
from parley.channels.feishu.api import Api
from parley.channels.feishu.carrier import Rungs
from parley.channels.feishu.config import Config
from parley.channels.feishu.formatting import MOST
from parley.channels.feishu.inbound import NAME
from parley.channels.feishu.intake import Intake
from parley.channels.feishu.longconn import Endpoint, LongConnection, Taken, opened
from parley.channels.feishu.lookup import Names, Quotes
from parley.channels.feishu.pacing import Budget
from parley.channels.feishu.presses import Presses
from parley.channels.feishu.recent import Recent
from parley.channels.feishu.replies import FeishuReply, Shared
from parley.channels.kit.files import over
from parley.core.ports import (
    Admission,
    Capabilities,
    Channel,
    ChannelServices,
    Checkpoint,
    Inbox,
    Reply,
    Streaming,
    TextUnit,
)
from parley.core.types import Attachment, ReplyTarget

log = logging.getLogger(__name__)

_MOST_SAID = 2000


def create(config: Config, services: ChannelServices) -> FeishuChannel:
    """The channel as configured. Raises ConfigError when the SDK is not one that we know."""
    codec.check()
    return FeishuChannel(config)


class FeishuChannel(Channel):
    """One app's bot, on a long connection."""

    name: ClassVar[str] = NAME

    def __init__(self, config: Config) -> None:
        self.capabilities = Capabilities(
            streaming=Streaming.NATIVE,
            max_chars=MOST,
            unit=TextUnit.BYTES,
            edit_interval=0.3,
            group_edit_interval=0.5,
            buttons=True,
            edits=True,
            threads=True,
            max_file_in=config.max_file_in,
            max_file_out=config.max_file_out,
        )
        self._guests = frozenset(config.allowed_users) - {"*"}
        self._api = Api(config)
        self._names = Names(self._api)
        self._shared = Shared(self._api, Rungs(), Budget(), Recent(_MOST_SAID))

    async def preflight(self) -> Admission:
        """Ask Feishu for an access token, and who the bot is."""
        async with self._api.connected():
            await self._api.tokens.renew()
            return Admission(await self._api.me())

    async def listen(self, inbox: Inbox) -> None:
        """Take events until the connection ends, which always raises.

        Raises AuthenticationRefused for wrong credentials and apps without a bot, else ChannelUnavailable.
        """
        async with self._api.connected() as session:
            await self._api.tokens.renew()
            me, where = await asyncio.gather(self._api.me(), self._api.endpoint())
            endpoint = Endpoint.read(where)
            quotes = Quotes(self._api, me, self._shared.said)
            intake = Intake(inbox, me, self._names, quotes, self._guests)
            presses = self._presses(inbox)

            async def take(payload: bytes) -> Taken:
                return await presses.take(payload) or Taken(await intake.take(payload))

            async with opened(session, endpoint) as socket:
                inbox.online()
                log.info("feishu: listening as %s", me)
                await LongConnection(socket, endpoint, take).run(self._api.tokens.keep_fresh)

    def _presses(self, inbox: Inbox) -> Presses:
        return Presses(inbox, self._names, self._guests)

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """A reply in the target's chat and topic; in groups it answers the message it is for."""
        return FeishuReply(self._shared, target, checkpoint)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Stream a file of a message."""
        most = min(limit, self.capabilities.max_file_in)
        if attachment.size > most:
            raise over(most)
        return await self._api.fetch(attachment.handle, into, most)
