"""An app of one's own by a QR code: Feishu and Lark make it with the scopes, events and callbacks it needs.

The protocol is that of `lark_oapi.scene.registration`, a device flow. The SDK's own module is not used: it
would load the whole SDK, and it waits for each answer without a limit.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import time
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from parley.channels.feishu import scopes
from parley.channels.kit.fields import json_object, object_or_empty
from parley.channels.kit.http.client import HttpClient
from parley.channels.kit.http.pool import HttpPool
from parley.channels.kit.registration import (
    PendingApp,
    RegisteredApp,
    RegistrationEnded,
    ScanAddress,
    ShowAddress,
    read_pending,
)
from parley.core.model.errors import ChannelUnavailable
from parley.core.model.types import Json, JsonObject

ACCOUNTS = {"feishu": "https://accounts.feishu.cn", "lark": "https://accounts.larksuite.com"}
PATH = "/oauth/v1/app/registration"
_METHOD = "client_secret"
_TIMEOUT = 15.0
_INTERVAL, _SLOWER, _LIFE = 5.0, 5.0, 600.0
_ENDS = {
    "access_denied": "it was declined on the phone",
    "expired_token": "nobody scanned it in time; ask for another one",
}


async def register(show: ShowAddress, server: str = "") -> RegisteredApp:
    """Return the app that somebody makes at the address that is shown.

    Raises RegistrationEnded, ChannelError.
    """
    pool = HttpPool()
    async with pool:
        return await Registration(HttpClient(pool, "Feishu", 5.0), server).run(show)


class Registration:
    """One attempt to have an app made. It begins on Feishu and goes on where the person's account is."""

    def __init__(self, http: HttpClient, server: str = "") -> None:
        self._http = http
        self._server, self._fixed = server or ACCOUNTS["feishu"], bool(server)
        self._brand = "feishu"

    async def run(self, show: ShowAddress) -> RegisteredApp:
        """Return the app. Raises RegistrationEnded, ChannelError."""
        known = await self._post(action="init")
        methods: Json = known.get("supported_auth_methods")
        if not isinstance(methods, list) or _METHOD not in methods:
            raise RegistrationEnded("no app was made: Feishu hands out no secrets in this way any more")
        told = await self._post(
            action="begin", archetype="PersonalAgent", auth_method=_METHOD, request_user_info="open_id"
        )
        begun = read_pending(told, "Feishu", _INTERVAL, _LIFE)
        await show(ScanAddress(address_with_addons(begun.scan.url), begun.scan.life))
        return await self._wait(begun)

    async def _wait(self, begun: PendingApp) -> RegisteredApp:
        end, pause = time.monotonic() + begun.scan.life, begun.interval
        while time.monotonic() < end:
            try:
                told = await self._post(action="poll", device_code=begun.code)
            except ChannelUnavailable:
                # The phone is not ours to hurry: what is lost is one look.
                told = {"error": "authorization_pending"}
            app = self._app(told)
            if app is not None:
                return app
            if self._moves(told):
                continue
            pause += _slower(told)
            await asyncio.sleep(pause)
        raise RegistrationEnded(f"no app was made: {_ENDS['expired_token']}")

    def _app(self, told: JsonObject) -> RegisteredApp | None:
        number, secret = told.get("client_id"), told.get("client_secret")
        if not (isinstance(number, str) and isinstance(secret, str) and number and secret):
            return None
        return RegisteredApp({"app_id": number, "app_secret": secret, "domain": self._brand})

    def _moves(self, told: JsonObject) -> bool:
        """Go on at Lark's server for people of Lark; tells whether we do."""
        if object_or_empty(told, "user_info").get("tenant_brand") != "lark" or self._brand == "lark":
            return False
        self._brand = "lark"
        if not self._fixed:
            self._server = ACCOUNTS["lark"]
        return True

    async def _post(self, **fields: str) -> dict[str, Json]:
        answer = await self._http.request("POST", self._server + PATH, fields, total=_TIMEOUT)
        try:
            return json_object(answer.body)
        except ValueError:
            raise ChannelUnavailable(f"Feishu's answer was none (status {answer.status})") from None


def address_with_addons(address: str) -> str:
    """Return the address with what the app is to be made with."""
    parts = urlsplit(address)
    query: dict[str, list[str]] = parse_qs(parts.query)
    query |= {"from": ["sdk"], "tp": ["sdk"], "source": ["python-sdk/parley"], "addons": [_addons()]}
    return urlunsplit(parts._replace(query=urlencode(query, doseq=True)))


def _addons() -> str:
    wanted = {
        "scopes": {"tenant": list(scopes.TENANT)},
        "events": {"items": {"tenant": list(scopes.EVENTS)}},
        "callbacks": {"items": list(scopes.CALLBACKS)},
    }
    packed = gzip.compress(json.dumps(wanted, separators=(",", ":")).encode(), mtime=0)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _slower(told: JsonObject) -> float:
    """Return by how much to slow down while nobody has decided. Raises RegistrationEnded."""
    error = str(told.get("error") or "")
    if error in ("", "authorization_pending"):
        return 0.0
    if error == "slow_down":
        return _SLOWER
    raise RegistrationEnded(f"no app was made: {_ENDS.get(error, f'Feishu says {error[:100]}')}")
