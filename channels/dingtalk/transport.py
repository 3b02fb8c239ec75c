"""Requests to DingTalk: JSON in and out, our errors, and no address in any of them (some hold the token)."""

from __future__ import annotations

import aiohttp

from parley.channels.dingtalk.errors import refusal, unsuccessful
from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.fields import compact_json, json_object
from parley.channels.kit.http.client import UPLOAD_TIMEOUT, HttpClient, HttpResponse
from parley.channels.kit.http.pool import HttpPool
from parley.core.model.types import JsonObject

CONNECT_TIMEOUT = 8.0
TOKEN_HEADER = "x-acs-dingtalk-access-token"  # noqa: S105 - the header's name


class DingTalkTransport:
    """`timeout` seconds of silence end a request."""

    def __init__(self, sessions: HttpPool, timeout: float) -> None:
        self._http = HttpClient(sessions, "DingTalk", CONNECT_TIMEOUT)
        self._timeout = timeout

    async def call(self, method: str, url: str, body: JsonObject, token: str = "") -> JsonObject:
        """Return the answer to a request. Raises ChannelError."""
        headers = {"Content-Type": "application/json"} | ({TOKEN_HEADER: token} if token else {})
        data = compact_json(body).encode()
        return _checked(await self._http.request(method, url, data, headers=headers, silence=self._timeout))

    async def upload(self, url: str, form: aiohttp.FormData) -> JsonObject:
        """Return the answer to a form. Raises ChannelError."""
        return _checked(await self._http.request("POST", url, form, silence=UPLOAD_TIMEOUT))


def _checked(response: HttpResponse) -> JsonObject:
    try:
        parsed = json_object(response.body)
    except ValueError:
        parsed = None
    if parsed is not None and (error := unsuccessful(parsed)) is not None and response.status < 400:
        raise error
    if response.status >= 400:
        raise refusal(response.status, parsed or {}, response.headers.get("Retry-After", ""))
    if parsed is None:
        raise ResponseLost("DingTalk's answer was none")
    return parsed
