"""The platforms behind a network that can fail, with the times of real ones made short."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from types import TracebackType
from typing import ClassVar, Self

import aiohttp

from parley.channels.dingtalk.channel import create as dingtalk_channel
from parley.channels.dingtalk.config import Config as DingTalkConfig
from parley.channels.feishu.channel import create as feishu_channel
from parley.channels.feishu.config import Config as FeishuConfig
from parley.channels.slack.channel import SlackChannel
from parley.channels.slack.config import Config as SlackConfig
from parley.channels.slack.inbound.socket_mode import SocketTiming
from parley.channels.telegram.channel import create as telegram_channel
from parley.channels.telegram.config import Config as TelegramConfig
from parley.core.ports.channel import Channel, ChannelServices
from parley.simulator.dingtalk import DingTalkSimulator, DingTalkSimulatorTiming
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from parley.simulator.slack import SlackSimulator, SlackSimulatorTiming
from tests.contract.driver import Driver, Place
from tests.contract.drivers.dingtalk import DingTalkDriver
from tests.contract.drivers.feishu import FeishuDriver
from tests.contract.drivers.pace import eager
from tests.contract.drivers.slack import SlackDriver
from tests.contract.drivers.telegram import TelegramDriver
from tests.kit.machine import patience
from tests.reconnect.faulty_relay import Relay

_FOREVER = 10**6
# Of a channel on a slow machine: an innocent connection, or request, must not be taken for a dead one.
_HEARTBEAT = patience(0.15)
_REQUEST = patience(0.5)
_ACK = patience(0.2)
_OFTEN = 5000
"""How many times a platform tries again: it does not tire before a channel is back."""


class Rig(Driver, ABC):
    """A driver whose channel reaches its platform over `relay` only; people are on the platform's side.

    `keeps` says whether the platform hands over later what was said while nobody heard it. `farewells`,
    `tickets` and `limit` say whether it announces that it ends a connection, gives tickets that expire, and
    has a most of connections (in words of what the operator is shown then, "" for none).
    """

    keeps: ClassVar[bool] = True
    farewells: ClassVar[bool] = True
    tickets: ClassVar[bool] = True
    limit: ClassVar[str] = ""
    relay: Relay

    @property
    @abstractmethod
    def platform_port(self) -> int:
        """Where the platform really listens."""

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self.relay = Relay(self.platform_port)
        await self.relay.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.relay.shut()
        await super().__aexit__(kind, error, trace)

    @abstractmethod
    def speak(self, place: Place, text: str) -> None:
        """Write a text, whoever hears it."""

    def heard_by_nobody(self) -> int:
        """How many messages the platform handed to nobody and will not hand over any more."""
        return 0

    def settled(self) -> bool:
        """Whether the platform knows of no connection but one that works."""
        return True

    def goodbye(self) -> None:
        """The platform says that it ends the connection, and does."""
        raise NotImplementedError(f"{self.name} says nothing before it ends a connection")

    def spoil(self, spoiled: bool) -> None:
        """Tickets are (not) worth anything any more when they are used."""
        raise NotImplementedError(f"{self.name} has no tickets")

    def crowded(self) -> AbstractAsyncContextManager[None]:
        """Other programs have all the connections that there are. Enter it while the network is gone."""
        raise NotImplementedError(f"{self.name} has no limit of connections")


class SlackRig(Rig, SlackDriver):
    limit = "ten connections"

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = SlackSimulator(timing=SlackSimulatorTiming(ack=_ACK, retries=(0.05,) * _OFTEN))

    @property
    def platform_port(self) -> int:
        return _port(self._platform.world.base_url)

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._platform.world.base_url = self.relay.url
        return self

    def make_channel(self, services: ChannelServices) -> Channel:
        config = SlackConfig(
            bot_token=self._platform.bot_token,
            app_token=self._platform.app_token,
            api_url=f"{self.relay.url}/api/",
            allowed_users=("*",),
            request_timeout=_REQUEST,
        )
        times = replace(SocketTiming(), connect=_REQUEST, heartbeat=_HEARTBEAT, linger=_REQUEST, brief=0.05)
        return eager(SlackChannel(config, timing=times))

    def speak(self, place: Place, text: str) -> None:
        where = place.conversation
        self._platform.people.say(where.chat, place.owner.id, text, where.topic or "")

    def goodbye(self) -> None:
        self._platform.disconnect("refresh_requested", close=True)

    def spoil(self, spoiled: bool) -> None:
        world = self._platform.world
        world.timing = replace(world.timing, ticket=-1.0 if spoiled else patience(15.0))

    @asynccontextmanager
    async def crowded(self) -> AsyncIterator[None]:
        direct = f"http://127.0.0.1:{self._direct}"
        token = {"Authorization": f"Bearer {self._platform.app_token}"}
        async with AsyncExitStack() as stack:
            http = await stack.enter_async_context(aiohttp.ClientSession())
            for _ in range(10):
                async with http.post(f"{direct}/api/apps.connections.open", headers=token) as answer:
                    url = str((await answer.json())["url"]).replace(str(self.relay.port), str(self._direct))
                await stack.enter_async_context(http.ws_connect(url))
            yield

    @property
    def _direct(self) -> int:
        return self.relay.to


class TelegramRig(Rig, TelegramDriver):
    farewells = False
    tickets = False
    limit = "another program"

    @property
    def platform_port(self) -> int:
        return _port(self._platform.api_url)

    def make_channel(self, services: ChannelServices) -> Channel:
        config = TelegramConfig(
            bot_token=self._platform.token,
            api_url=self.relay.url,
            poll_timeout=1,
            request_timeout=patience(0.25),
            allowed_users=("*",),
        )
        return eager(telegram_channel(config, services))

    def speak(self, place: Place, text: str) -> None:
        self._platform.people.say(int(place.conversation.chat), int(place.owner.id), text)

    @asynccontextmanager
    async def crowded(self) -> AsyncIterator[None]:
        async def rival() -> None:
            url = f"{self._platform.api_url}/bot{self._platform.token}/getUpdates"
            async with aiohttp.ClientSession() as http:
                while True:
                    # Without an offset it confirms nothing.
                    async with http.post(url, data={"timeout": 5}) as answer:
                        await answer.read()
                    await asyncio.sleep(0.02)

        task = asyncio.create_task(rival())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


class FeishuRig(Rig, FeishuDriver):
    limit = "50 long connections"

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        times = FeishuSimulatorTiming(ack=_ACK, redelivery=(0.05,) * _OFTEN, ping=_HEARTBEAT)
        self._platform = FeishuSimulator(timing=times)

    @property
    def platform_port(self) -> int:
        return _port(self._platform.url)

    def make_channel(self, services: ChannelServices) -> Channel:
        world = self._platform.world
        config = FeishuConfig(
            app_id=world.app_id, app_secret=world.secret, domain=self.relay.url, request_timeout=_REQUEST
        )
        return eager(feishu_channel(config, services))

    def speak(self, place: Place, text: str) -> None:
        self._platform.people.say(place.conversation.chat, place.owner.id, text)

    def goodbye(self) -> None:
        self._platform.close_connections()

    def spoil(self, spoiled: bool) -> None:
        self._platform.spoil_tickets(_FOREVER if spoiled else 0)

    @asynccontextmanager
    async def crowded(self) -> AsyncIterator[None]:
        self._platform.limit_connections(0)
        yield
        self._platform.limit_connections(50)


class DingTalkRig(Rig, DingTalkDriver):
    keeps = False

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = DingTalkSimulator(
            timing=DingTalkSimulatorTiming(heartbeat=_HEARTBEAT, farewell=patience(0.1))
        )
        self._said: list[str] = []

    @property
    def platform_port(self) -> int:
        return _port(self._platform.url)

    def make_channel(self, services: ChannelServices) -> Channel:
        config = DingTalkConfig(
            client_id=self._platform.client_id,
            client_secret=self._platform.client_secret,
            card_template_id=self._platform.template,
            api_url=self.relay.url,
            oapi_url=self.relay.url,
            allowed_users=("*",),
            ping_interval=_HEARTBEAT,
            request_timeout=_REQUEST,
        )
        return eager(dingtalk_channel(config, services))

    def speak(self, place: Place, text: str) -> None:
        self._said.append(self._platform.people.say(place.conversation.chat, place.owner.id, text))

    def heard_by_nobody(self) -> int:
        return sum(not self._platform.people.heard(number) for number in self._said)

    def settled(self) -> bool:
        return self._platform.connections == 1

    def goodbye(self) -> None:
        self._platform.disconnect()

    def spoil(self, spoiled: bool) -> None:
        self._platform.spoil_tickets(_FOREVER if spoiled else 0)


RIGS: dict[str, type[Rig]] = {rig.name: rig for rig in (SlackRig, TelegramRig, FeishuRig, DingTalkRig)}


def _port(url: str) -> int:
    return int(url.rpartition(":")[2].partition("/")[0])
