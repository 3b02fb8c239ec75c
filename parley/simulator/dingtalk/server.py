"""DingTalk over HTTP and WebSocket on loopback, in a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from aiohttp import web

from parley.simulator.dingtalk.api import cards, media, registration, robot
from parley.simulator.dingtalk.api.robot import MOST_BODY, Method, text_of
from parley.simulator.dingtalk.card_templates import QUESTION_TEMPLATE, TEMPLATE
from parley.simulator.dingtalk.errors import DingTalkErrorResponse, bad_request
from parley.simulator.dingtalk.events.gateway import DingTalkSimulatorTiming, StreamGateway
from parley.simulator.dingtalk.faults import (
    DingTalkFaults,
    DingTalkRateLimiter,
    DingTalkRateLimits,
)
from parley.simulator.dingtalk.http_verbs import FAULTS, PEOPLE, SCANNING
from parley.simulator.dingtalk.model import DingTalkPush, DingTalkUpload
from parley.simulator.dingtalk.people import SimulatedDingTalkPeople
from parley.simulator.dingtalk.scanning import DingTalkScanning
from parley.simulator.dingtalk.world import DingTalkWorld
from parley.simulator.kit.http_control import HttpControl
from parley.simulator.kit.json_values import JsonObject, as_list, as_object, decode_object
from parley.simulator.kit.limits import load_limits
from parley.simulator.kit.simulator import PlatformSimulator, Work

_TOKEN = "x-acs-dingtalk-access-token"  # noqa: S105 - the header's name
_PATHS = {
    "accessToken": ("POST", "/v1.0/oauth2/accessToken"),
    "open": ("POST", "/v1.0/gateway/connections/open"),
    "batchSend": ("POST", "/v1.0/robot/oToMessages/batchSend"),
    "groupSend": ("POST", "/v1.0/robot/groupMessages/send"),
    "download": ("POST", "/v1.0/robot/messageFiles/download"),
    "react": ("POST", "/v1.0/robot/emotion/reply"),
    "unreact": ("POST", "/v1.0/robot/emotion/recall"),
    "createAndDeliver": ("POST", "/v1.0/card/instances/createAndDeliver"),
    "create": ("POST", "/v1.0/card/instances"),
    "deliver": ("POST", "/v1.0/card/instances/deliver"),
    "update": ("PUT", "/v1.0/card/instances"),
    "streaming": ("PUT", "/v1.0/card/streaming"),
}
_LIMITS = load_limits("dingtalk")
_METHODS: dict[str, Method] = robot.METHODS | cards.METHODS
_OPEN_TO_ALL = frozenset({"accessToken", "open"})
_PACED = frozenset(cards.METHODS)


@dataclass(frozen=True)
class DingTalkCall:
    """A call of the app: method as the faults name it, body, Unix time, and the status of its answer."""

    method: str
    body: JsonObject
    at: float
    status: int


class DingTalkSimulator(PlatformSimulator[DingTalkCall]):
    """DingTalk for one app and its robot. Use it with `with`; it listens on 127.0.0.1 while open.

    `people` is everybody else's side, `scanning` the phone of who makes the app, and `faults` what shall go
    wrong. All of it may be used from any thread,
    and outlives the robot. `url` takes the place of `https://api.dingtalk.com` and of
    `https://oapi.dingtalk.com`.
    """

    platform = "dingtalk"
    most_bytes = 4 * media.MOST_FILE
    world: DingTalkWorld

    def __init__(
        self,
        client_id: str = "ding-simulated-app",
        client_secret: str = "simulated-secret-for-loopback-only",  # noqa: S107 - guards nothing
        name: str = "Parley",
        pace: DingTalkRateLimits | None = DingTalkRateLimits(),  # noqa: B008 - frozen
        timing: DingTalkSimulatorTiming = DingTalkSimulatorTiming(),  # noqa: B008 - frozen
        port: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client_id = client_id
        self.client_secret = client_secret
        self.name = name
        self.template = TEMPLATE
        self.question_template = QUESTION_TEMPLATE
        self.world = DingTalkWorld(client_id, client_secret, client_id, timing.token_life)
        self.faults = DingTalkFaults()
        self.people = SimulatedDingTalkPeople(self.world, name, self._push)
        self.scanning = DingTalkScanning(self.world)
        self._timing = timing
        self._pacer = DingTalkRateLimiter(pace, clock)
        super().__init__(port)

    @property
    def connections(self) -> int:
        """Return how many connections of the app stand."""
        return self._gateway.connections

    @property
    def pings_answered(self) -> int:
        """Return how many pings were answered, with what they held."""
        return self._gateway.pings_answered

    @property
    def refused_for_pace(self) -> int:
        """Return how many calls the limit of calls a second has refused."""
        return self._pacer.refused

    def spoil_tickets(self, count: int) -> None:
        """Let the next tickets be worth nothing when they are used."""
        with self.world.changed:
            self.world.spoiled = count

    def drop(self) -> None:
        """Cut every connection of the app."""
        self._gateway.drop()

    def disconnect(self) -> None:
        """Tell every connection that it ends soon, as the platform does when it is maintained."""
        self._gateway.disconnect()

    def revoke(self) -> None:
        """From now on refuse the app's credentials and tokens, and cut what is connected."""
        with self.world.changed:
            self.world.revoked = True
        self.drop()

    def _push(self, push: DingTalkPush) -> None:
        self._gateway.push(push)

    def _open(self, app: web.Application) -> None:
        self._gateway = StreamGateway(self.world, self.faults, self._timing)
        for name, (method, path) in _PATHS.items():
            app.router.add_route(method, path, self._handler(name))
        app.router.add_get("/connect", self._gateway.connect)
        media.DingTalkMediaApi(self.world, self.faults, self._note_call).add_to(app)
        registration.DingTalkRegistrationApi(
            self.world, self.faults, self._note_call, self._timing.poll, self._timing.registration
        ).add_to(app)
        verbs = ((self.people, PEOPLE), (self.scanning, SCANNING), (self.faults, FAULTS))
        HttpControl(DingTalkUpload, *verbs).add_to(app)

    def _listening(self) -> Sequence[Work]:
        self.people.url = self.url
        return ()

    def _handler(self, name: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            return await self._api(name, request)

        return handle

    async def _api(self, name: str, request: web.Request) -> web.StreamResponse:
        fault = await self.faults.begin(name)
        body: JsonObject = {}
        try:
            body = _body(await request.read())
            fault.refuse()
            answer = web.json_response(self._perform(name, body, request))
        except DingTalkErrorResponse as error:
            answer = web.json_response(error.body(), status=error.status)
        self._note_call(name, body, answer.status)
        return fault.spoil(answer)

    def _perform(self, name: str, body: JsonObject, request: web.Request) -> JsonObject:
        with self.world.changed:
            if name == "open":
                return self._new_ticket(body, request.host)
            if name not in _OPEN_TO_ALL and not self.world.check_token(request.headers.get(_TOKEN, "")):
                status, code = _LIMITS["stale_token_status"].whole, str(_LIMITS["stale_token_code"].value)
                raise DingTalkErrorResponse(status, code, "不合法的access_token")
            if name in _PACED:
                self._pacer.check()
            answer = _METHODS[name](self.world, body)
        if "downloadUrl" in answer:
            answer = {"downloadUrl": f"http://{request.host}{answer['downloadUrl']}"}
        return answer

    def _new_ticket(self, body: JsonObject, host: str) -> JsonObject:
        """Make a ticket for a connection, where `host` is what they asked: they can reach that."""
        self.world.check_app(text_of(body, "clientId"), text_of(body, "clientSecret"))
        topics = [as_object(entry).get("topic") for entry in as_list(body.get("subscriptions"))]
        if not topics:
            raise bad_request("subscriptions.empty", "nothing to subscribe to")
        ticket = self.world.new_ticket(tuple(str(topic) for topic in topics))
        return {"endpoint": f"ws://{host}/connect", "ticket": ticket}

    def _note_call(self, name: str, body: JsonObject, status: int) -> None:
        self._note(name, DingTalkCall(name, body, time.time(), status))


def _body(raw: bytes) -> JsonObject:
    if len(raw) > MOST_BODY:
        raise bad_request("invalidParameter.body.tooLong", f"at most {MOST_BODY} bytes")
    code = "invalidParameter.body.invalid"
    return decode_object(raw, bad_request(code, "no JSON"), bad_request(code, "no object"))
