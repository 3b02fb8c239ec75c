"""python-telegram-bot's requests over aiohttp.

Its own transport logs every URL, and the URL holds the bot's token; nor can it tell a request that never left
from one whose answer was lost, which decides whether sending again may double a message.
"""

from __future__ import annotations

import json
from typing import Any

import aiohttp
from telegram.error import InvalidToken
from telegram.request import BaseRequest, RequestData

from parley.channels.kit.http.errors import describe_network_error
from parley.channels.kit.http.pool import HttpPool
from parley.channels.telegram.errors import Flood, NotSent, ResponseMissing, UnknownMethod

CONNECT_TIMEOUT = 10.0
UPLOAD_TIMEOUT = 300.0
DEFAULT_PAUSE = 5.0
_NEVER_LEFT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)


class AiohttpRequest(BaseRequest):
    """The SDK's transport. `timeout` seconds of silence end a request."""

    def __init__(self, sessions: HttpPool, timeout: float) -> None:
        self._sessions = sessions
        self._timeout = timeout

    @property
    def read_timeout(self) -> float:
        """Seconds of silence that end a request unless it says otherwise."""
        return self._timeout

    async def initialize(self) -> None:
        """Nothing: connections are opened when they are needed."""

    async def shutdown(self) -> None:
        """Nothing: connections are closed by the last who needs them."""

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
        """Status and body of the answer. Raises TelegramError."""
        files = request_data is not None and request_data.contains_files
        silence = read_timeout if isinstance(read_timeout, int | float) else self._timeout
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=CONNECT_TIMEOUT, sock_read=UPLOAD_TIMEOUT if files else silence
        )
        body = None if request_data is None else _multipart(request_data) if files else _form(request_data)
        try:
            async with (
                self._sessions as session,
                session.request(method, url, data=body, timeout=timeout) as answer,
            ):
                status, content = answer.status, await answer.read()
        except _NEVER_LEFT as error:
            # None of these is chained: their texts may have the URL in them, and that has the token.
            raise NotSent(describe_network_error(error)) from None
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            raise ResponseMissing(describe_network_error(error)) from None
        _check(status, content)
        return status, content


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


def _check(status: int, content: bytes) -> None:
    """Raise what the SDK does not tell apart; it does the rest."""
    if status == 429:
        raise Flood(_retry_after(content))
    if status == 401:
        raise InvalidToken("Unauthorized")
    if status == 404:
        raise UnknownMethod("Not Found")
    if status >= 500:
        raise ResponseMissing(f"status {status}")


def _retry_after(content: bytes) -> float:
    try:
        return float(json.loads(content)["parameters"]["retry_after"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return DEFAULT_PAUSE
