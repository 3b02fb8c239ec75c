"""Socket Mode: one connection after the other, each with an address of its own.

The SDK's client keeps knocking at an address that has expired, for ever, and swallows what goes wrong. Here a
new connection always has a new address, the next one stands before the last is closed, and every failure ends
the loop, so that the channel's supervisor knows.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import aiohttp

from parley.channels.kit.fields import json_object
from parley.channels.kit.http.errors import describe_network_error
from parley.channels.slack.api import SlackApi
from parley.core.model.errors import ChannelError, ChannelUnavailable, unwrap_exception_group
from parley.core.model.types import JsonObject

log = logging.getLogger(__name__)

_REASONS = {
    "link_disabled": "Socket Mode is switched off for this app: switch it on in the app's settings",
    "too_many_websockets": "the app has ten connections already, as many as Slack allows",
}
MOST_FRAME = 16 * 2**20
MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class SocketTiming:
    """Seconds: to connect, between two signs of life, for a last word, and the shortest decent life. Where
    Slack connects to us: until a post is answered, and between two looks at the tokens.
    """

    connect: float = 10.0
    heartbeat: float = 15.0
    linger: float = 20.0
    brief: float = 2.0
    answer: float = 2.5
    pulse: float = 300.0


class SocketMode:
    """Frames from Slack to `hear`, which tells what to answer an envelope, None for nothing at all."""

    def __init__(
        self, api: SlackApi, hear: Callable[[JsonObject], Awaitable[JsonObject | None]], timing: SocketTiming
    ) -> None:
        self._api = api
        self._hear = hear
        self._timing = timing
        self._room = asyncio.Semaphore(MOST_AT_ONCE)

    async def run(self, session: aiohttp.ClientSession, online: Callable[[], None]) -> None:
        """Stay connected until cancelled. Raises ChannelError when a connection ends unannounced."""
        with unwrap_exception_group(ChannelError):
            async with asyncio.TaskGroup() as group:
                while True:
                    link = await self._open(session)
                    online()
                    relieved, began = asyncio.Event(), time.monotonic()
                    group.create_task(self._serve(link, relieved, group), name="slack connection")
                    await relieved.wait()
                    if time.monotonic() - began < self._timing.brief:
                        await asyncio.sleep(self._timing.brief)

    async def _open(self, session: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
        url = await self._api.socket_url()
        try:
            async with asyncio.timeout(self._timing.connect):
                link = await session.ws_connect(
                    url,
                    heartbeat=self._timing.heartbeat,
                    max_msg_size=MOST_FRAME,
                    timeout=aiohttp.ClientWSTimeout(ws_close=2.0),
                )
                await self._greeting(link)
                return link
        except (aiohttp.ClientError, TimeoutError, ConnectionError, ValueError) as error:
            # Not chained: the address is a secret.
            raise ChannelUnavailable(
                f"Slack's connection could not be opened: {describe_network_error(error)}"
            ) from None

    async def _greeting(self, link: aiohttp.ClientWebSocketResponse) -> None:
        try:
            while True:
                message = await link.receive()
                frame = _frame(message)
                if frame.get("type") == "hello":
                    return
                if frame.get("type") == "disconnect" or message.type is not aiohttp.WSMsgType.TEXT:
                    raise ChannelUnavailable(_words(frame))
        except BaseException:
            await link.close()
            raise

    async def _serve(
        self, link: aiohttp.ClientWebSocketResponse, relieved: asyncio.Event, group: asyncio.TaskGroup
    ) -> None:
        """Read one connection to its end."""
        try:
            async with asyncio.timeout(None) as limit:
                async for message in link:
                    frame = _frame(message)
                    if frame.get("type") == "disconnect":
                        self._goodbye(frame, relieved, limit)
                    elif isinstance(frame.get("envelope_id"), str):
                        await self._room.acquire()
                        group.create_task(self._answer(link, frame), name="slack envelope")
        except (TimeoutError, aiohttp.ClientError, ConnectionError):
            pass
        finally:
            await link.close()
        if not relieved.is_set():
            raise ChannelUnavailable("Slack's connection broke off")

    def _goodbye(self, frame: JsonObject, relieved: asyncio.Event, limit: asyncio.Timeout) -> None:
        """Let the next connection be opened while this one, which Slack is going to close, still serves."""
        if frame.get("reason") in _REASONS:
            raise ChannelUnavailable(_words(frame))
        log.info("slack: %s", _words(frame))
        relieved.set()
        limit.reschedule(asyncio.get_running_loop().time() + self._timing.linger)

    async def _answer(self, link: aiohttp.ClientWebSocketResponse, frame: JsonObject) -> None:
        try:
            payload = frame.get("payload")
            heard = await self._hear(payload if isinstance(payload, dict) else {})
            if heard is not None:
                answer = {"envelope_id": frame["envelope_id"]} | ({"payload": heard} if heard else {})
                # Slack sends again what it hears nothing about, and we know it by its id.
                with suppress(aiohttp.ClientError, ConnectionError):
                    await link.send_str(json.dumps(answer))
        finally:
            self._room.release()


def _frame(message: aiohttp.WSMessage) -> JsonObject:
    """Return the object in a frame, empty for what is none."""
    if message.type is not aiohttp.WSMsgType.TEXT:
        return {}
    try:
        return json_object(message.data)
    except ValueError:
        log.warning("slack: a frame that is no JSON object is skipped")
        return {}


def _words(frame: JsonObject) -> str:
    reason = str(frame.get("reason") or "no reason given")
    return _REASONS.get(reason, f"Slack ends the connection ({reason})")
