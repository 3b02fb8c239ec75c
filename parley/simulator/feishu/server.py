"""The open platform over HTTP and WebSocket on loopback, in a thread of its own."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from aiohttp import web

from parley.simulator.feishu.api import cards, media, message_list, messages, reactions, registration, speech
from parley.simulator.feishu.api.request import FeishuRequest, read_request
from parley.simulator.feishu.errors import FeishuErrorResponse
from parley.simulator.feishu.events.websocket import FeishuEventDelivery
from parley.simulator.feishu.faults import (
    FeishuFaults,
    FeishuRateLimits,
    FeishuSimulatorTiming,
)
from parley.simulator.feishu.http_verbs import FAULTS, PEOPLE, SCANNING
from parley.simulator.feishu.model import FeishuCall, FeishuUpload
from parley.simulator.feishu.past import FeishuPast
from parley.simulator.feishu.people import SimulatedFeishuPeople
from parley.simulator.feishu.scanning import FeishuScanning
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.http_control import HttpControl
from parley.simulator.kit.json_values import JsonObject
from parley.simulator.kit.simulator import PlatformSimulator, Work

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
    ("list", "GET", f"{_API}/im/v1/messages", message_list.list_messages),
    ("scopes", "GET", f"{_API}/application/v6/scopes", message_list.list_scopes),
    ("reaction.add", "POST", f"{_MESSAGE}/reactions", reactions.add),
    ("reaction.remove", "DELETE", f"{_MESSAGE}/reactions/{{reaction}}", reactions.remove),
    ("reaction.list", "GET", f"{_MESSAGE}/reactions", reactions.list_reactions),
    ("resource", "GET", f"{_MESSAGE}/resources/{{key}}", media.resource),
    ("image", "POST", f"{_API}/im/v1/images", media.upload_image),
    ("file", "POST", f"{_API}/im/v1/files", media.upload_file),
    ("speech", "POST", f"{_API}/speech_to_text/v1/speech/file_recognize", speech.recognize),
    ("bot", "GET", f"{_API}/bot/v3/info", media.bot_info),
    ("users", "GET", f"{_API}/contact/v3/users/batch", media.users),
    ("user", "GET", f"{_API}/contact/v3/users/{{user}}", media.user),
    ("card.create", "POST", f"{_API}/cardkit/v1/cards", cards.create),
    ("card.update", "PUT", _CARD, cards.update),
    ("card.settings", "PATCH", f"{_CARD}/settings", cards.settings),
    ("card.content", "PUT", f"{_CARD}/elements/{{element}}/content", cards.content),
)
SHOWING = ("send", "reply", "patch", "edit", "card.create", "card.update", "card.settings", "card.content")
"""The calls by which an answer is shown."""


class FeishuSimulator(PlatformSimulator[FeishuCall]):
    """Feishu for one app. Use it with `with`; it listens on 127.0.0.1 while open.

    `people` is everybody else's side, `past` what they said before, and `faults` what shall go wrong. All of
    it may be used from any thread, and outlives the app. `url` takes the place of `https://open.feishu.cn`.
    """

    platform = "feishu"
    most_bytes = 2 * media.MOST_DOWN
    world: FeishuWorld

    def __init__(
        self,
        app_id: str = DEFAULT_APP,
        secret: str = DEFAULT_SECRET,
        name: str = "Parley",
        pace: FeishuRateLimits = FeishuRateLimits(),  # noqa: B008 - frozen
        timing: FeishuSimulatorTiming = FeishuSimulatorTiming(),  # noqa: B008 - frozen
        port: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.world = FeishuWorld(app_id, secret, name, pace, timing, clock)
        self.people = SimulatedFeishuPeople(self.world)
        self.past = FeishuPast(self.world, self.people)
        self.scanning = FeishuScanning(self.world)
        self.faults = FeishuFaults()
        super().__init__(port)

    @property
    def connections(self) -> int:
        """Return how many long connections the app has now."""
        return len(self._delivery.connections)

    @property
    def pings(self) -> int:
        """Return how many pings came over the connections that stand now."""
        return sum(connection.pings for connection in self._delivery.connections)

    def limit_connections(self, most: int) -> None:
        """Allow only so many long connections."""
        self._delivery.limit = most

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

    def _open(self, app: web.Application) -> None:
        self._delivery = FeishuEventDelivery(self.world, self.faults)
        for name, verb, path, method in ROUTES:
            app.router.add_route(verb, path, self._route(name, method))
        app.router.add_post(f"{_API}/auth/v3/tenant_access_token/internal", self._token)
        app.router.add_post("/callback/ws/endpoint", self._endpoint)
        app.router.add_post(registration.PATH, self._register)
        app.router.add_get("/ws", self._connect)
        verbs = ((self.people, PEOPLE), (self.scanning, SCANNING), (self.faults, FAULTS))
        HttpControl(FeishuUpload, *verbs).add_to(app)

    def _listening(self) -> Sequence[Work]:
        return (self._delivery.run(),)

    def _route(self, name: str, method: Method) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            chats: list[str] = []

            async def perform() -> JsonObject | bytes:
                self._check_token(request)
                call = await read_request(request)
                chats.append(str(call.body.get("receive_id", "")))
                pace = self.world.pace
                with self.world.changed:
                    self.world.check_rate(name, pace.method, pace.method_minute)
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
        fault, code = await self.faults.begin(name), 0
        try:
            fault.refuse()
            answer = _ok(name, await perform())
        except FeishuErrorResponse as error:
            code, answer = error.code, _refusal(name, error)
        self._note(name, self._call(name, request, chats, code))
        return fault.spoil(answer)

    def _call(self, name: str, request: web.Request, chats: Sequence[str], code: int) -> FeishuCall:
        return FeishuCall(name, self._shown_in(request, chats), time.time(), code, dict(request.query))

    def _shown_in(self, request: web.Request, chats: Sequence[str]) -> str:
        """Return the chat of the message or card that a call is about, or else the one that it named."""
        with self.world.changed:
            path = request.match_info
            card = self.world.cards.get(path.get("card", ""))
            message = self.world.messages.get(card.message if card is not None else path.get("message", ""))
            return next(iter(chats), "") if message is None else message.chat

    def _check_token(self, request: web.Request) -> None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or not token:
            raise FeishuErrorResponse(99991661, "Missing access token for authorization.")
        if self.world.tokens.get(token, 0.0) < time.monotonic():
            raise FeishuErrorResponse(99991663, "Invalid access token for authorization.")

    async def _token(self, request: web.Request) -> web.StreamResponse:
        async def perform() -> JsonObject:
            body = (await read_request(request)).body
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
            body = (await read_request(request)).body
            if (body.get("AppID"), body.get("AppSecret")) != (self.world.app_id, self.world.secret):
                raise FeishuErrorResponse(1000040345, "app_id or app_secret is invalid", 200)
            query = f"device_id=d1&service_id=1&ticket={self._delivery.ticket()}"
            # Where they asked is where they can connect, through whatever lies between.
            url = f"ws://{request.host}/ws?{query}"
            config: JsonObject = dict(self._delivery.config())
            return {"URL": url, "ClientConfig": config}

        return await self._answer("endpoint", request, perform)

    async def _register(self, request: web.Request) -> web.StreamResponse:
        fault = await self.faults.begin("register")
        asked = {key: str(value) for key, value in (await request.post()).items()}
        with self.world.changed:
            status, body = registration.answer(self.world, asked, self.url)
        self._note("register", self._call("register", request, (), 0))
        return fault.spoil(web.json_response(body, status=status))

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        fault = await self.faults.begin("ws", effect=False)
        if fault.code:
            return web.Response(status=fault.status, text=fault.message)
        return await self._delivery.serve(request)


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
