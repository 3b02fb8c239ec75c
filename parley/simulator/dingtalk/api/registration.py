"""Apps made by scanning a code: a device flow of the older API, whose answers have an `errcode`.

As others recorded it: a nonce lives for five minutes and begins one registration; that it failed is told with
`errcode` 0.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from aiohttp import web

from parley.simulator.dingtalk.errors import OapiErrorResponse
from parley.simulator.dingtalk.faults import DingTalkFaults
from parley.simulator.dingtalk.model import DingTalkRegistration
from parley.simulator.dingtalk.world import DingTalkWorld
from parley.simulator.kit.json_values import JsonObject, decode_object

NONCE_LIFE = 300.0
Note = Callable[[str, JsonObject, int], None]


class DingTalkRegistrationApi:
    """Answers who wants an app made; they ask every `interval` seconds, for `life`."""

    def __init__(
        self, world: DingTalkWorld, faults: DingTalkFaults, note: Note, interval: float, life: float
    ) -> None:
        self._world = world
        self._faults = faults
        self._note = note
        self._interval, self._life = interval, life
        self._steps = {"init": self._init, "begin": self._begin, "poll": self._poll}

    def add_to(self, app: web.Application) -> None:
        """Serve it."""
        app.router.add_post("/app/registration/{step:init|begin|poll}", self._answer)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        fault = await self._faults.begin("register")
        raw, url = await request.read(), f"http://{request.host}"
        try:
            if fault.status:
                raise OapiErrorResponse(fault.status, fault.words or "系统繁忙")
            asked = decode_object(raw, _bad(), _bad())
            with self._world.changed:
                found = self._steps[request.match_info["step"]](asked, url)
        except OapiErrorResponse as error:
            found = {"errcode": error.number, "errmsg": error.words}
        self._note("register", found, 200)
        return fault.spoil(web.json_response({"errcode": 0, "errmsg": "ok"} | found))

    def _init(self, asked: JsonObject, url: str) -> JsonObject:
        if not isinstance(asked.get("source"), str) or not asked["source"]:
            raise _bad()
        nonce = secrets.token_hex(8)
        self._world.nonces[nonce] = time.monotonic() + NONCE_LIFE
        return {"nonce": nonce, "expires_in": int(NONCE_LIFE)}

    def _begin(self, asked: JsonObject, url: str) -> JsonObject:
        if self._world.nonces.pop(str(asked.get("nonce")), 0.0) < time.monotonic():
            raise OapiErrorResponse(40036, "nonce 无效或已过期")
        code, user = secrets.token_hex(16), secrets.token_hex(4).upper()
        self._world.registrations[user] = DingTalkRegistration(code, time.monotonic() + self._life)
        page = f"{url}/openapp/registration"
        return {
            "device_code": code,
            "user_code": user,
            "verification_uri": page,
            "verification_uri_complete": f"{page}?user_code={user}",
            "interval": self._interval,
            "expires_in": self._life,
        }

    def _poll(self, asked: JsonObject, url: str) -> JsonObject:
        code = asked.get("device_code")
        found = next((each for each in self._world.registrations.values() if each.code == code), None)
        if found is None:
            raise OapiErrorResponse(40037, "device_code 无效")
        if found.failed:
            return {"status": "FAIL", "fail_reason": found.failed}
        if found.scanned:
            keys: JsonObject = {
                "client_id": self._world.client_id,
                "client_secret": self._world.client_secret,
            }
            return {"status": "SUCCESS"} | keys
        return {"status": "WAITING" if time.monotonic() < found.ends else "EXPIRED"}


def registration_at(world: DingTalkWorld, url: str) -> DingTalkRegistration:
    """Return what an address belongs to. Raises LookupError."""
    return world.registrations[parse_qs(urlsplit(url).query).get("user_code", [""])[0]]


def _bad() -> OapiErrorResponse:
    return OapiErrorResponse(40035, "不合法的参数")
