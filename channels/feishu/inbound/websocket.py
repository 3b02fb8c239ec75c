"""The long connection: one WebSocket, on our own loop.

The SDK's client keeps one loop for the whole module, stalls it while it asks where to connect, acknowledges
on its own terms, and dies without a word when a reconnect is refused; so only its frames are used. Whatever
ends the connection ends `run`, with a reason, and the supervisor opens the next one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

import aiohttp

from parley.channels.feishu.errors import too_many_connections
from parley.channels.feishu.inbound import frame_codec
from parley.channels.feishu.inbound.fragment_assembly import FragmentAssembler
from parley.channels.feishu.inbound.frame_codec import DecodedFrame
from parley.channels.kit.fields import json_object
from parley.channels.kit.http.errors import describe_network_error
from parley.core.model.errors import AuthenticationRefused, ChannelError, ChannelUnavailable
from parley.core.model.types import JsonObject

log = logging.getLogger(__name__)

MOST_FRAME = 16 * 1024 * 1024
MOST_AT_ONCE = 2000
"""Events being taken at the same time; more are sent back, to come again later."""
DONE, RETRY = 200, 500
_HEARTBEAT = 40.0
_OPEN_TIMEOUT = 10.0
_FAREWELL = 0.5
_OVER_LIMIT = "1000040350"
_ENDED = (
    aiohttp.WSMsgType.CLOSE,
    aiohttp.WSMsgType.CLOSING,
    aiohttp.WSMsgType.CLOSED,
    aiohttp.WSMsgType.ERROR,
)


@dataclass(frozen=True, slots=True)
class EventResult:
    """What became of an event: done with, or not, so that it comes again; `answer` is for who caused it."""

    done: bool
    answer: JsonObject = field(default_factory=dict)


HandleEvent: TypeAlias = Callable[[bytes], Awaitable[EventResult]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to connect (a secret address), as which service, and how often to ping, in seconds."""

    url: str
    service: int
    ping: float

    @classmethod
    def read(cls, answer: JsonObject) -> Endpoint:
        """Read Feishu's answer. Raises ChannelUnavailable when it is not as it should be."""
        url = str(answer.get("URL") or "")
        service = parse_qs(urlsplit(url).query).get("service_id", [""])[0]
        if not url.startswith(("ws://", "wss://")) or not service.isdecimal():
            raise ChannelUnavailable("Feishu's answer did not say where to connect")
        return cls(url, int(service), _ping_interval(answer.get("ClientConfig"), 120.0))


def _ping_interval(config: object, before: float) -> float:
    found = config.get("PingInterval") if isinstance(config, dict) else None
    return float(found) if isinstance(found, int | float) and found > 0 else before


@asynccontextmanager
async def open_websocket(
    session: aiohttp.ClientSession, endpoint: Endpoint
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """Open a connection. Raises ChannelError."""
    try:
        async with asyncio.timeout(_OPEN_TIMEOUT):
            socket = await session.ws_connect(
                endpoint.url,
                max_msg_size=MOST_FRAME,
                heartbeat=_HEARTBEAT,
                timeout=aiohttp.ClientWSTimeout(ws_close=_FAREWELL),
            )
    except aiohttp.WSServerHandshakeError as error:
        # Not chained, nor are the others: their texts have the address in them, and that has a ticket.
        raise _refused(error) from None
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise ChannelUnavailable(
            f"the long connection cannot be opened: {describe_network_error(error)}"
        ) from None
    try:
        yield socket
    finally:
        await socket.close()


def _refused(error: aiohttp.WSServerHandshakeError) -> ChannelError:
    headers: Mapping[str, str] = error.headers or {}
    if headers.get("Handshake-Autherrcode") == _OVER_LIMIT:
        return too_many_connections()
    reason = headers.get("Handshake-Msg", "")[:200]
    status = headers.get("Handshake-Status", str(error.status))
    return ChannelUnavailable(f"Feishu refused the long connection (status {status}) {reason}".strip())


class LongConnection:
    """One open connection. `clock` is monotonic."""

    def __init__(
        self,
        socket: aiohttp.ClientWebSocketResponse,
        endpoint: Endpoint,
        take: HandleEvent,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._socket, self._take, self._clock = socket, take, clock
        self._service, self._interval = endpoint.service, endpoint.ping
        self._assembly = FragmentAssembler(clock)
        self._heard = clock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, *beside: Callable[[], Awaitable[None]]) -> None:
        """Take events until the connection ends; raises ChannelError then, and when one of `beside` does."""
        failure: list[ChannelError] = []

        async def guarded(work: Callable[[], Awaitable[None]]) -> None:
            try:
                await work()
            except ChannelError as error:
                failure.append(error)
                await self._socket.close()

        async with asyncio.TaskGroup() as group:
            watchers = [group.create_task(guarded(work)) for work in (self._ping, *beside)]
            try:
                await self._read(group)
            except ChannelUnavailable as error:
                failure.append(error)
            finally:
                for task in (*watchers, *self._tasks):
                    task.cancel()
        refused = [error for error in failure if isinstance(error, AuthenticationRefused)]
        raise (refused or failure)[0]

    async def _read(self, group: asyncio.TaskGroup) -> None:
        while True:
            received = await self._socket.receive()
            self._heard = self._clock()
            if received.type in _ENDED:
                raise ChannelUnavailable(f"the long connection ended (code {self._socket.close_code})")
            if received.type is not aiohttp.WSMsgType.BINARY:
                continue
            try:
                packet = frame_codec.read(received.data)
            except ValueError as error:
                log.warning("feishu: a frame cannot be read and is skipped: %.200s", error)
                continue
            await self._handle(packet, group)

    async def _handle(self, packet: DecodedFrame, group: asyncio.TaskGroup) -> None:
        if packet.method == frame_codec.CONTROL:
            self._configure(packet)
        elif packet.method == frame_codec.DATA and packet.headers.get("type") == "event":
            payload = self._assembly.add(packet)
            if payload is None:
                return
            if len(self._tasks) >= MOST_AT_ONCE:
                await self._answer(packet, EventResult(done=False), 0.0)
                return
            task = group.create_task(self._event(packet, payload))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _event(self, packet: DecodedFrame, payload: bytes) -> None:
        began = self._clock()
        taken = await self._take(payload)
        await self._answer(packet, taken, self._clock() - began)

    async def _answer(self, packet: DecodedFrame, taken: EventResult, took: float) -> None:
        try:
            await self._socket.send_bytes(
                frame_codec.ack(packet, DONE if taken.done else RETRY, took, taken.answer)
            )
        except (aiohttp.ClientError, ConnectionError):
            # Feishu delivers it again over the next connection, and its id is known then.
            log.info("feishu: the connection ended before an event was acknowledged")

    def _configure(self, packet: DecodedFrame) -> None:
        if packet.headers.get("type") == "pong" and packet.payload:
            try:
                self._interval = _ping_interval(json_object(packet.payload), self._interval)
            except ValueError:
                log.info("feishu: a pong with an unreadable configuration")

    async def _ping(self) -> None:
        """Show that we are there, and notice when nobody else is. Raises ChannelUnavailable."""
        while True:
            try:
                await self._socket.send_bytes(frame_codec.ping(self._service))
            except (aiohttp.ClientError, ConnectionError):
                raise ChannelUnavailable("the long connection broke") from None
            await asyncio.sleep(self._interval)
            silence = self._clock() - self._heard
            if silence > 1.5 * self._interval:
                raise ChannelUnavailable(f"nothing was heard over the long connection for {silence:.0f} s")
