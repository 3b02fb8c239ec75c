"""A channel, the simulated Feishu it talks to, and an inbox that keeps what it gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from parley.channels.feishu.channel import FeishuChannel, create
from parley.channels.feishu.config import Config
from parley.core.model.address import Conversation, User
from parley.core.model.errors import StoreUnavailable
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, ReplyTarget
from parley.core.ports.channel import Channel, ChannelServices
from parley.core.ports.no_core import tell_nothing
from parley.core.ports.speech import NO_SPEECH, SpeechDecoder
from parley.simulator.feishu import (
    FeishuSimulator,
    FeishuSimulatorTiming,
    SeenFeishuMessage,
    SimulatedFeishuPeople,
    SimulatedFeishuPerson,
)
from tests.kit.doubles.no_documents import NoDocuments
from tests.kit.machine import patience
from tests.kit.waiting import until

QUICK = FeishuSimulatorTiming(ack=5.0, redelivery=(0.2,) * 20)


class KeepingInbox:
    """Keeps what it is given; refuses as often as it was told to."""

    def __init__(self, refusals: int = 0) -> None:
        self.messages: list[InboundMessage] = []
        self.clicks: list[Click] = []
        self.told = "Noted."
        self.refusals = refusals
        self.is_online = asyncio.Event()
        self.refused = asyncio.Event()
        self._news = asyncio.Condition()

    async def accept(self, message: InboundMessage) -> None:
        if self.refusals > 0:
            self.refusals -= 1
            self.refused.set()
            raise StoreUnavailable("the disk is full")
        async with self._news:
            self.messages.append(message)
            self._news.notify_all()

    async def decide(self, click: Click) -> str:
        if self.refusals > 0:
            self.refusals -= 1
            self.refused.set()
            raise StoreUnavailable("the disk is full")
        async with self._news:
            self.clicks.append(click)
            self._news.notify_all()
        return self.told

    async def pressed(self, count: int = 1) -> list[Click]:
        async with self._news, asyncio.timeout(patience(15)):
            await self._news.wait_for(lambda: len(self.clicks) >= count)
        return self.clicks[:count]

    def online(self) -> None:
        self.is_online.set()

    async def first(self, count: int = 1) -> list[InboundMessage]:
        async with self._news, asyncio.timeout(patience(15)):
            await self._news.wait_for(lambda: len(self.messages) >= count)
        return self.messages[:count]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]


@asynccontextmanager
async def listening(channel: Channel, inbox: KeepingInbox) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(channel.listen(inbox))
    try:
        online = asyncio.create_task(inbox.is_online.wait())
        await asyncio.wait({task, online}, return_when=asyncio.FIRST_COMPLETED, timeout=patience(10))
        online.cancel()
        if task.done():
            task.result()
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@dataclass
class Notes:
    """Checkpoints, newest last."""

    all: list[str] = field(default_factory=list)

    async def __call__(self, handle: str) -> None:
        self.all.append(handle)

    @property
    def last(self) -> str:
        return self.all[-1] if self.all else ""


@dataclass
class World:
    """What a test needs. `ann` talks to the bot alone unless a chat is named."""

    sim: FeishuSimulator
    ann: SimulatedFeishuPerson
    channel: FeishuChannel
    folder: Path

    @property
    def people(self) -> SimulatedFeishuPeople:
        return self.sim.people

    @property
    def faults(self):
        return self.sim.faults

    def say(self, text: str, chat: str = "", **more) -> str:
        return self.people.say(chat or self.ann.chat, self.ann.open_id, text, **more)

    def group(self, **more) -> str:
        return self.people.add_group("Team", [self.ann.open_id], **more)

    def seen(self, chat: str = "") -> list[SeenFeishuMessage]:
        return [message for message in self.people.messages(chat or self.ann.chat) if message.from_bot]

    def answers(self, chat: str = "") -> list[str]:
        return list(self.people.answers(chat or self.ann.chat))

    def count(self, *names: str) -> int:
        return len(self.sim.calls(*names))

    async def until(self, condition: Callable[[], object]) -> None:
        await until(condition, "it is as the test says", 10)

    def another_channel(self, **more) -> FeishuChannel:
        return make_channel(self.sim, self.folder, **more)

    def reply(self, notes: Notes, channel: FeishuChannel | None = None, **more):
        return (channel or self.channel).open_reply(self.target(**more), notes)

    def target(self, chat: str = "", handle: str = "", reply_to: str = "om_none", topic: str | None = None):
        return ReplyTarget(
            turn_id="turn-1",
            conversation=Conversation("feishu", chat or self.ann.chat, topic),
            reply_to=reply_to,
            asker=User("feishu", self.ann.open_id),
            private=not chat,
            handle=handle,
        )


def make_channel(
    sim: FeishuSimulator, folder: Path, outcome=tell_nothing, decoder: SpeechDecoder = NO_SPEECH, **more
) -> FeishuChannel:
    settings = {"app_id": sim.world.app_id, "app_secret": sim.world.secret, "domain": sim.url} | more
    services = ChannelServices(NoDocuments(), folder, (), outcome=outcome, decoder=decoder)
    return create(Config(**settings), services)


def snapshot(text: str, **more) -> OutboundMessage:
    return OutboundMessage("turn-1", Conversation("feishu", "oc_1"), "om_1", text, **more)
