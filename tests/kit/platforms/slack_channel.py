"""What a test of the Slack channel needs: a simulated Slack, a person, a channel, an inbox."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from parley.channels.kit.budget.rate_budget import RateBudget
from parley.channels.slack.channel import SlackChannel
from parley.channels.slack.config import HOOK_PATH, Config
from parley.channels.slack.inbound.socket_mode import SocketTiming
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.model.address import Conversation, User
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import ChannelUnavailable, RateLimited, StoreUnavailable
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, Reply
from parley.simulator.slack import SimulatedSlackPeople, SimulatedSlackPerson, SlackSimulator
from tests.kit.doubles.leaping_clock import LeapingClock
from tests.kit.machine import patience
from tests.kit.waiting import until


class KeepingInbox:
    """Keeps what it is given; refuses as often as it was told to."""

    def __init__(self, refusals: int = 0) -> None:
        self.messages: list[InboundMessage] = []
        self.clicks: list[Click] = []
        self.refusals = refusals
        self.onlines = 0
        self.is_online = asyncio.Event()
        self._news = asyncio.Condition()

    async def accept(self, message: InboundMessage) -> None:
        if self.refusals > 0:
            self.refusals -= 1
            raise StoreUnavailable("the disk is full")
        async with self._news:
            self.messages.append(message)
            self._news.notify_all()

    async def decide(self, click: Click) -> str:
        self.clicks.append(click)
        return ""

    def online(self) -> None:
        self.onlines += 1
        self.is_online.set()

    async def first(self, count: int = 1) -> list[InboundMessage]:
        async with self._news, asyncio.timeout(patience(10)):
            await self._news.wait_for(lambda: len(self.messages) >= count)
        return self.messages[:count]


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


@asynccontextmanager
async def served(channel: SlackChannel) -> AsyncIterator[str]:
    """A channel that is posted to, in a console that is for this machine only; gives its address."""
    server = HttpServer(ConsoleOptions(port=0, token="nobody-needs-it"), (), tuple, webhooks=channel.routes())
    up = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(server.run(up.set_result))
    try:
        yield f"{await up}{HOOK_PATH}"
    finally:
        running.cancel()
        await asyncio.wait([running])


@dataclass
class Notes:
    """Checkpoints, newest last."""

    all: list[str] = field(default_factory=list)

    async def __call__(self, handle: str) -> None:
        self.all.append(handle)

    @property
    def last(self) -> str:
        return self.all[-1] if self.all else ""


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class World:
    """What a test needs. With `limits` channels wait for Slack's limits by this clock."""

    sim: SlackSimulator
    alice: SimulatedSlackPerson
    limits: LeapingClock | None = None

    @property
    def people(self) -> SimulatedSlackPeople:
        return self.sim.people

    def channel(self, timing: SocketTiming = SocketTiming(), clock=time.monotonic, **more) -> SlackChannel:  # noqa: B008
        made = SlackChannel(self.config(**more), timing=timing, clock=clock)
        if self.limits is not None:
            made._api._budget = RateBudget(self.limits.now, self.limits.sleep)
        return made

    def config(self, **more) -> Config:
        settings = {
            "bot_token": self.sim.bot_token,
            "app_token": self.sim.app_token,
            "signing_secret": self.sim.signing_secret,
            "api_url": self.sim.api_url,
        }
        return Config(**(settings | more))

    async def until(self, condition: Callable[[], object]) -> None:
        await until(condition, "it is as the test says", 10)

    def thread(self) -> tuple[str, str]:
        """A new thread in a new channel."""
        chat = self.people.add_channel("team", [self.alice.id])
        return chat, self.people.say(chat, self.alice.id, "@parley go")

    def past(self, chat: str, by: str, text: str) -> str:
        """What somebody said before anybody listened."""
        return self.sim.past.say(chat, by, text, time.time() - 60)

    def target(self, thread: tuple[str, str] | None = None, handle: str = "", turn: str = "turn-1"):
        chat, topic = thread or (self.alice.dm, None)
        question = topic or self.people.say(chat, self.alice.id, "go")
        return ReplyTarget(
            turn_id=turn,
            conversation=Conversation("slack", chat, topic),
            reply_to=f"{chat}:{question}",
            asker=User("slack", self.alice.id, language="en"),
            private=thread is None,
            handle=handle,
        )

    def ours(self, thread: tuple[str, str] | None = None) -> list[str]:
        """The texts of our messages there."""
        chat, topic = thread or (self.alice.dm, None)
        return list(self.people.answers(chat, topic))


def snapshot(text: str, **more) -> OutboundMessage:
    return OutboundMessage("turn-1", Conversation("slack", "D1"), "D1:1", text, **more)


def stored(folder, name: str, content: bytes) -> StoredFile:
    path = folder / "made"
    path.write_bytes(content)
    return StoredFile(AttachmentKind.FILE, name, "application/octet-stream", len(content), str(path))


async def finish_until_done(reply: Reply, final: OutboundMessage, tries: int = 8) -> Receipt:
    """As the core does: once more after every error that may pass."""
    for _ in range(tries):
        try:
            return await reply.finish(final)
        except (ChannelUnavailable, RateLimited):
            continue
    raise AssertionError("it never got through")
