"""The stream: tickets become connections, and frames go to one of them.

What is pushed while nobody is connected is lost. What is pushed and not acknowledged is pushed once more.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aiohttp import WSMsgType, web

from parley.simulator.dingtalk.api import card_buttons
from parley.simulator.dingtalk.events.payloads import frame
from parley.simulator.dingtalk.faults import DingTalkFaults
from parley.simulator.dingtalk.model import DingTalkPush
from parley.simulator.dingtalk.world import DingTalkWorld
from parley.simulator.kit.http_server import abort
from parley.simulator.kit.json_values import Json, JsonObject, as_object
from parley.simulator.kit.limits import load_limits
from parley.simulator.kit.websocket_frames import fragment_text

_LIMITS = load_limits("dingtalk")
_PIECE = 700
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class DingTalkSimulatorTiming:
    """The platform's times, in seconds: how long it goes on after it said "disconnect", how often it pings,
    how long an access token lives, how often it looks whether the other end is still there at all, how long a
    press of a button may go unanswered, and a message. `poll` and `registration` are the pause between looks
    for an app that is being made, and how long that may take."""

    farewell: float = 10.0
    ping: float = 30.0
    token_life: float = 7200.0
    heartbeat: float = 30.0
    press: float = float(_LIMITS["answer_time"].whole)
    redelivery: float = float(_LIMITS["redelivery_after"].whole)
    poll: float = 2.0
    registration: float = 7200.0


class StreamConnection:
    """One connection and what waits to be sent on it."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request, topics: tuple[str, ...]) -> None:
        self.socket = socket
        self.request = request
        self.topics = topics
        self.leaving = False
        self.waiting: asyncio.Queue[DingTalkPush] = asyncio.Queue()

    def cut(self) -> None:
        """End it without a word."""
        abort(self.request)


class StreamGateway:
    """All connections; lives on the server's loop. Methods that say so may be called from any thread."""

    def __init__(self, world: DingTalkWorld, faults: DingTalkFaults, timing: DingTalkSimulatorTiming) -> None:
        self._world = world
        self._faults = faults
        self._timing = timing
        self._loop = asyncio.get_running_loop()
        self._links: list[StreamConnection] = []
        self._held: list[DingTalkPush] = []
        self._by_frame: dict[str, DingTalkPush] = {}
        self._pings: dict[str, str] = {}
        self.pings_answered = 0

    @property
    def connections(self) -> int:
        """Return how many connections stand; from any thread."""
        return len(self._links)

    def push(self, push: DingTalkPush) -> None:
        """Hand a frame to one connection; from any thread."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._deliver, push)

    def drop(self) -> None:
        """Cut every connection; from any thread. It is not there any more when this returns."""
        self._call(self._cut_all)

    def disconnect(self) -> None:
        """Tell every connection that it ends soon; from any thread."""
        self._call(self._announce_end)

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """Serve a connection for a ticket until it ends."""
        with self._world.changed:
            topics = self._world.use_ticket(request.query.get("ticket", ""))
        if topics is None or self._faults.out():
            return web.Response(status=401, text="ticket is invalid")
        # Who does not answer pings is not there any more, and would only be given messages that are lost.
        socket = web.WebSocketResponse(heartbeat=self._timing.heartbeat)
        await socket.prepare(request)
        link = StreamConnection(socket, request, topics)
        tasks = [self._loop.create_task(self._send(link)), self._loop.create_task(self._ping(link))]
        self._change(link, stands=True)
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._hear(message.data)
        finally:
            self._change(link, stands=False)
            for task in tasks:
                task.cancel()
        return socket

    def _call(self, action: Callable[[], None]) -> None:
        async def run() -> None:
            action()

        asyncio.run_coroutine_threadsafe(run(), self._loop).result(5)

    def _change(self, link: StreamConnection, *, stands: bool) -> None:
        with self._world.changed:
            if stands:
                self._links.append(link)
            elif link in self._links:
                self._links.remove(link)
            self._world.touch()

    def _cut_all(self) -> None:
        for link in list(self._links):
            self._change(link, stands=False)
            link.cut()

    def _announce_end(self) -> None:
        for link in self._links:
            link.leaving = True
            farewell = frame("disconnect", {"reason": "persistent connection is closed"}, 0, "SYSTEM")
            link.waiting.put_nowait(DingTalkPush(farewell, ""))
            self._loop.call_later(self._timing.farewell, self._end, link)

    def _end(self, link: StreamConnection) -> None:
        self._change(link, stands=False)
        link.cut()

    def _deliver(self, push: DingTalkPush) -> None:
        if self._faults.left("reverse"):
            self._held.append(push)
            if self._faults.take_frame("reverse") and self._faults.left("reverse"):
                return
            held, self._held = self._held[::-1], []
            for each in held:
                self._to_one(each)
            return
        self._to_one(push)
        if self._faults.take_frame("double"):
            self._to_one(push)

    def _to_one(self, push: DingTalkPush) -> None:
        topic, number = _header(push.frame, "topic"), _header(push.frame, "messageId")
        deaf = not topic.startswith("/v1.0/")
        links = [link for link in self._links if deaf or topic in link.topics]
        links = [link for link in links if not link.leaving] or links
        with self._world.changed:
            if links:
                self._by_frame[number] = push
                random.choice(links).waiting.put_nowait(push)
            else:
                push.lost = True
            self._world.touch()
        if push.press is not None:
            self._loop.call_later(self._timing.press if links else 0.0, self._give_up, push)
        elif links and push.message and not push.again:
            self._loop.call_later(self._timing.redelivery, self._push_again, push)

    def _push_again(self, push: DingTalkPush) -> None:
        """Push what was not acknowledged."""
        if not push.code:
            push.again = True
            self._to_one(push)

    def _give_up(self, push: DingTalkPush) -> None:
        """Tell whoever pressed that nobody answered."""
        with self._world.changed:
            push.failed = push.code != 200
            self._world.touch()

    async def _send(self, link: StreamConnection) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            while True:
                push = await link.waiting.get()
                raw = push.frame.get("raw")
                text = raw if isinstance(raw, str) else _spelled(push.frame)
                if self._faults.take_frame("split") and link.request.transport is not None:
                    link.request.transport.write(fragment_text(text, _PIECE))
                else:
                    await link.socket.send_str(text)

    async def _ping(self, link: StreamConnection) -> None:
        while True:
            await asyncio.sleep(self._timing.ping)
            opaque: JsonObject = {"opaque": "simulated"}
            ping = frame("ping", opaque, self._world.number(), "SYSTEM")
            self._pings[_header(ping, "messageId")] = str(ping["data"])
            link.waiting.put_nowait(DingTalkPush(ping, ""))
            # DingTalk's Node SDK knows it as a sign of life that nobody answers.
            alive = frame("KEEPALIVE", opaque, self._world.number(), "SYSTEM")
            link.waiting.put_nowait(DingTalkPush(alive, ""))

    def _hear(self, text: str) -> None:
        try:
            answer: Json = json.loads(text)
        except ValueError:
            return
        headers = answer.get("headers") if isinstance(answer, dict) else None
        if not isinstance(answer, dict) or not isinstance(headers, dict):
            return
        number, code = str(headers.get("messageId")), answer.get("code")
        # A ping is answered with what it holds.
        if code == 200 and number in self._pings and self._pings.pop(number) == answer.get("data"):
            with self._world.changed:
                self.pings_answered += 1
                self._world.touch()
        push = self._by_frame.get(number)
        if push is not None and isinstance(code, int):
            with self._world.changed:
                push.code, push.answer = code, str(answer.get("data"))
                if not push.failed:
                    card_buttons.apply_card_response(self._world, push)
                self._world.touch()


def _header(frame: Mapping[str, Json], name: str) -> str:
    return str(as_object(frame.get("headers")).get(name))


def _spelled(frame: Mapping[str, Json]) -> str:
    """Return a frame as DingTalk spells it; half a character, which UTF-8 has no bytes for, is escaped."""
    text = json.dumps(frame, ensure_ascii=False)
    return json.dumps(frame) if _HALVES.search(text) else text
