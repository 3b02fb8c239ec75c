"""Calls of the open platform: every answer's code looked at, our errors only."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import aiohttp

from parley.channels.feishu.errors import refusal
from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.fields import json_object
from parley.channels.kit.files import file_gone
from parley.channels.kit.http.client import UPLOAD_TIMEOUT, HttpClient, HttpResponse
from parley.channels.kit.http.download import save_response
from parley.channels.kit.http.pool import HttpPool
from parley.core.model.types import Json, JsonObject

CONNECT_TIMEOUT = 5.0


class FeishuTransport:
    """HTTP to one platform. `timeout` seconds of silence end a call. Every method raises ChannelError."""

    def __init__(self, sessions: HttpPool, base: str, timeout: float) -> None:
        self._http = HttpClient(sessions, "Feishu", CONNECT_TIMEOUT)
        self._base = base
        self._timeout = timeout

    async def call(
        self,
        method: str,
        path: str,
        body: JsonObject | None = None,
        *,
        query: Mapping[str, str] | None = None,
        token: str = "",
        timeout: float = 0.0,
    ) -> dict[str, Json]:
        """Return the answer's whole object; its code was 0."""
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json; charset=utf-8"} if data is not None else {}
        return _checked(
            await self._http.request(
                method,
                self._base + path,
                data,
                headers=headers | _bearer(token),
                query=query,
                total=timeout or self._timeout,
            )
        )

    async def upload(self, path: str, form: Callable[[], aiohttp.FormData], token: str) -> dict[str, Json]:
        """Return the answer to a form with a file."""
        url, headers = self._base + path, _bearer(token)
        return _checked(
            await self._http.request("POST", url, form(), headers=headers, silence=UPLOAD_TIMEOUT)
        )

    async def download(self, path: str, kind: str, token: str, into: Path, limit: int) -> int:
        """Stream a file; returns the number of bytes. Raises AttachmentRefused for more than `limit`."""
        async with self._http.stream(
            self._base + path, headers=_bearer(token), query={"type": kind}, silence=self._timeout
        ) as answer:
            if answer.status != 200 or answer.content_type == "application/json":
                _checked(HttpResponse(answer.status, answer.headers, await answer.read()))
                raise file_gone()
            return await save_response(answer, into, limit)


def _checked(response: HttpResponse) -> dict[str, Json]:
    """Return the object of an answer whose code is 0. Raises ChannelError for any other."""
    try:
        body = json_object(response.body)
    except ValueError:
        if response.status == 429:
            raise refusal(99991400, "", 429, response.headers) from None
        raise ResponseLost(f"Feishu's answer was none (status {response.status})") from None
    code = body.get("code")
    if code == 0 and response.status < 400:
        return body
    known = code if isinstance(code, int) else -1
    raise refusal(known, str(body.get("msg", "")), response.status, response.headers)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}
