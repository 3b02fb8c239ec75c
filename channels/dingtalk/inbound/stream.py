"""The stream connection.

Our own and not the SDK's `start()`, which blocks the event loop, swallows a cancellation, and never says that
credentials are refused. The frames are the SDK's.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress

import aiohttp

from parley.channels.dingtalk.api import DingTalkApi
from parley.channels.dingtalk.inbound.inbound_queue import InboundQueue
from parley.channels.dingtalk.sdk import SystemHandler, SystemMessage
from parley.channels.kit.fields import json_object
from parley.channels.kit.http.errors import describe_network_error
from parley.channels.kit.http.pool import HttpPool
from parley.core.model.errors import ChannelUnavailable
from parley.core.model.types import JsonObject

log = logging.getLogger(__name__)

STEADY = 5.0
"""Seconds for which a connection must have stood so that the next one is made at once when it drops."""
LINGER = 15.0
"""Seconds for which a connection is still read after DingTalk said that it ends it (after ten)."""
MOST_FRAME = 8 * 1024 * 1024
CONNECT_TIMEOUT = 10.0


class DingTalkStreamConnection:
    """One connection that stands. `leaving` is set when it has ended, or is soon going to."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, intake: InboundQueue) -> None:
        self._socket = socket
        self._intake = intake
        self._system = SystemHandler()
        self._since = asyncio.get_running_loop().time()
        self.leaving = asyncio.Event()
        self.ended = False

    @property
    def stood(self) -> float:
        """For how many seconds."""
        return asyncio.get_running_loop().time() - self._since

    async def read(self) -> None:
        """Hand on frames until the connection ends."""
        try:
            async for message in self._socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    await self._frame(message.data)
        finally:
            self.ended = True
            self.leaving.set()

    async def close(self) -> None:
        """End it, without waiting for the platform's farewell for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._socket.close()

    async def answer(self, text: str) -> None:
        """Send a frame; nothing when the connection has ended."""
        with suppress(aiohttp.ClientError, ConnectionError):
            await self._socket.send_str(text)

    async def _frame(self, text: str) -> None:
        frame = _parsed(text)
        match frame.get("type"):
            case "CALLBACK":
                await self._intake.put(frame, self.answer)
            case SystemMessage.TYPE:
                await self._obey(frame)
            case kind:
                log.warning("dingtalk: a frame of type %.40s is skipped", kind)

    async def _obey(self, frame: JsonObject) -> None:
        try:
            message = SystemMessage.from_dict(dict(frame))
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
            log.warning("dingtalk: a system frame cannot be read and is skipped")
            return
        await self.answer(json.dumps((await self._system.raw_process(message)).to_dict()))
        if message.headers.topic == SystemMessage.TOPIC_DISCONNECT:
            self.leaving.set()


class StreamListener:
    """One connection, and the next one before the platform ends it."""

    def __init__(
        self,
        api: DingTalkApi,
        sessions: HttpPool,
        intake: InboundQueue,
        topics: tuple[str, ...],
        ping_interval: float,
    ) -> None:
        self._api = api
        self._sessions = sessions
        self._intake = intake
        self._topics = topics
        self._ping_interval = ping_interval

    async def run(self, online: Callable[[], None]) -> None:
        """Stay connected until cancelled.

        Raises ChannelError when a connection drops soon after it was made, or none is made.
        """
        async with self._sessions as session, asyncio.TaskGroup() as group:
            link = await self._connect(session, group)
            online()
            log.info("dingtalk: listening")
            while True:
                await link.leaving.wait()
                if link.ended and link.stood < STEADY:
                    raise ChannelUnavailable("the connection to DingTalk dropped")
                log.info("dingtalk: the connection %s; another one", "dropped" if link.ended else "ends soon")
                link = await self._connect(session, group)

    async def _connect(
        self, session: aiohttp.ClientSession, group: asyncio.TaskGroup
    ) -> DingTalkStreamConnection:
        ticket = await self._api.ticket(self._topics)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                socket = await session.ws_connect(
                    ticket.url, heartbeat=self._ping_interval, max_msg_size=MOST_FRAME
                )
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            # Not chained: the address holds the ticket.
            raise ChannelUnavailable(f"no connection to DingTalk: {describe_network_error(error)}") from None
        link = DingTalkStreamConnection(socket, self._intake)
        group.create_task(_lifetime(link))
        return link


async def _lifetime(link: DingTalkStreamConnection) -> None:
    """Read a connection to its end, which comes at the latest some time after it was told to leave."""
    reading = asyncio.create_task(link.read())
    try:
        await link.leaving.wait()
        await asyncio.wait({reading}, timeout=LINGER)
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await link.close()


def _parsed(text: str) -> JsonObject:
    """Return the object that a frame is; an empty one for what is none."""
    try:
        return json_object(text)
    except ValueError:
        return {}
