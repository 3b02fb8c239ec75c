"""Requests to DingTalk: JSON in and out, our errors, and no address in any of them (some hold the token)."""

from __future__ import annotations

import json
from collections.abc import Sequence

import aiohttp

from parley.channels.dingtalk.errors import ResponseLost, refusal
from parley.channels.kit.http.errors import describe_network_error
from parley.channels.kit.http.pool import HttpPool
from parley.core.model.errors import ChannelUnavailable
from parley.core.model.types import Json, JsonObject

CONNECT_TIMEOUT = 8.0
UPLOAD_TIMEOUT = 300.0
TOKEN_HEADER = "x-acs-dingtalk-access-token"  # noqa: S105 - the header's name
_NEVER_LEFT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)


def compact_json(value: JsonObject | Sequence[JsonObject]) -> str:
    """JSON in as few bytes as there are: DingTalk counts bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class DingTalkTransport:
    """`timeout` seconds of silence end a request."""

    def __init__(self, sessions: HttpPool, timeout: float) -> None:
        self._sessions = sessions
        self._timeout = timeout

    async def call(self, method: str, url: str, body: JsonObject, token: str = "") -> JsonObject:
        """The answer to a request. Raises ChannelError."""
        headers = {"Content-Type": "application/json"} | ({TOKEN_HEADER: token} if token else {})
        return await self._answer(method, url, compact_json(body).encode(), headers, self._timeout)

    async def upload(self, url: str, form: aiohttp.FormData) -> JsonObject:
        """The answer to a form. Raises ChannelError."""
        return await self._answer("POST", url, form, {}, UPLOAD_TIMEOUT)

    async def _answer(
        self, method: str, url: str, body: bytes | aiohttp.FormData, headers: dict[str, str], silence: float
    ) -> JsonObject:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT, sock_read=silence)
        try:
            async with (
                self._sessions as session,
                session.request(method, url, data=body, headers=headers, timeout=timeout) as answer,
            ):
                status, content = answer.status, await answer.read()
                pause = answer.headers.get("Retry-After", "")
        except _NEVER_LEFT as error:
            # None of these is chained: their texts may have the address in them.
            raise ChannelUnavailable(f"DingTalk cannot be reached: {describe_network_error(error)}") from None
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            raise ResponseLost(f"DingTalk gave no answer: {describe_network_error(error)}") from None
        if status >= 400:
            raise refusal(status, _parsed(content) or {}, pause)
        parsed = _parsed(content)
        if parsed is None:
            raise ResponseLost("DingTalk's answer was none")
        return parsed


def _parsed(content: bytes) -> JsonObject | None:
    try:
        value: Json = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
