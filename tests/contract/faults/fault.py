"""What a seeded fault is, and the parts that most of them are made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from parley.channels.kit.receipts import ReplyWithReceipt
from parley.core.model.attachments import Attachment
from parley.core.model.bots import EVERY_BOT
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, ChannelServices, Checkpoint, Inbox, Reply
from tests.contract.driver import Driver
from tests.contract.harness.parley_process import SOUND, Seed
from tests.contract.promise import Need

Accept: TypeAlias = Callable[[InboundMessage], Awaitable[None]]


@dataclass(frozen=True)
class Fault:
    """A small change for the worse, and the promise that must break of it.

    It is seeded into every channel that is held to that promise and has the traits of `needs`, or into
    `only` one. `driver` is given where it lies in how the channel itself is made.
    """

    name: str
    breaks: str
    seed: Seed = SOUND
    needs: tuple[Need, ...] = ()
    only: str = ""
    driver: type[Driver] | None = None


def without_receipt(reply: Reply) -> Reply:
    """Return the reply itself, without the receipt around it."""
    return reply._reply if isinstance(reply, ReplyWithReceipt) else reply


class Around(Channel):
    """A channel that does as the one within; faults override one thing of it."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        self.name, self.platform = inner.name, inner.platform
        self.capabilities = inner.capabilities
        self.inner = inner
        self.driver = driver

    async def listen(self, inbox: Inbox) -> None:
        await self.inner.listen(HearsThrough(inbox, self))

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        """Hand a message on."""
        await inbox.accept(message)

    async def decide(self, inbox: Inbox, click: Click) -> str:
        """Hand the press of a button on."""
        return await inbox.decide(click)

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return self.inner.open_reply(target, checkpoint)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        return await self.inner.fetch(attachment, into, limit)

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        return await self.inner.earlier_messages(request)


class HearsThrough(Inbox):
    def __init__(self, inbox: Inbox, ears: Around) -> None:
        self._inbox = inbox
        self._ears = ears

    async def accept(self, message: InboundMessage) -> None:
        await self._ears.accept(self._inbox, message)

    async def decide(self, click: Click) -> str:
        return await self._ears.decide(self._inbox, click)

    def online(self) -> None:
        self._inbox.online()


class AroundReply(Reply):
    """A reply that does as the one within; `again` opens another one for the same target."""

    def __init__(self, target: ReplyTarget, again: Callable[[ReplyTarget], Reply]) -> None:
        self.target = target
        self.again = again
        self.inner = again(target)

    async def show(self, snapshot: OutboundMessage) -> None:
        await self.inner.show(snapshot)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return await self.inner.finish(snapshot)

    async def settle(self, snapshot: OutboundMessage) -> None:
        await self.inner.settle(snapshot)


class TakesBotsForPeople(Around):
    """Does not look at who writes."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        await inbox.accept(replace(message, sender=replace(message.sender, bot="")))


def answering_bots(driver: type[Driver]) -> Fault:
    """A fault of a channel that lets in every bot, as a person."""

    class LetsInEveryBot(driver):  # type: ignore[misc, valid-type]
        def make_channel(self, services: ChannelServices) -> Channel:
            rules = services.rules
            made: Channel = super().make_channel(
                replace(services, rules=lambda place: replace(rules(place), bots=frozenset({EVERY_BOT})))
            )
            return made

    return Fault("answer bots", "deaf_to_bots", Seed(channel=TakesBotsForPeople), driver=LetsInEveryBot)


def hearing(
    name: str, breaks: str, change: Callable[[InboundMessage], InboundMessage], *needs: Need
) -> Fault:
    """A fault that changes what is heard."""

    class Mishears(Around):
        async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
            await inbox.accept(change(message))

    return Fault(name, breaks, Seed(channel=Mishears), needs)


def aiming(name: str, breaks: str, change: Callable[[ReplyTarget], ReplyTarget], *needs: Need) -> Fault:
    """A fault that changes where a reply goes."""

    class Misses(Around):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            return self.inner.open_reply(change(target), checkpoint)

    return Fault(name, breaks, Seed(channel=Misses), needs)


def replying(name: str, breaks: str, reply: type[AroundReply], *needs: Need) -> Fault:
    """A fault in how replies are shown."""

    class Replies(Around):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            return reply(target, lambda other: self.inner.open_reply(other, checkpoint))

    return Fault(name, breaks, Seed(channel=Replies), needs)


def saying(name: str, breaks: str, change: Callable[[str], str], *needs: Need) -> Fault:
    """A fault that changes the text of the final answer."""

    class Misquotes(AroundReply):
        async def finish(self, snapshot: OutboundMessage) -> Receipt:
            return await self.inner.finish(replace(snapshot, text=change(snapshot.text)))

    return replying(name, breaks, Misquotes, *needs)
