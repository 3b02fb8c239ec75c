"""Slack once more, with its events posted to the channel's own door instead of sent over Socket Mode."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import ClassVar

from parley.channels.slack.channel import SlackChannel
from parley.channels.slack.config import HOOK_PATH, Config
from parley.channels.slack.inbound.socket_mode import SocketTiming
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.ports.channel import Channel, ChannelServices
from parley.simulator.slack import SlackSimulator
from parley.simulator.slack import SlackSimulatorTiming as Pace
from tests.contract.driver import Traits
from tests.contract.drivers.pace import eager
from tests.contract.drivers.slack import SlackDriver
from tests.kit.machine import patience

# Sooner back than Slack, and never tired of it.
_PACE = Pace(ack=patience(1.5), retries=(0.1,) * 1000)
_QUICK = SocketTiming(pulse=0.2)


class SlackHttpDriver(SlackDriver):
    traits: ClassVar[Traits] = replace(SlackDriver.traits, dials=False)

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = SlackSimulator(timing=_PACE, clock=self.clock.now)
        self.secrets = (self._platform.bot_token, self._platform.signing_secret)

    def config(self) -> Config:
        platform = self._platform
        return Config(
            bot_token=platform.bot_token,
            signing_secret=platform.signing_secret,
            events="http",
            api_url=platform.api_url,
        )

    def make_channel(self, services: ChannelServices) -> Channel:
        self._channel = SlackChannel(self.config(), timing=_QUICK, rules=services.rules)
        return eager(self._channel)

    @asynccontextmanager
    async def hosted(self, channel: Channel) -> AsyncIterator[None]:
        server = HttpServer(
            ConsoleOptions(port=0, token="nobody-needs-it"), (), tuple, webhooks=self._channel.routes()
        )
        up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(server.run(up.set_result), name="the web server")
        try:
            await asyncio.to_thread(self._platform.post_to, f"{await up}{HOOK_PATH}")
            yield
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    def drop_connection(self) -> None:
        """The answer to the next post is lost."""
        self._platform.faults.reset_next("post", "after")
