"""Slack on loopback, in a thread of its own: the Web API, Socket Mode, posted events, files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aiohttp import web

from parley.simulator.kit.http_control import HttpControl
from parley.simulator.kit.json_values import JsonObject
from parley.simulator.kit.simulator import PlatformSimulator, Work
from parley.simulator.slack.api import (
    agents,
    conversations,
    methods,
    modals,
    reactions,
    responses,
    streams,
    uploads,
)
from parley.simulator.slack.api.params import SlackParams, read_params
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.events.event_queue import SlackEventQueue
from parley.simulator.slack.events.events_api import EventsApiSender, PostedEvent
from parley.simulator.slack.events.socket_mode import SocketModeServer
from parley.simulator.slack.faults import SlackFaults, SlackRateLimiter
from parley.simulator.slack.http_verbs import FAULTS, ITSELF, PEOPLE
from parley.simulator.slack.model import SlackSimulatorTiming, SlackUpload
from parley.simulator.slack.past import SlackPast
from parley.simulator.slack.people import SimulatedSlackPeople
from parley.simulator.slack.world import Experience, SlackWorld

DEFAULT_BOT_TOKEN = "xoxb-100200300-simulated-for-loopback-only"  # noqa: S105 - guards nothing
DEFAULT_APP_TOKEN = "xapp-1-A0SIM-400500600-simulated-for-loopback-only"  # noqa: S105
DEFAULT_SIGNING_SECRET = "5117a1edf00d5117a1edf00d5117a1ed"  # noqa: S105
_METHODS = methods.METHODS | conversations.METHODS | streams.METHODS | uploads.METHODS
_METHODS |= modals.METHODS | agents.METHODS | reactions.METHODS


@dataclass(frozen=True)
class SlackCall:
    """A call of the app: method, parameters, Unix time when it was answered, and the error or ""."""

    method: str
    params: JsonObject
    at: float
    error: str


class SlackSimulator(PlatformSimulator[SlackCall]):
    """A Slack workspace with one app. Use it with `with`; it listens on 127.0.0.1 while open.

    `people` is everybody else's side, `past` what they said before, and `faults` what shall go wrong. All of
    it may be used from any thread, and outlives the app's processes. `strict_pace` enforces the rate tiers.
    `experience` is what the app's manifest has: agent_view, assistant_view, or neither.
    """

    platform = "slack"
    most_bytes = 2**30
    world: SlackWorld

    def __init__(
        self,
        bot_token: str = DEFAULT_BOT_TOKEN,
        app_token: str = DEFAULT_APP_TOKEN,
        handle: str = "parley",
        name: str = "Parley",
        timing: SlackSimulatorTiming = SlackSimulatorTiming(),  # noqa: B008 - frozen
        strict_pace: bool = True,
        port: int = 0,
        signing_secret: str = DEFAULT_SIGNING_SECRET,
        experience: Experience = "agent",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.world = SlackWorld(name, handle, bot_token, app_token, timing, experience)
        self.faults = SlackFaults()
        self.signing_secret = signing_secret
        """With which events that are posted are signed."""
        self._events = SlackEventQueue(self.world)
        self.people = SimulatedSlackPeople(self.world, self._events)
        self.past = SlackPast(self.world)
        self._pacer = SlackRateLimiter(strict=strict_pace, clock=clock)
        super().__init__(port)

    @property
    def bot_token(self) -> str:
        """Return the token that the app writes with."""
        return self.world.bot_token

    @property
    def app_token(self) -> str:
        """Return the token that opens connections."""
        return self.world.app_token

    @property
    def api_url(self) -> str:
        """Return what to use instead of `https://slack.com/api/`."""
        return f"{self.world.base_url}/api/"

    @property
    def refused_for_pace(self) -> int:
        """Return how many calls were too many for their tier."""
        return self._pacer.refused

    @property
    def handle(self) -> str:
        """Return the app's name for mentions."""
        return self.world.bot.handle

    @property
    def connections(self) -> int:
        """Return how many Socket Mode connections the app has."""
        return self._sockets.connections

    @property
    def opened(self) -> int:
        """Return how many it ever had."""
        return self._sockets.opened

    @property
    def posts(self) -> tuple[PostedEvent, ...]:
        """Posts to the app's request URL, oldest first."""
        return tuple(self._posts.answered)

    def post_to(self, url: str) -> None:
        """Post events to this address from now on, instead of over Socket Mode; it must answer Slack's
        challenge. Raises ValueError when it does not."""
        self._do(self._posts.post_to(url))

    def disconnect(self, reason: str = "refresh_requested", *, close: bool = False) -> None:
        """Say goodbye on every connection; `close` ends it at once, else that is left to the app."""
        self._do(self._sockets.disconnect(reason, close=close))

    def drop_connections(self) -> None:
        """Cut every connection without a word."""
        self._loop.call_soon_threadsafe(self._sockets.abort)

    def send_frame(self, content: str | bytes) -> None:
        """Send a frame of any content."""
        self._do(self._sockets.say(content))

    def _do(self, work: Work) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(5)

    def _open(self, app: web.Application) -> None:
        self._sockets = SocketModeServer(self.world, self._events, self.faults)
        self._posts = EventsApiSender(self.world, self._events, self.faults, self.signing_secret)
        self._events.wake = self._wake
        app.router.add_post("/api/{method}", self._api)
        app.router.add_get("/api/{method}", self._api)
        app.router.add_get("/link/", self._sockets.serve)
        app.router.add_get("/files-pri/{id}/download/{name}", self._download)
        app.router.add_get("/files-pri/{id}/{name}", self._download)
        app.router.add_post("/upload/v1/{id}", self._upload)
        app.router.add_post("/commands/{id}", self._respond)
        verbs = ((self.people, PEOPLE), (self.faults, FAULTS), (self, ITSELF))
        HttpControl(SlackUpload, *verbs).add_to(app)

    def _listening(self) -> Sequence[Work]:
        self.world.base_url = self.url
        return (self._sockets.pump(), self._posts.pump())

    async def _close(self) -> None:
        self._events.wake = lambda: None
        await self._sockets.close()

    def _wake(self) -> None:
        for wire in (self._sockets, self._posts):
            self._loop.call_soon_threadsafe(wire.wake)

    async def _api(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        fault = await self.faults.begin(name)
        params, error = SlackParams({}), ""
        try:
            params = await read_params(request)
            self.faults.check_outage()
            fault.refuse()
            answer = self._answer(name, params, _token(request, params))
        except SlackErrorResponse as refusal:
            answer, error = _refusal(refusal), refusal.error
        self._note(name, SlackCall(name, params.values, time.time(), error))
        return fault.spoil(answer)

    def _answer(self, name: str, params: SlackParams, token: str) -> web.Response:
        with self.world.changed:
            if name == "apps.connections.open":
                self._check(token, self.world.app_token, self.world.bot_token)
                return web.json_response({"ok": True, "url": self._sockets.ticket()})
            if name not in _METHODS:
                raise SlackErrorResponse("unknown_method")
            self._check(token, self.world.bot_token, self.world.app_token)
            perform, scope = _METHODS[name]
            if scope and scope not in self.world.scopes:
                raise SlackErrorResponse("missing_scope", needed=scope)
            self._pacer.check(name, params.text("channel"), for_sale=self.world.for_sale)
            result = perform(self.world, params)
            headers = {"x-oauth-scopes": ",".join(sorted(self.world.scopes))}
            return web.json_response({"ok": True} | result, headers=headers)

    def _check(self, token: str, wanted: str, other: str) -> None:
        if not token:
            raise SlackErrorResponse("not_authed")
        if token == other:
            raise SlackErrorResponse("not_allowed_token_type")
        if token != wanted:
            raise SlackErrorResponse("invalid_auth")

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        fault = await self.faults.begin("respond")
        try:
            fault.refuse()
            with self.world.changed:
                responses.respond(self.world, request.match_info["id"], await request.read())
        except SlackErrorResponse as error:
            return web.Response(status=error.status, text=error.error)
        fault.lose_answer()
        return web.Response(text="ok")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        await self.faults.begin("file", effect=False)
        file = self.world.files.get(request.match_info["id"].partition("-")[2])
        if _token(request, SlackParams({})) != self.bot_token or "files:read" not in self.world.scopes:
            # On the platform, too, this is no error but a page to log in on.
            return web.Response(text="<html>Sign in to Slack</html>", content_type="text/html")
        if file is None:
            return web.Response(status=404)
        return web.Response(body=file.content, content_type="application/octet-stream")

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        fault = await self.faults.begin("upload")
        content = await _uploaded(request)
        try:
            fault.refuse()
            with self.world.changed:
                uploads.receive(self.world, request.match_info["id"], content)
        except SlackErrorResponse as error:
            return web.Response(status=error.status if error.status != 200 else 500, text=error.error)
        fault.lose_answer()
        return web.Response(text=f"OK - {len(content)}")


async def _uploaded(request: web.Request) -> bytes:
    """Return the bytes of an upload: the body itself, or the one file of a form."""
    if request.content_type != "multipart/form-data":
        return await request.read()
    for value in (await request.post()).values():
        if isinstance(value, web.FileField):
            return value.file.read()
    return b""


def _token(request: web.Request, params: SlackParams) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ").strip() or params.text("token")


def _refusal(error: SlackErrorResponse) -> web.Response:
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
    if error.status >= 500:
        return web.Response(status=error.status, text="upstream error", headers=headers)
    body = {"ok": False, "error": error.error} | ({"needed": error.needed} if error.needed else {})
    return web.json_response(body, status=error.status, headers=headers)
