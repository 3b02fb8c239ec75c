"""An app of one's own by a QR code: DingTalk makes it with a robot in stream mode.

DingTalk's documents do not have this device flow; it is that of DingTalk's own connector for agents.
"""

from __future__ import annotations

import asyncio
import time

from parley.channels.dingtalk.transport import CONNECT_TIMEOUT
from parley.channels.kit.fields import compact_json, json_object, text_or_empty
from parley.channels.kit.http.client import HttpClient
from parley.channels.kit.http.pool import HttpPool
from parley.channels.kit.registration import (
    PendingApp,
    RegisteredApp,
    RegistrationEnded,
    ShowAddress,
    read_pending,
)
from parley.core.model.errors import ChannelError, ChannelUnavailable
from parley.core.model.types import Json

SERVER = "https://oapi.dingtalk.com"
PATH = "/app/registration/"
SOURCE = "parley"
PATIENCE = 120.0
"""Seconds for which an answer that makes no sense, or none, is taken for a passing fault."""
_TIMEOUT = 15.0
_INTERVAL, _LIFE = 3.0, 3600.0
MOST_REASON = 200
"""Characters of what DingTalk says that are told."""
_LATE = "nobody scanned it in time; ask for another one"


async def register(show: ShowAddress, server: str = "") -> RegisteredApp:
    """Return the app that somebody makes at the address that is shown.

    Raises RegistrationEnded, ChannelError.
    """
    pool = HttpPool()
    async with pool:
        return await DingTalkAppRegistration(
            HttpClient(pool, "DingTalk", CONNECT_TIMEOUT), server or SERVER
        ).run(show)


class DingTalkAppRegistration:
    """One attempt to have an app made."""

    def __init__(self, http: HttpClient, server: str, patience: float = PATIENCE) -> None:
        self._http = http
        self._server = server.rstrip("/")
        self._patience = patience

    async def run(self, show: ShowAddress) -> RegisteredApp:
        """Return the app. Raises RegistrationEnded, ChannelError."""
        nonce = text_or_empty(await self._post("init", {"source": SOURCE}), "nonce")
        begun = read_pending(await self._post("begin", {"nonce": nonce}), "DingTalk", _INTERVAL, _LIFE)
        await show(begun.scan)
        return await self._wait(begun)

    async def _wait(self, begun: PendingApp) -> RegisteredApp:
        heard = time.monotonic()
        end = heard + begun.scan.life
        while time.monotonic() < end:
            await asyncio.sleep(begun.interval)
            try:
                told = await self._post("poll", {"device_code": begun.code})
            except ChannelError:
                if time.monotonic() - heard >= self._patience:
                    raise
                continue
            heard = time.monotonic()
            match text_or_empty(told, "status").upper():
                case "SUCCESS":
                    keys = {key: text_or_empty(told, key) for key in ("client_id", "client_secret")}
                    return RegisteredApp(keys)
                case "FAIL":
                    why = text_or_empty(told, "fail_reason")[:MOST_REASON]
                    raise RegistrationEnded(f"no app was made: DingTalk says {why or 'no reason'}")
                case "EXPIRED":
                    break
        raise RegistrationEnded(f"no app was made: {_LATE}")

    async def _post(self, step: str, fields: dict[str, Json]) -> dict[str, Json]:
        """Return the answer to a step. Raises RegistrationEnded, ChannelUnavailable."""
        headers = {"Content-Type": "application/json"}
        url, body = f"{self._server}{PATH}{step}", compact_json(fields).encode()
        answer = await self._http.request("POST", url, body, headers=headers, total=_TIMEOUT)
        try:
            told = json_object(answer.body)
        except ValueError:
            raise ChannelUnavailable(f"DingTalk's answer was none (status {answer.status})") from None
        if told.get("errcode") != 0:
            why = text_or_empty(told, "errmsg")[:MOST_REASON]
            raise RegistrationEnded(f"no app was made: DingTalk refused ({told.get('errcode')}: {why})")
        return told
