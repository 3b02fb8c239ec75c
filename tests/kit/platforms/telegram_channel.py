"""A channel, the simulated Telegram it talks to, and an inbox that keeps what it gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from parley.channels.kit.budget.rate_budget import RateBudget
from parley.channels.telegram.channel import TelegramChannel
from parley.channels.telegram.config import Config
from parley.channels.telegram.outbound.reply import TelegramReplyTiming
from parley.core.model.address import Conversation, User
from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.model.options import ChannelOptions, ContextOptions, ContextScope, MentionPolicy
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, ReplyTarget, SessionSettings
from parley.core.ports.channel import Channel, ChannelServices, CommandInfo
from parley.core.ports.journal import Document
from parley.simulator.telegram import SimulatedTelegramPeople, SimulatedTelegramPerson, TelegramSimulator
from tests.kit.doubles.leaping_clock import LeapingClock
from tests.kit.machine import patience
from tests.kit.waiting import until

COMMANDS = (
    CommandInfo("new", "Start anew"),
    CommandInfo("stop", "Stop"),
    CommandInfo("new", "开始新对话", "zh"),
    CommandInfo("Not A Command", "never shown"),
)


# On a machine at work the last draft, too, gets the time that it needs.
USUAL = TelegramReplyTiming(last_draft=patience(10))


class MemoryDocuments:
    """Documents that live as long as the test; away as often as it was told to be."""

    def __init__(self) -> None:
        self.bodies: dict[str, str] = {}
        self.refusals = 0
        self.refused = asyncio.Event()

    async def get(self, key: str) -> Document:
        if self.refusals > 0:
            self.refusals -= 1
            self.refused.set()
            raise StoreUnavailable("the disk is full")
        return Document(key, self.bodies.get(key, ""), int(key in self.bodies))

    async def set(self, document: Document) -> Document:
        if document.version != int(document.key in self.bodies):
            raise DocumentConflict("changed meanwhile")
        self.bodies[document.key] = document.body
        return replace(document, version=1)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> list[Document]:
        keys = sorted(key for key in self.bodies if key.startswith(prefix) and key > after)
        return [await self.get(key) for key in keys[:limit]]

    async def delete(self, key: str) -> None:
        self.bodies.pop(key, None)


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
        self._refuse()
        async with self._news:
            self.messages.append(message)
            self._news.notify_all()

    async def decide(self, click: Click) -> str:
        self._refuse()
        async with self._news:
            self.clicks.append(click)
            self._news.notify_all()
        return self.told

    def online(self) -> None:
        self.is_online.set()

    def _refuse(self) -> None:
        if self.refusals > 0:
            self.refusals -= 1
            self.refused.set()
            raise StoreUnavailable("the disk is full")

    async def first(self, count: int = 1) -> list[InboundMessage]:
        async with self._news, asyncio.timeout(patience(10)):
            await self._news.wait_for(lambda: len(self.messages) >= count)
        return self.messages[:count]

    async def pressed(self, count: int = 1) -> list[Click]:
        async with self._news, asyncio.timeout(patience(10)):
            await self._news.wait_for(lambda: len(self.clicks) >= count)
        return self.clicks[:count]


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

    sim: TelegramSimulator
    alice: SimulatedTelegramPerson
    channel: TelegramChannel
    folder: Path
    documents: MemoryDocuments = field(default_factory=MemoryDocuments)
    limits: LeapingClock | None = None

    @property
    def people(self) -> SimulatedTelegramPeople:
        return self.sim.people

    def say(self, text: str, **more) -> int:
        return self.people.say(self.alice.id, self.alice.id, text, **more)

    def answers(self, chat: int | None = None) -> tuple[str, ...]:
        return self.people.answers(self.alice.id if chat is None else chat)

    async def until(self, condition: Callable[[], object]) -> None:
        await until(condition, "it is as the test says", 10)

    def another_channel(self, **more) -> TelegramChannel:
        return make_channel(self.sim, self.folder, self.documents, limits=self.limits, **more)

    def target(self, chat: int | None = None, handle: str = "", reply_to: int = 0, topic: int | None = None):
        chat = self.alice.id if chat is None else chat
        return ReplyTarget(
            turn_id="turn-1",
            conversation=Conversation("telegram", str(chat), None if topic is None else str(topic)),
            reply_to=f"{chat}:{reply_to}",
            asker=User("telegram", str(self.alice.id), language="en"),
            private=chat > 0,
            handle=handle,
        )


def make_channel(
    sim: TelegramSimulator,
    folder: Path,
    documents: MemoryDocuments,
    rhythm: TelegramReplyTiming = USUAL,
    limits: LeapingClock | None = None,
    **more,
) -> TelegramChannel:
    """A channel on the simulator. With `limits` it waits for Telegram's limits by this clock."""
    settings: dict[str, Any] = {"bot_token": sim.token, "api_url": sim.api_url, "poll_timeout": 5} | more
    config = Config(**settings)
    rules = ChannelOptions(
        SessionSettings("agent"),
        mention=MentionPolicy(config.mention),
        earlier=ContextOptions(ContextScope(config.context_messages)),
    )
    services = ChannelServices(documents, folder, COMMANDS, rules=rules.at)
    made = TelegramChannel(config, services, rhythm)
    if limits is not None:
        made._api._bot._budget = RateBudget(limits.now, limits.sleep)
    return made


def snapshot(text: str, **more) -> OutboundMessage:
    return OutboundMessage("turn-1", Conversation("telegram", "1"), "1:1", text, **more)
