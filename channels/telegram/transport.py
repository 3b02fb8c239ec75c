"""python-telegram-bot's requests over aiohttp.

Its own transport logs every URL, and the URL holds the bot's token; nor can it tell a request that never left
from one whose answer was lost, which decides whether sending again may double a message.
"""

from __future__ import annotations

import json
import math
from typing import Any

import aiohttp
from telegram.error import InvalidToken
from telegram.request import BaseRequest, RequestData

from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.http.client import UPLOAD_TIMEOUT, HttpClient, HttpResponse
from parley.channels.kit.http.pool import HttpPool
from parley.channels.telegram.errors import Flood, ProxyRefused, RequestFailed, UnknownMethod
from parley.core.model.errors import ChannelUnavailable

CONNECT_TIMEOUT = 10.0
DEFAULT_PAUSE = 5.0
# The request came too slowly, or too early: nothing was done, and it may pass.
_PASSING = frozenset({408, 425})
# What the SDK reads itself where the Bot API says it; 413 and others are final whoever says so.
_SPOKEN = frozenset({400, 403, 409})


class AiohttpRequest(BaseRequest):
    """The SDK's transport. `timeout` seconds of silence end a request."""

    def __init__(self, sessions: HttpPool, timeout: float) -> None:
        self._http = HttpClient(sessions, "Telegram", CONNECT_TIMEOUT)
        self._timeout = timeout

    @property
    def read_timeout(self) -> float:
        """Seconds of silence that end a request unless it says otherwise."""
        return self._timeout

    async def initialize(self) -> None:
        """Do nothing: connections are opened when they are needed."""

    async def shutdown(self) -> None:
        """Do nothing: connections are closed by the last who needs them."""

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ANN401 - the SDK's own default type is private
        write_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ANN401
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ANN401
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ANN401
    ) -> tuple[int, bytes]:
        """Return status and body of the answer. Raises TelegramError."""
        files = request_data is not None and request_data.contains_files
        silence = read_timeout if isinstance(read_timeout, int | float) else self._timeout
        body = None if request_data is None else _multipart(request_data) if files else _form(request_data)
        try:
            response = await self._http.request(
                method, url, body, silence=UPLOAD_TIMEOUT if files else silence
            )
        except ChannelUnavailable as error:
            raise RequestFailed(error) from None
        _check(response)
        return response.status, response.body


def _form(data: RequestData) -> dict[str, str]:
    return data.json_parameters


def _multipart(data: RequestData) -> aiohttp.FormData:
    # Otherwise file names arrive, and are shown, with their spaces and letters percent-escaped.
    form = aiohttp.FormData(quote_fields=False)
    for name, value in data.json_parameters.items():
        form.add_field(name, value)
    for name, (filename, content, mime) in data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=mime)
    return form


def _check(response: HttpResponse) -> None:
    """Raise what the SDK does not tell apart; it does the rest."""
    status = response.status
    if status == 429:
        raise Flood(_retry_after(response.body))
    if status == 401:
        raise InvalidToken("Unauthorized")
    if status == 404:
        raise UnknownMethod("Not Found")
    if status in _PASSING or status >= 500:
        raise RequestFailed(ResponseLost(f"Telegram gave no answer: status {status}"))
    if 400 <= status < 500 and (status not in _SPOKEN or not _is_telegrams(response.body)):
        raise RequestFailed(ProxyRefused(f"Telegram, or a proxy, refused with status {status}"))


def _is_telegrams(content: bytes) -> bool:
    """Tell whether the Bot API says it, not something on the way to it."""
    try:
        return "error_code" in json.loads(content)
    except (ValueError, TypeError, RecursionError):
        return False


def _retry_after(content: bytes) -> float:
    """Return the pause that is asked for, a usual one where what is asked makes no sense."""
    try:
        asked = float(json.loads(content)["parameters"]["retry_after"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return DEFAULT_PAUSE
    return max(1.0, asked) if math.isfinite(asked) else DEFAULT_PAUSE
