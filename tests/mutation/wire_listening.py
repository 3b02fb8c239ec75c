"""Changed events on the wire: a real client listens to a simulated platform that hands them over."""

from __future__ import annotations

import asyncio
import copy
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from parley.core.model.codec import encode
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import Channel
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuRateLimits, FeishuSimulator
from parley.simulator.feishu.people import SimulatedFeishuPeople
from parley.simulator.slack import SlackSimulator
from parley.simulator.slack.people import SimulatedSlackPeople
from parley.simulator.slack.world import TEAM
from parley.simulator.telegram import TelegramSimulator
from tests.kit.machine import patience
from tests.kit.platforms import dingtalk_channel as dingtalk
from tests.kit.platforms import feishu_channel as feishu
from tests.kit.platforms import slack_channel as slack
from tests.kit.platforms import telegram_channel as telegram
from tests.mutation.event_reading import TEAMS
from tests.mutation.vendor_examples import JsonObject, examples, mutated

_BATCH = 100
# Who writes in the examples is a stranger in the simulated workspaces, and heard as one who is named.
_PRINTED = (
    "*",
    "U061F7AUR",
    "U0123ABCD",
    "U123ABC456",
    "U2147483697",
    "U111",
    "ou_84aad35d084aa403a838cf73ee18467",
)


@dataclass(frozen=True)
class Line:
    """A channel, its platform's way to hand over any event, and somebody who says something sensible.

    `settle` returns when all events are acknowledged, where the platform would hand them over again.
    """

    channel: Channel
    inject: Callable[[JsonObject], None]
    say: Callable[[str], object]
    settle: Callable[[], None] = lambda: None


class Ear:
    """An inbox that forgets; it knows how many messages came, all sound, and waits for a certain one."""

    def __init__(self) -> None:
        self.heard = 0
        self.connections = 0
        self._waited_for = ""
        self._came = asyncio.Event()

    async def accept(self, message: InboundMessage) -> None:
        encode(message).encode()
        self.heard += 1
        if message.text == self._waited_for:
            self._came.set()

    async def decide(self, click: Click) -> str:
        encode(click).encode()
        return ""

    def online(self) -> None:
        self.connections += 1
        self._came.set()

    async def until(self, listening: asyncio.Task[None], text: str = "") -> None:
        """Wait for the message `text`, or to be connected. Raises TimeoutError, or what ended it."""
        self._waited_for = text
        came = asyncio.create_task(self._came.wait())
        await asyncio.wait({came, listening}, timeout=patience(60), return_when=asyncio.FIRST_COMPLETED)
        if listening.done():
            listening.result()
        if not came.done():
            came.cancel()
            raise TimeoutError(f"nothing was heard of {text!r}")
        self._came.clear()


async def listen(name: str, count: int, folder: Path) -> Ear:
    """Hand over `count` changed events, and a message after each batch of them, which must be heard.

    Raises TimeoutError when one is not, and whatever ended the listening.
    """
    chance, known, ear = random.Random(name), examples(name), Ear()
    with _LINES[name](folder) as line:
        task = asyncio.create_task(line.channel.listen(ear))
        try:
            await ear.until(task)
            for begun in range(0, count, _BATCH):
                for number in range(begun, min(begun + _BATCH, count)):
                    line.inject(mutated(_fresh(chance.choice(known), number), chance))
                text = f"still there after {begun}?"
                await asyncio.to_thread(line.say, text)
                await ear.until(task, text)
                await asyncio.to_thread(line.settle)
        finally:
            task.cancel()
            await asyncio.wait([task])
    return ear


def _settle(people: SimulatedSlackPeople | SimulatedFeishuPeople) -> None:
    people.wait(lambda: not people.unacknowledged(), patience(60))


def _fresh(example: JsonObject, number: int) -> JsonObject:
    """The example as another event of its kind: what was heard already is not heard again."""
    event = copy.deepcopy(example)
    for holder, key, value in (
        (event, "event_id", f"Ev{number}"),
        (event, "msgId", f"msg{number}=="),
        (event.get("event"), "ts", f"{1_700_000_000 + number}.000001"),
        (event.get("event", {}).get("message"), "message_id", f"om_{number}"),
    ):
        if isinstance(holder, dict) and key in holder:
            holder[key] = value
    return event


@contextmanager
def _slack(folder: Path) -> Iterator[Line]:
    # So many events in a moment are no measure of the pace.
    with SlackSimulator(strict_pace=False) as sim:
        alice = sim.people.add_person("Alice")

        def inject(body: JsonObject) -> None:
            # The examples are of other workspaces, whose events are left alone.
            sim.people.inject(body | {"team_id": TEAM} if body.get("team_id") in TEAMS else body)

        channel = slack.World(sim, alice).channel(allowed_users=_PRINTED)
        yield Line(
            channel,
            inject,
            lambda text: sim.people.say(alice.dm, alice.id, text),
            lambda: _settle(sim.people),
        )


@contextmanager
def _telegram(folder: Path) -> Iterator[Line]:
    with TelegramSimulator() as sim:
        alice = sim.people.add_person("Alice")

        def inject(update: JsonObject) -> None:
            # The platform numbers updates; what has no number cannot come out of it.
            sim.people.inject({key: value for key, value in update.items() if key != "update_id"})

        channel = telegram.make_channel(sim, folder, telegram.MemoryDocuments())
        yield Line(channel, inject, lambda text: sim.people.say(alice.id, alice.id, text))


@contextmanager
def _feishu(folder: Path) -> Iterator[Line]:
    with FeishuSimulator(pace=FeishuRateLimits(method=100_000, method_minute=1_000_000)) as sim:
        ann = sim.people.add_person("Ann")
        channel = feishu.make_channel(sim, folder, allowed_users=_PRINTED)
        yield Line(
            channel,
            sim.people.inject,
            lambda text: sim.people.say(ann.chat, ann.open_id, text),
            lambda: _settle(sim.people),
        )


@contextmanager
def _dingtalk(folder: Path) -> Iterator[Line]:
    with DingTalkSimulator() as sim:
        alice = sim.people.add_person("Alice")
        channel = dingtalk.make_channel(sim)
        yield Line(channel, sim.people.inject, lambda text: sim.people.say(alice.id, alice.id, text))


_LINES: Mapping[str, Callable[[Path], AbstractContextManager[Line]]] = {
    "slack": _slack,
    "telegram": _telegram,
    "feishu": _feishu,
    "dingtalk": _dingtalk,
}
