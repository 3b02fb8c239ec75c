"""The Bot API over HTTP on loopback, in a thread of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aiohttp import web

from parley.simulator.kit.http_control import HttpControl
from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.simulator import PlatformSimulator, Work
from parley.simulator.telegram.api import media, methods
from parley.simulator.telegram.api.methods import Method
from parley.simulator.telegram.api.params import MOST_BYTES, TelegramParams, read_params
from parley.simulator.telegram.errors import TelegramErrorResponse
from parley.simulator.telegram.events import webhook
from parley.simulator.telegram.events.polling import PollingQueue
from parley.simulator.telegram.events.webhook import WebhookSender
from parley.simulator.telegram.faults import (
    TelegramFaults,
    TelegramRateLimiter,
    TelegramRateLimits,
)
from parley.simulator.telegram.http_verbs import FAULTS, PEOPLE
from parley.simulator.telegram.model import TelegramUpload
from parley.simulator.telegram.people import SimulatedTelegramPeople
from parley.simulator.telegram.world import TelegramWorld

_TOKEN = re.compile(r"\d{5,}:[\w-]{20,}\Z")
DEFAULT_TOKEN = "100200300:simulated-token-for-loopback-only"  # noqa: S105 - guards nothing
_UPDATES: dict[str, Method] = {
    "setwebhook": webhook.set_webhook,
    "deletewebhook": webhook.delete_webhook,
    "getwebhookinfo": webhook.webhook_info,
}
_METHODS = methods.METHODS | media.METHODS | _UPDATES
_SHOWN = frozenset({"sendchataction", "sendmessagedraft"})


@dataclass(frozen=True)
class TelegramCall:
    """A call of the bot: method as called, parameters, Unix time, and the status it was answered with."""

    method: str
    params: JsonObject
    at: float
    status: int


class TelegramSimulator(PlatformSimulator[TelegramCall]):
    """Telegram for one bot. Use it with `with`; it listens on 127.0.0.1 while open.

    `people` is everybody else's side and `faults` what shall go wrong. All of it may be used from any thread,
    and outlives the bot. `clock` counts the monotonic seconds of rate limits.
    """

    platform = "telegram"
    most_bytes = 2 * MOST_BYTES
    world: TelegramWorld

    def __init__(
        self,
        token: str = DEFAULT_TOKEN,
        username: str = "parley_bot",
        name: str = "Parley",
        pace: TelegramRateLimits | None = TelegramRateLimits(),  # noqa: B008 - frozen
        port: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not _TOKEN.match(token):
            raise ValueError("a bot token looks like 123456:at-least-twenty-letters")
        self.token = token
        self.world = TelegramWorld(name, username, token)
        self.people = SimulatedTelegramPeople(self.world)
        self.faults = TelegramFaults()
        self._pacer = TelegramRateLimiter(pace, clock)
        super().__init__(port)

    @property
    def api_url(self) -> str:
        """Return what to use instead of `https://api.telegram.org`."""
        return self.url

    @property
    def refused_for_pace(self) -> int:
        """Return how many calls were too many."""
        return self._pacer.refused

    @property
    def username(self) -> str:
        """Return the bot's name for mentions."""
        return self.world.bot.username

    @property
    def is_polled(self) -> bool:
        """Return whether the bot waits for updates now."""
        return self._polls.waiting

    def drop_poll(self) -> None:
        """Cut the connection on which the bot waits for updates."""
        self._polls.drop()

    def _open(self, app: web.Application) -> None:
        self._polls = PollingQueue(self.world)
        self._deliveries = WebhookSender(self.world, self.faults.out)
        app.router.add_route("*", "/bot{token}/{method}", self._api)
        app.router.add_get("/file/bot{token}/{path:.+}", self._file)
        HttpControl(TelegramUpload, (self.people, PEOPLE), (self.faults, FAULTS)).add_to(app)

    def _listening(self) -> Sequence[Work]:
        return (self._deliveries.run(),)

    async def _api(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        fault = await self.faults.begin(name.lower())
        params = TelegramParams({})
        try:
            self._check_token(request.match_info["token"])
            fault.refuse()
            params = await read_params(request)
            answer = _ok(await self._perform(name.lower(), params))
        except TelegramErrorResponse as error:
            answer = _refusal(error)
        files: JsonObject = {name: f"{len(file.content)} bytes" for name, file in params.files.items()}
        self._note(name, TelegramCall(name, params.values | files, time.time(), answer.status))
        return fault.spoil(answer)

    async def _perform(self, method: str, params: TelegramParams) -> Json:
        if method == "getupdates":
            return await self._polls.get_updates(params)
        perform = _METHODS.get(method)
        if perform is None:
            raise TelegramErrorResponse(404, "Not Found")
        with self.world.changed:
            if method in _SHOWN:
                self._pacer.check_shown(params.integer("chat_id") or 0)
            elif method.startswith(("send", "edit")):
                self._pacer.check(params.integer("chat_id") or 0)
            result = perform(self.world, params)
        if self.world.webhook:
            self._polls.hooked()
        return result

    def _check_token(self, token: str) -> None:
        if not _TOKEN.match(token):
            raise TelegramErrorResponse(404, "Not Found")
        if token != self.token:
            raise TelegramErrorResponse(401, "Unauthorized")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        await self.faults.begin("file", effect=False)
        content = self.world.files.get(request.match_info["path"].removeprefix("files/"))
        if request.match_info["token"] != self.token or content is None:
            return web.json_response({"ok": False, "error_code": 404, "description": "Not Found"}, status=404)
        return web.Response(body=content, content_type="application/octet-stream")


def _ok(result: Json) -> web.Response:
    return web.json_response({"ok": True, "result": result})


def _refusal(error: TelegramErrorResponse) -> web.Response:
    body: JsonObject = {"ok": False, "error_code": error.status, "description": error.description}
    if error.retry_after:
        body["parameters"] = {"retry_after": error.retry_after}
    if error.moved_to:
        body["parameters"] = {"migrate_to_chat_id": error.moved_to}
    return web.json_response(body, status=error.status)
