"""The open platform over HTTP and WebSocket on loopback, in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import TypeAlias

from aiohttp import BodyPartReader, web

from parley.simulator.feishu.api import cards, media, messages
from parley.simulator.feishu.api.messages import FeishuRequest
from parley.simulator.feishu.errors import FeishuErrorResponse
from parley.simulator.feishu.events.websocket import FeishuEventDelivery
from parley.simulator.feishu.faults import (
    FeishuFault,
    FeishuFaults,
    FeishuRateLimits,
    FeishuSimulatorTiming,
    raise_for,
)
from parley.simulator.feishu.http_verbs import FAULTS, PEOPLE
from parley.simulator.feishu.model import FeishuCall, FeishuUpload, Json, JsonObject
from parley.simulator.feishu.people import SimulatedFeishuPeople
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.http_control import HttpControl
from parley.simulator.kit.http_server import serving

DEFAULT_APP = "cli_0123456789abcdef"
DEFAULT_SECRET = "simulated-secret-for-loopback-only"  # noqa: S105 - guards nothing
Method: TypeAlias = "Callable[[FeishuWorld, FeishuRequest], JsonObject | bytes]"
_API = "/open-apis"
_MESSAGE = f"{_API}/im/v1/messages/{{message}}"
_CARD = f"{_API}/cardkit/v1/cards/{{card}}"
ROUTES: tuple[tuple[str, str, str, Method], ...] = (
    ("send", "POST", f"{_API}/im/v1/messages", messages.send),
    ("reply", "POST", f"{_MESSAGE}/reply", messages.reply),
    ("patch", "PATCH", _MESSAGE, messages.patch),
    ("edit", "PUT", _MESSAGE, messages.edit),
    ("recall", "DELETE", _MESSAGE, messages.recall),
    ("get", "GET", _MESSAGE, messages.get),
    ("resource", "GET", f"{_MESSAGE}/resources/{{key}}", media.resource),
    ("image", "POST", f"{_API}/im/v1/images", media.upload_image),
    ("file", "POST", f"{_API}/im/v1/files", media.upload_file),
    ("bot", "GET", f"{_API}/bot/v3/info", media.bot_info),
    ("user", "GET", f"{_API}/contact/v3/users/{{user}}", media.user),
    ("card.create", "POST", f"{_API}/cardkit/v1/cards", cards.create),
    ("card.update", "PUT", _CARD, cards.update),
    ("card.settings", "PATCH", f"{_CARD}/settings", cards.settings),
    ("card.content", "PUT", f"{_CARD}/elements/{{element}}/content", cards.content),
)
SHOWING = ("send", "reply", "patch", "edit", "card.create", "card.update", "card.settings", "card.content")
"""The calls by which an answer is shown."""


class FeishuSimulator:
    """Feishu for one app. Use it with `with`; it listens on 127.0.0.1 while open.

    `people` is everybody else's side and `faults` what shall go wrong. All of it may be used from any thread,
    and outlives the app.
    """

    def __init__(
        self,
        app_id: str = DEFAULT_APP,
        secret: str = DEFAULT_SECRET,
        name: str = "Parley",
        pace: FeishuRateLimits = FeishuRateLimits(),  # noqa: B008 - frozen
        timing: FeishuSimulatorTiming = FeishuSimulatorTiming(),  # noqa: B008 - frozen
        port: int = 0,
    ) -> None:
        self.world = FeishuWorld(app_id, secret, name, pace, timing)
        self.people = SimulatedFeishuPeople(self.world)
        self.faults = FeishuFaults()
        self._port = port
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulated-feishu", daemon=True)

    @property
    def url(self) -> str:
        """What to use instead of `https://open.feishu.cn`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def connections(self) -> int:
        """How many long connections the app has now."""
        return len(self._delivery.connections)

    @property
    def pings(self) -> int:
        """How many pings came over the connections that stand now."""
        return sum(connection.pings for connection in self._delivery.connections)

    def limit_connections(self, most: int) -> None:
        """Allow only so many long connections."""
        self._delivery.limit = most

    def calls(self, *names: str) -> tuple[FeishuCall, ...]:
        """Finished calls of the app, oldest first; with `names`, of those only."""
        with self.world.changed:
            return tuple(call for call in self.world.calls if not names or call.name in names)

    def spoil_tickets(self, count: int) -> None:
        """Let the next tickets be worth nothing when they are used."""
        self._delivery.spoiled = count

    def drop_connections(self) -> None:
        """Cut the long connections."""
        self._delivery.drop()

    def close_connections(self) -> None:
        """End the long connections properly."""
        self._delivery.close()

    def expire_tokens(self) -> None:
        """Let every access token be worth nothing from now on."""
        with self.world.changed:
            self.world.tokens.clear()

    def __enter__(self) -> FeishuSimulator:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._delivery = FeishuEventDelivery(self.world, self.faults)
        app = web.Application(client_max_size=2 * media.MOST_DOWN)
        for name, verb, path, method in ROUTES:
            app.router.add_route(verb, path, self._route(name, method))
        app.router.add_post(f"{_API}/auth/v3/tenant_access_token/internal", self._token)
        app.router.add_post("/callback/ws/endpoint", self._endpoint)
        app.router.add_get("/ws", self._connect)
        HttpControl(FeishuUpload, (self.people, PEOPLE), (self.faults, FAULTS)).add_to(app)
        async with serving(app, self._port) as self._port:
            pushing = asyncio.create_task(self._delivery.run())
            self._ready.set()
            await self._stop.wait()
            pushing.cancel()

    def _route(self, name: str, method: Method) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            chats: list[str] = []

            async def perform() -> JsonObject | bytes:
                self._check_token(request)
                call = await _read(request)
                chats.append(str(call.body.get("receive_id", "")))
                with self.world.changed:
                    return method(self.world, call)

            return await self._answer(name, request, perform, chats)

        return handle

    async def _answer(
        self,
        name: str,
        request: web.Request,
        perform: Callable[[], Awaitable[object]],
        chats: Sequence[str] = (),
    ) -> web.StreamResponse:
        fault = self.faults.take(name)
        if self.faults.out() or fault.reset == "before":
            return _cut(request)
        await asyncio.sleep(fault.delay)
        code = 0
        try:
            raise_for(fault)
            answer = _ok(name, await perform())
        except FeishuErrorResponse as error:
            code, answer = error.code, _refusal(name, error)
        self._note(name, request, code, next(iter(chats), ""))
        if fault.reset == "after":
            return _cut(request)
        return web.Response(text=fault.body, content_type="text/html") if fault.body else answer

    def _note(self, name: str, request: web.Request, code: int, sent_to: str) -> None:
        with self.world.changed:
            path = request.match_info
            card = self.world.cards.get(path.get("card", ""))
            message = self.world.messages.get(card.message if card is not None else path.get("message", ""))
            chat = sent_to if message is None else message.chat
            self.world.calls.append(FeishuCall(name, chat, time.time(), code))
            self.world.touch()

    def _check_token(self, request: web.Request) -> None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or not token:
            raise FeishuErrorResponse(99991661, "Missing access token for authorization.")
        if self.world.tokens.get(token, 0.0) < time.monotonic():
            raise FeishuErrorResponse(99991663, "Invalid access token for authorization.")

    async def _token(self, request: web.Request) -> web.StreamResponse:
        async def perform() -> JsonObject:
            body = (await _read(request)).body
            if body.get("app_id") != self.world.app_id:
                raise FeishuErrorResponse(10003, "invalid param", 200)
            if body.get("app_secret") != self.world.secret:
                raise FeishuErrorResponse(10014, "app secret invalid", 200)
            token, life = "t-" + secrets.token_hex(16), self.world.timing.token
            with self.world.changed:
                self.world.tokens[token] = time.monotonic() + life
            return {"tenant_access_token": token, "expire": int(life)}

        return await self._answer("token", request, perform)

    async def _endpoint(self, request: web.Request) -> web.StreamResponse:
        async def perform() -> JsonObject:
            body = (await _read(request)).body
            if (body.get("AppID"), body.get("AppSecret")) != (self.world.app_id, self.world.secret):
                raise FeishuErrorResponse(1000040345, "app_id or app_secret is invalid", 200)
            query = f"device_id=d1&service_id=1&ticket={self._delivery.ticket()}"
            # Where they asked is where they can connect, through whatever lies between.
            url = f"ws://{request.host}/ws?{query}"
            config: JsonObject = dict(self._delivery.config())
            return {"URL": url, "ClientConfig": config}

        return await self._answer("endpoint", request, perform)

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        fault = self.faults.take("ws")
        if self.faults.out() or fault.reset:
            return _cut(request)
        await asyncio.sleep(fault.delay)
        if fault.code:
            return web.Response(status=fault.status, text=fault.message)
        return await self._delivery.serve(request)


async def _read(request: web.Request) -> FeishuRequest:
    body: JsonObject = {}
    files: dict[str, FeishuUpload] = {}
    if request.content_type == "multipart/form-data":
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader) or not part.name:
                continue
            content = bytes(await part.read(decode=True))
            # Some clients name the bytes' field alone, and no file.
            if part.filename is None and part.name not in media.FIELDS:
                body[part.name] = content.decode("utf-8", "replace")
            else:
                files[part.name] = FeishuUpload(part.filename or part.name, content)
    elif raw := await request.read():
        try:
            decoded: Json = json.loads(raw)
        except ValueError:
            raise FeishuErrorResponse(9499, "Bad Request: invalid JSON") from None
        body = decoded if isinstance(decoded, dict) else {}
    return FeishuRequest(request.match_info, request.query, body, files)


def _ok(name: str, result: object) -> web.Response:
    if isinstance(result, bytes):
        return web.Response(body=result, content_type="application/octet-stream")
    whole: dict[str, object] = {"code": 0, "msg": "success"}
    if name == "token" and isinstance(result, dict):
        whole |= result
    else:
        whole["bot" if name == "bot" else "data"] = result
    return web.json_response(whole)


def _refusal(name: str, error: FeishuErrorResponse) -> web.Response:
    headers = {"x-ogw-ratelimit-reset": str(error.reset)} if error.reset else {}
    # Who asks where to connect is told so in the same form as always, or the Node SDK stumbles.
    data = {"URL": ""} if name == "endpoint" else {}
    body = {"code": error.code, "data": data, "msg": error.message}
    return web.json_response(body, status=error.status, headers=headers)


def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


__all__ = ["SHOWING", "FeishuFault", "FeishuSimulator"]
