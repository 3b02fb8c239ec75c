"""The long connection: events pushed to one connection each, again until they are acknowledged."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import secrets
import time
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from parley.simulator.feishu.events import card_callbacks, frames
from parley.simulator.feishu.events.frames import CONTROL, DATA, Frame
from parley.simulator.feishu.faults import FeishuFaults
from parley.simulator.feishu.model import FeishuEvent
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.http_server import abort
from parley.simulator.kit.world import wait_at_most

MOST_CONNECTIONS = 50
_ROUND = 0.05
_OVER_LIMIT = 1000040350


@dataclass(eq=False)
class FeishuConnection:
    """One connection of the app."""

    number: int
    socket: web.WebSocketResponse
    request: web.Request
    acks: int = 0
    pings: int = 0
    combined: dict[str, int] = field(default_factory=dict)


class FeishuEventDelivery:
    """Tickets, connections, and the events on their way; lives on the server's loop."""

    def __init__(self, world: FeishuWorld, faults: FeishuFaults) -> None:
        self._world, self._faults = world, faults
        self._loop = asyncio.get_running_loop()
        self._news = world.change_event()
        self._tickets: set[str] = set()
        self._numbers = itertools.count(1)
        self.connections: list[FeishuConnection] = []
        self.limit = MOST_CONNECTIONS
        self.spoiled = 0

    def ticket(self) -> str:
        """Return a ticket for one connection."""
        ticket = secrets.token_hex(12)
        if self.spoiled > 0:
            self.spoiled -= 1
        else:
            self._tickets.add(ticket)
        return ticket

    def config(self) -> dict[str, float]:
        """Return what the app is told about pings and reconnects."""
        return {
            "ReconnectCount": -1,
            "ReconnectInterval": 1,
            "ReconnectNonce": 0,
            "PingInterval": self._world.timing.ping,
        }

    def drop(self) -> None:
        """Cut every connection; from any thread."""
        self._loop.call_soon_threadsafe(self._cut)

    def close(self) -> None:
        """Close every connection as the platform does when it is updated; from any thread."""
        self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._close()))

    def _cut(self) -> None:
        for connection in self.connections:
            abort(connection.request)

    async def _close(self) -> None:
        for connection in list(self.connections):
            await connection.socket.close(code=1000, message=b"bye")

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it ends."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return _refused(403, "invalid ticket", 0)
        self._tickets.remove(ticket)
        if len(self.connections) >= self.limit:
            return _refused(514, "the number of connections exceeded the limit", _OVER_LIMIT)
        # Like the platform's, it answers pings of the protocol's own too.
        socket = web.WebSocketResponse(max_msg_size=0, autoping=False)
        await socket.prepare(request)
        connection = FeishuConnection(next(self._numbers), socket, request)
        with self._world.changed:
            self.connections.append(connection)
            self._world.touch()
        try:
            async for received in socket:
                await self._receive(connection, received.type, received.data)
        finally:
            with self._world.changed:
                self.connections.remove(connection)
                self._release(connection)
        return socket

    async def _receive(self, connection: FeishuConnection, kind: WSMsgType, data: bytes) -> None:
        if self._faults.mute:
            return
        if kind is WSMsgType.PING:
            await connection.socket.pong(data)
        elif kind is WSMsgType.BINARY:
            frame = frames.decode_frame(data)
            if frame.method == CONTROL and frame.headers.get("type") == "ping":
                with self._world.changed:
                    connection.pings += 1
                    self._world.touch()
                pong = Frame(service=frame.service, headers={"type": "pong"})
                pong.payload = json.dumps(self.config()).encode()
                await connection.socket.send_bytes(frames.encode_frame(pong))
            elif frame.method == DATA:
                self._acknowledge(connection, frame)

    def _acknowledge(self, connection: FeishuConnection, frame: Frame) -> None:
        connection.acks += 1
        number = frame.headers.get("message_id", "")
        answer = json.loads(frame.payload or b"{}")
        with self._world.changed:
            event = next((each for each in self._world.events if each.id == number), None)
            if event is None:
                return
            if answer.get("code") == 200:
                self._answered(event, str(answer.get("data") or ""))
                self._world.events.remove(event)
                self._world.acknowledged.append(event)
            else:
                self._fail(event)
            self._world.touch()

    def _answered(self, event: FeishuEvent, data: str) -> None:
        """Let the answer to a press arrive a moment later, as it does at the person's client."""
        told = event.told
        if told is None:
            return

        def arrive() -> None:
            with self._world.changed:
                card_callbacks.apply_callback_response(self._world, told, data)
                self._world.touch()

        self._loop.call_later(self._world.timing.answer, arrive)

    def _fail(self, event: FeishuEvent) -> None:
        """Not acknowledged in time, or with another code than 200: later once more, or never again."""
        pauses = self._world.timing.redelivery
        if event.told is not None or event.attempts > len(pauses):
            card_callbacks.mark_press_failed(self._world, event.told)
            self._world.events.remove(event)
            self._world.lost.append(event)
        else:
            event.due, event.pushed = time.monotonic() + pauses[event.attempts - 1], 0.0

    def _release(self, connection: FeishuConnection) -> None:
        """Give what a lost connection had not acknowledged to the next one."""
        for event in list(self._world.events):
            if event.holder != connection.number or not event.pushed:
                continue
            if event.told is not None:
                self._fail(event)
            else:
                event.due, event.pushed = time.monotonic(), 0.0
        self._world.touch()

    async def run(self) -> None:
        """Push events until cancelled."""
        while True:
            for event in self._due():
                await self._push(event)
            self._news.clear()
            await wait_at_most(self._news, _ROUND)

    def _due(self) -> list[FeishuEvent]:
        now = time.monotonic()
        with self._world.changed:
            for event in list(self._world.events):
                late = event.pushed and now - event.pushed > self._world.timing.ack
                if late or (event.told is not None and not self.connections):
                    self._fail(event)
                    self._world.touch()
            ready = [each for each in self._world.events if not each.pushed and each.due <= now]
        ready.sort(key=lambda event: event.number, reverse=self._faults.backwards)
        return ready if self.connections and not self._faults.mute else []

    async def _push(self, event: FeishuEvent) -> None:
        if not self.connections:
            return
        connection = random.choice(self.connections)
        with self._world.changed:
            event.attempts += 1
            event.pushed, event.holder = time.monotonic(), connection.number
        with contextlib.suppress(ConnectionError):
            for _ in range(self._faults.copies):
                for frame in _frames(event, self._faults.split):
                    await connection.socket.send_bytes(frames.encode_frame(frame))


def _frames(event: FeishuEvent, count: int) -> list[Frame]:
    size = max(1, -(-len(event.body) // count))
    pieces = [event.body[at : at + size] for at in range(0, len(event.body), size)] or [b""]
    found = []
    for number, piece in enumerate(pieces):
        headers = {
            "type": "event",
            "message_id": event.id,
            "sum": str(len(pieces)),
            "seq": str(number),
            "trace_id": event.id[:8],
        }
        found.append(Frame(event.number, event.number, 1, DATA, headers, piece))
    return found


def _refused(status: int, message: str, code: int) -> web.Response:
    headers = {"Handshake-Status": str(status), "Handshake-Msg": message, "Handshake-Autherrcode": str(code)}
    return web.Response(status=403, headers=headers)
