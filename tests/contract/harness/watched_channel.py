"""The channel as the core of a promise sees it: the real one, with somebody looking over its shoulder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parley.core.inbound.bus import MessageBus
from parley.core.model.attachments import Attachment, StoredFile
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.options import ChannelOptions
from parley.core.model.types import InboundMessage, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, Checkpoint, Inbox, Reply
from parley.core.ports.journal import Journal
from parley.core.ports.speech import HeardSpeech, SpeechRecognition


@dataclass
class Watch:
    """What was seen, and where to stand still.

    `heard` holds accepted messages and `receipts` what channels gave, over all processes. While
    `before_final` or `after_final` is set, final answers wait there, and are counted as `stopped`; questions
    wait at `after_asking`, and before and after they are settled at `before_settling` and `after_settling`.
    `finals` counts those given to the channel.
    """

    news: Callable[[], None]
    heard: list[InboundMessage] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    connections: int = 0
    before_final: bool = False
    after_final: bool = False
    after_asking: bool = False
    before_settling: bool = False
    after_settling: bool = False
    stopped: int = 0
    finals: int = 0

    async def stand_still(self) -> None:
        """Wait for the end of the process."""
        self.stopped += 1
        self.news()
        await asyncio.Event().wait()


class WatchedBus(MessageBus):
    """Notes what it took."""

    def __init__(
        self,
        journal: Journal,
        options: Mapping[str, ChannelOptions],
        watch: Watch,
        without_history: Collection[str] = (),
    ) -> None:
        super().__init__(journal, options, without_history=without_history)
        self._watch = watch

    async def publish_inbound(self, message: InboundMessage) -> bool:
        new = await super().publish_inbound(message)
        if new:
            self._watch.heard.append(message)
            self._watch.news()
        return new


class WatchedReply(Reply):
    def __init__(self, inner: Reply, watch: Watch) -> None:
        self._inner = inner
        self._watch = watch

    async def show(self, snapshot: OutboundMessage) -> None:
        await self._inner.show(snapshot)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        if self._watch.before_final:
            await self._watch.stand_still()
        self._watch.finals += 1
        self._watch.news()
        receipt = await self._inner.finish(snapshot)
        if self._watch.after_final or (self._watch.after_asking and snapshot.question is not None):
            await self._watch.stand_still()
        self._watch.receipts.append(receipt)
        return receipt

    async def settle(self, snapshot: OutboundMessage) -> None:
        if self._watch.before_settling:
            await self._watch.stand_still()
        await self._inner.settle(snapshot)
        if self._watch.after_settling:
            await self._watch.stand_still()


class WatchedChannel(Channel):
    def __init__(self, inner: Channel, watch: Watch) -> None:
        self.name, self.platform = inner.name, inner.platform
        self.capabilities = inner.capabilities
        self._inner = inner
        self._watch = watch

    async def listen(self, inbox: Inbox) -> None:
        self._watch.connections += 1
        await self._inner.listen(inbox)

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return WatchedReply(self._inner.open_reply(target, checkpoint), self._watch)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        return await self._inner.fetch(attachment, into, limit)

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        return await self._inner.earlier_messages(request)

    @property
    def recognizes(self) -> bool:
        return isinstance(self._inner, SpeechRecognition) and self._inner.recognizes

    async def recognize(self, file: StoredFile) -> HeardSpeech:
        assert isinstance(self._inner, SpeechRecognition)
        return await self._inner.recognize(file)
