"""Calls of the open platform: one pool of connections, every answer's code looked at, our errors only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import aiohttp

from parley.channels.feishu.errors import ResponseLost, refusal
from parley.channels.feishu.fields import json_object
from parley.channels.kit.files import CHUNK, file_gone, file_too_large, save_chunks
from parley.channels.kit.http.errors import describe_network_error
from parley.channels.kit.http.pool import HttpPool
from parley.core.model.errors import ChannelUnavailable
from parley.core.model.types import Json, JsonObject

CONNECT_TIMEOUT = 5.0
UPLOAD_TIMEOUT = 300.0
_NEVER_LEFT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)


class FeishuTransport:
    """HTTP to one platform. `timeout` seconds of silence end a call. Every method raises ChannelError."""

    def __init__(self, sessions: HttpPool, base: str, timeout: float) -> None:
        self._sessions = sessions
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
        """The answer's whole object; its code was 0."""
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json; charset=utf-8"} if data is not None else {}
        limit = aiohttp.ClientTimeout(total=timeout or self._timeout, sock_connect=CONNECT_TIMEOUT)
        return await self._asked(method, path, data, headers | _bearer(token), limit, query)

    async def upload(self, path: str, form: Callable[[], aiohttp.FormData], token: str) -> dict[str, Json]:
        """The answer to a form with a file."""
        limit = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT, sock_read=UPLOAD_TIMEOUT)
        return await self._asked("POST", path, form(), _bearer(token), limit, None)

    async def download(self, path: str, kind: str, token: str, into: Path, limit: int) -> int:
        """Stream a file; returns the number of bytes. Raises AttachmentRefused for more than `limit`."""
        wait = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT, sock_read=self._timeout)
        with _mapped():
            async with (
                self._sessions as session,
                session.get(
                    self._base + path, params={"type": kind}, headers=_bearer(token), timeout=wait
                ) as answer,
            ):
                if answer.status != 200 or answer.content_type == "application/json":
                    _check(answer, await answer.read())
                    raise file_gone()
                if (answer.content_length or 0) > limit:
                    raise file_too_large(limit)
                return await save_chunks(answer.content.iter_chunked(CHUNK), into, limit)

    async def _asked(
        self,
        method: str,
        path: str,
        data: bytes | aiohttp.FormData | None,
        headers: Mapping[str, str],
        timeout: aiohttp.ClientTimeout,
        query: Mapping[str, str] | None,
    ) -> dict[str, Json]:
        with _mapped():
            async with (
                self._sessions as session,
                session.request(
                    method, self._base + path, data=data, headers=headers, params=query, timeout=timeout
                ) as answer,
            ):
                return _check(answer, await answer.read())


@contextmanager
def _mapped() -> Iterator[None]:
    """Turn aiohttp's errors into ours. They are not chained: their texts may have secrets of addresses."""
    try:
        yield
    except _NEVER_LEFT as error:
        raise ChannelUnavailable(f"Feishu cannot be reached: {describe_network_error(error)}") from None
    except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
        raise ResponseLost(f"Feishu gave no answer: {describe_network_error(error)}") from None


def _check(answer: aiohttp.ClientResponse, content: bytes) -> dict[str, Json]:
    """The object of an answer whose code is 0. Raises ChannelError for any other."""
    try:
        body = json_object(content)
    except ValueError:
        if answer.status == 429:
            raise refusal(99991400, "", 429, answer.headers) from None
        raise ResponseLost(f"Feishu's answer was none (status {answer.status})") from None
    code = body.get("code")
    if code == 0 and answer.status < 400:
        return body
    known = code if isinstance(code, int) else -1
    raise refusal(known, str(body.get("msg", "")), answer.status, answer.headers)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}
