"""A channel, the simulated DingTalk it talks to, and an inbox that keeps what it gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from parley.channels.dingtalk.channel import DingTalkChannel, create
from parley.channels.dingtalk.config import Config
from parley.core.model.address import Conversation, User
from parley.core.model.errors import StoreUnavailable
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, ReplyTarget
from parley.core.ports.channel import Channel, ChannelServices
from parley.simulator.dingtalk import DingTalkSimulator, SimulatedDingTalkPeople, SimulatedDingTalkPerson
from tests.kit.doubles.kept_documents import KeptDocuments
from tests.kit.machine import patience
from tests.kit.waiting import until


class KeepingInbox:
    """Keeps what it is given; refuses as often as it was told to, and holds while `open` is not set."""

    def __init__(self, refusals: int = 0) -> None:
        self.messages: list[InboundMessage] = []
        self.refusals = refusals
        self.asked = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()
        self.is_online = asyncio.Event()
        self._news = asyncio.Condition()

    async def accept(self, message: InboundMessage) -> None:
        self.asked.set()
        await self.open.wait()
        if self.refusals > 0:
            self.refusals -= 1
            raise StoreUnavailable("the disk is full")
        async with self._news:
            self.messages.append(message)
            self._news.notify_all()

    async def decide(self, click: Click) -> str:
        raise NotImplementedError

    def online(self) -> None:
        self.is_online.set()

    async def first(self, count: int = 1) -> list[InboundMessage]:
        async with self._news, asyncio.timeout(patience(10)):
            await self._news.wait_for(lambda: len(self.messages) >= count)
        return self.messages[:count]


@asynccontextmanager
async def listening(channel: Channel, inbox: KeepingInbox) -> AsyncIterator[None]:
    task = asyncio.create_task(channel.listen(inbox))
    try:
        online = asyncio.create_task(inbox.is_online.wait())
        await asyncio.wait({task, online}, return_when=asyncio.FIRST_COMPLETED, timeout=patience(10))
        online.cancel()
        if task.done():
            task.result()
        yield
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
    """What a test needs."""

    sim: DingTalkSimulator
    alice: SimulatedDingTalkPerson
    channel: DingTalkChannel

    @property
    def people(self) -> SimulatedDingTalkPeople:
        return self.sim.people

    def say(self, text: str, **more) -> str:
        return self.people.say(self.alice.id, self.alice.id, text, **more)

    def answers(self, place: str = "") -> tuple[str, ...]:
        return self.people.answers(place or self.alice.id)

    async def until(self, condition: Callable[[], object]) -> None:
        await until(condition, "it is as the test says", 10)

    def another_channel(self, **more) -> DingTalkChannel:
        return make_channel(self.sim, **more)

    def carded(self, **more) -> DingTalkChannel:
        return make_channel(self.sim, card_template_id=self.sim.template, **more)

    def target(self, group: str = "", handle: str = "", turn: str = "turn-1"):
        return ReplyTarget(
            turn_id=turn,
            conversation=Conversation("dingtalk", group or self.alice.id),
            reply_to="msg1",
            asker=User("dingtalk", self.alice.id),
            private=not group,
            handle=handle,
        )


def make_channel(sim: DingTalkSimulator, name: str = "", **more) -> DingTalkChannel:
    settings = {
        "client_id": sim.client_id,
        "client_secret": sim.client_secret,
        "api_url": sim.url,
        "oapi_url": sim.url,
        "card_template_id": "off",
    }
    return create(Config(**settings | more), ChannelServices(KeptDocuments(), Path(), (), name=name))


def snapshot(text: str, **more) -> OutboundMessage:
    return OutboundMessage("turn-1", Conversation("dingtalk", "1"), "msg1", text, **more)
