"""What a quote says where DingTalk leaves its words out: of our own messages, and of those that we heard."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from parley.channels.dingtalk.inbound.message_parser import parse_quote
from parley.channels.dingtalk.message_origins import MessageOrigins
from parley.channels.dingtalk.sent_messages import SentMessages
from parley.channels.kit.text import wellformed
from parley.core.model.types import InboundMessage, JsonObject


class QuotedWords:
    """Looks quotes up. `clock` gives Unix time."""

    def __init__(
        self, origins: MessageOrigins, said: SentMessages, clock: Callable[[], float] = time.time
    ) -> None:
        self._origins = origins
        self._said = said
        self._clock = clock

    async def completed(self, message: InboundMessage, data: JsonObject) -> InboundMessage:
        """Return a message with the words of what it quotes, and remember it for quotes to come."""
        spoken = " ".join(file.transcript for file in message.attachments if file.transcript)
        self._origins.remember(data, message.text or spoken)
        if message.quoted or data.get("msgtype") != "text":
            return message
        found = parse_quote(data)
        if not (found.quotes or found.original or found.quoted_at):
            return message
        heard = self._origins.words(found.original)
        quoted = heard or await self._said.find(
            message.conversation, found.quotes, found.quoted_at, self._clock()
        )
        return replace(
            message, quoted=wellformed(quoted).strip(), replies_to=found.quotes or message.replies_to
        )
