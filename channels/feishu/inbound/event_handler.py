"""Events from Feishu to the inbox. One is acknowledged only when it is on disk."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from parley.channels.feishu.inbound.event_parser import NAME, FeishuInboundMessage, parse_event
from parley.channels.feishu.inbound.quoted_messages import QuotedMessages
from parley.channels.feishu.inbound.recalled_messages import RecalledMessages
from parley.channels.feishu.inbound.user_lookup import FeishuUserLookup
from parley.channels.kit.fields import MALFORMED
from parley.channels.kit.keyed_lock import KeyedLock
from parley.channels.kit.retry import log_wait, retry
from parley.core.model.address import Conversation, User
from parley.core.model.bots import is_welcome
from parley.core.model.errors import ChannelError
from parley.core.model.options import ChannelOptions
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import Inbox
from parley.core.ports.no_core import no_rules

log = logging.getLogger(__name__)


class FeishuEventHandler:
    """Takes events: those of one chat one after the other, in the order in which they came.

    `me` is our own open id; `guests` are people of other tenants who may talk.
    """

    def __init__(
        self,
        inbox: Inbox,
        me: str,
        names: FeishuUserLookup,
        quotes: QuotedMessages,
        guests: frozenset[str],
        recalled: RecalledMessages,
        rules: Callable[[Conversation], ChannelOptions] = no_rules,
    ) -> None:
        self._inbox, self._me = inbox, me
        self._names, self._quotes = names, quotes
        self._guests = guests
        self._recalled, self._rules = recalled, rules
        self._lanes = KeyedLock()

    async def take(self, payload: bytes) -> bool:
        """Take an event: True when it is on disk, or none of ours; False when it shall come again."""
        recalled = await self._recalled.take(payload)
        if recalled is not None:
            return recalled
        heard = parse_or_skip(payload, self._me)
        if heard is None:
            return True
        self._recalled.hear(heard.id, heard.conversation)
        if heard.bot and not is_welcome(self._rules(heard.conversation).bots, _bot(heard)):
            return True
        if heard.foreign and heard.sender not in self._guests:
            log.info("feishu: %s of another tenant is not answered", heard.sender)
            return True
        async with self._lanes.hold(heard.conversation.chat):
            try:
                message = await self._complete(heard)
            except ChannelError as error:
                log.warning("feishu: message %s shall come again (%s)", heard.id, error)
                return False
            # Feishu waits three seconds and sends it again much later: it is tried here until it is stored.
            await retry(lambda: self._inbox.accept(message), log_wait(log, f"feishu: message {message.id}"))
            return True

    async def _complete(self, heard: FeishuInboundMessage) -> InboundMessage:
        """Return the message with what its event does not say. Raises ChannelError where that decides."""
        if heard.bot:
            who, quoted = _bot(heard), await self._quotes.get_quoted(heard)
        else:
            name, quoted = await asyncio.gather(
                self._names.get_name(heard.sender), self._quotes.get_quoted(heard)
            )
            who = User(NAME, heard.sender, name)
        return InboundMessage(
            id=heard.id,
            conversation=heard.conversation,
            sender=who,
            text=heard.text,
            addressed=heard.addressed or quoted.ours,
            private=heard.private,
            sent_at=heard.sent_at,
            attachments=(*heard.files, *quoted.files),
            quoted=quoted.text,
            replies_to=heard.parent,
        )


def _bot(heard: FeishuInboundMessage) -> User:
    """Return another bot: Feishu tells its open id and no name."""
    return User(NAME, heard.sender, bot=heard.sender)


def parse_or_skip(payload: bytes, me: str) -> FeishuInboundMessage | None:
    """Return the message in an event; rubbish is named in the log and skipped, or it would come for hours."""
    try:
        return parse_event(payload, me)
    except MALFORMED as error:
        log.warning(
            "feishu: an event of %d bytes cannot be read and is skipped: %s: %s",
            len(payload),
            type(error).__name__,
            str(error)[:200],
        )
        return None
