"""Frames on their way to the disk.

Whether DingTalk hands a message over again that was not acknowledged is not sure. So whatever was read from a
connection waits here until it is durable: while the store is away, and also when the connection is gone.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from dataclasses import dataclass

from parley.channels.dingtalk.inbound.card_callbacks import CardCallbackQueue, SendAnswer
from parley.channels.dingtalk.inbound.message_parser import ParseOptions, is_unpublished, parse_message
from parley.channels.dingtalk.inbound.quoted_words import QuotedWords
from parley.channels.dingtalk.inbound.unpublished import UnpublishedNotice
from parley.channels.dingtalk.sdk import CARD_CALLBACKS, AckMessage, CallbackHandler, CallbackMessage
from parley.channels.dingtalk.user_lookup import DingTalkUserLookup
from parley.channels.kit.fields import MALFORMED
from parley.channels.kit.retry import retry
from parley.core.model.errors import StoreUnavailable
from parley.core.model.types import InboundMessage, JsonObject
from parley.core.ports.channel import Inbox

log = logging.getLogger(__name__)

MAX_QUEUED = 10_000
"""Frames that may wait; when there are more, the connection is not read on."""
_FAREWELL = 2.0


@dataclass(frozen=True, slots=True)
class InboundContext:
    """What messages are read with, and what is learned from them."""

    people: DingTalkUserLookup
    quotes: QuotedWords
    unpublished: UnpublishedNotice


class ChatbotMessageHandler(CallbackHandler):  # type: ignore[misc]
    """The SDK's handler for the robot's messages; it acknowledges them once they are durable."""

    def __init__(self, manner: ParseOptions, context: InboundContext, inbox: Inbox) -> None:
        super().__init__()
        self._manner = manner
        self._context = context
        self._inbox = inbox
        self.patient = True

    async def process(self, callback: CallbackMessage) -> tuple[int, str]:
        """Have a message accepted, trying for as long as the store is away. Raises StoreUnavailable only
        when there is no patience left."""
        message = parse_or_skip(callback.data, self._manner)
        if message is not None:
            self._context.unpublished.seen = False
            self._context.people.remember(message.sender, callback.data)
            message = await self._context.quotes.completed(message, callback.data)
            await self._accept(message)
        elif isinstance(callback.data, dict) and is_unpublished(callback.data):
            self._context.unpublished.tell(callback.data)
        return AckMessage.STATUS_OK, "OK"

    async def _accept(self, message: InboundMessage) -> None:
        def waits(error: Exception) -> None:
            if not self.patient:
                raise error
            log.debug("dingtalk: message %s waits, the store is away (%s)", message.id, error)

        await retry(lambda: self._inbox.accept(message), waits)


class InboundQueue:
    """A queue that outlives connections; `presses` has one of its own, or none where there are no buttons."""

    def __init__(
        self,
        manner: ParseOptions,
        context: InboundContext,
        presses: CardCallbackQueue | None,
    ) -> None:
        self._manner = manner
        self._context = context
        self._presses = presses
        self._waiting: deque[tuple[CallbackMessage, SendAnswer]] = deque()
        self._changed = asyncio.Condition()

    async def put(self, frame: JsonObject, answer: SendAnswer) -> None:
        """Take a frame; returns when there is room. Rubbish is named in the log and skipped."""
        try:
            callback = CallbackMessage.from_dict(dict(frame))
        except MALFORMED as error:
            log.warning("dingtalk: a frame cannot be read and is skipped: %s", type(error).__name__)
            return
        if self._presses is not None and callback.headers.topic == CARD_CALLBACKS:
            await self._presses.put(callback, answer)
            return
        async with self._changed:
            await self._changed.wait_for(lambda: len(self._waiting) < MAX_QUEUED)
            self._waiting.append((callback, answer))
            self._changed.notify_all()

    async def run(self, inbox: Inbox) -> None:
        """Hand messages over, in order, until cancelled; then the rest, if the store is there."""
        hearing = ChatbotMessageHandler(self._manner, self._context, inbox)
        try:
            while True:
                async with self._changed:
                    await self._changed.wait_for(lambda: self._waiting)
                await self._next(hearing)
        finally:
            await self._farewell(hearing)

    async def _farewell(self, hearing: ChatbotMessageHandler) -> None:
        hearing.patient = False
        try:
            async with asyncio.timeout(_FAREWELL):
                while self._waiting:
                    await self._next(hearing)
        except (StoreUnavailable, TimeoutError) as error:
            log.warning("dingtalk: %d messages wait for the store (%s)", len(self._waiting), error)

    async def _next(self, hearing: ChatbotMessageHandler) -> None:
        """Handle the oldest frame. It stays the oldest while it is not on disk."""
        callback, answer = self._waiting[0]
        try:
            ack = await hearing.raw_process(callback)
        except (asyncio.CancelledError, StoreUnavailable):
            raise
        except Exception:
            # Handled again, it would only fail again, and hold up all others.
            await self._done()
            raise
        await self._done()
        await answer(json.dumps(ack.to_dict()))

    async def _done(self) -> None:
        async with self._changed:
            self._waiting.popleft()
            self._changed.notify_all()


def parse_or_skip(data: object, manner: ParseOptions) -> InboundMessage | None:
    """Return the message in a frame; rubbish is named in the log and skipped."""
    try:
        if not isinstance(data, dict):
            raise TypeError("not an object")
        message = parse_message(data, manner, time.time())
    except MALFORMED as error:
        kind = data.get("msgtype") if isinstance(data, dict) else "?"
        log.warning("dingtalk: a message (%.40s) cannot be read and is skipped: %.100s", kind, error)
        return None
    if message is None and not is_unpublished(data):
        log.info("dingtalk: a message of kind %.40s holds nothing for us", data.get("msgtype"))
    return message
