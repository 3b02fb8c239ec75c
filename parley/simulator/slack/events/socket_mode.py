"""Socket Mode: tickets, connections, envelopes, acknowledgements, goodbyes."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass

from aiohttp import WSCloseCode, WSMsgType, web

from parley.simulator.kit.json_values import JsonObject, as_object
from parley.simulator.kit.websocket_frames import fragment_text
from parley.simulator.kit.world import wait_at_most
from parley.simulator.slack.events.event_queue import Envelope, SlackEventQueue
from parley.simulator.slack.faults import SlackFaults
from parley.simulator.slack.world import APP, SlackWorld

MOST_CONNECTIONS = 10


@dataclass(frozen=True)
class SocketModeConnection:
    """One connection."""

    socket: web.WebSocketResponse
    transport: asyncio.Transport | None


class SocketModeServer:
    """The app's connections. Lives on the simulator's loop."""

    def __init__(self, world: SlackWorld, events: SlackEventQueue, faults: SlackFaults) -> None:
        self._world = world
        self._events = events
        self._faults = faults
        self._tickets: dict[str, float] = {}
        self._open: dict[int, SocketModeConnection] = {}
        self._numbers = itertools.count(1)
        self._news = asyncio.Event()
        self.opened = 0

    @property
    def connections(self) -> int:
        """Return how many there are."""
        return len(self._open)

    def ticket(self) -> str:
        """Make an address that may be used once, soon."""
        ticket = str(uuid.uuid4())
        self._tickets[ticket] = time.monotonic() + self._world.timing.ticket
        return f"{self._world.base_url.replace('http', 'ws', 1)}/link/?ticket={ticket}&app_id={APP}"

    def wake(self) -> None:
        """Something is to be sent."""
        self._news.set()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it ends."""
        self._faults.check_outage()
        if self._faults.take("link").reset:
            raise ConnectionResetError
        expires = self._tickets.pop(request.query.get("ticket", ""), 0.0)
        if expires < time.monotonic():
            return web.Response(status=408, text="ticket expired")
        socket = web.WebSocketResponse(max_msg_size=2**20)
        await socket.prepare(request)
        if len(self._open) >= MOST_CONNECTIONS:
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await socket.close()
            return socket
        number = next(self._numbers)
        await socket.send_json(self._hello())
        self._open[number] = SocketModeConnection(socket, request.transport)
        self.opened += 1
        self._changed()
        try:
            await self._hear(socket)
        finally:
            self._open.pop(number, None)
            self._events.lost(number)
            self._changed()
        return socket

    def _changed(self) -> None:
        self._news.set()
        with self._world.changed:
            self._world.touch()

    def _hello(self) -> JsonObject:
        return {
            "type": "hello",
            "num_connections": len(self._open) + 1,
            "debug_info": {"host": "simulated", "approximate_connection_time": 18060},
            "connection_info": {"app_id": APP},
        }

    async def _hear(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                frame = json.loads(message.data)
            except ValueError:
                continue
            if isinstance(frame, dict) and isinstance(frame.get("envelope_id"), str):
                self._events.acknowledged(frame["envelope_id"], as_object(frame.get("payload")))

    async def pump(self) -> None:
        """Send what is due, each to one connection at random, for ever."""
        while True:
            self._news.clear()
            # Slack knows one way to an app: its request URL, or Socket Mode.
            serves = bool(self._open) and not self._world.request_url
            due = self._events.due(time.monotonic()) if serves else []
            if self._faults.reorder:
                due.reverse()
            for envelope in due:
                await self._send(envelope)
            pause = max(0.005, min(60.0, self._events.next_due() - time.monotonic())) if serves else 60.0
            await wait_at_most(self._news, pause)

    async def _send(self, envelope: Envelope) -> None:
        if not self._open:
            return
        number = random.choice(list(self._open))
        frame = json.dumps(self._events.sent(envelope, number, time.monotonic()))
        with suppress(ConnectionError):
            await self._write(self._open[number], frame)

    async def _write(self, link: SocketModeConnection, text: str) -> None:
        if not self._faults.split_frames or link.transport is None:
            await link.socket.send_str(text)
        else:
            link.transport.write(fragment_text(text, -(-len(text.encode()) // 2)))

    async def disconnect(self, reason: str, *, close: bool) -> None:
        """Say goodbye to every connection, and close it or leave that to the app."""
        for link in list(self._open.values()):
            socket = link.socket
            with suppress(ConnectionError):
                await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "s"}})
                if close:
                    await socket.close(code=WSCloseCode.GOING_AWAY)

    async def say(self, text: str | bytes) -> None:
        """Send every connection a frame of any content."""
        for link in list(self._open.values()):
            with suppress(ConnectionError):
                await (link.socket.send_str(text) if isinstance(text, str) else link.socket.send_bytes(text))

    def abort(self) -> None:
        """Cut every connection."""
        for number, link in list(self._open.items()):
            if link.transport is not None:
                link.transport.abort()
            self._open.pop(number, None)
            self._events.lost(number)

    async def close(self) -> None:
        """End every connection."""
        for link in list(self._open.values()):
            with suppress(ConnectionError):
                await link.socket.close()
