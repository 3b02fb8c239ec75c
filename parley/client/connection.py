"""Requests to the HTTP API, over a socket or as calls in this process; answers become the API's models."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from parley.agent.transport.decoding import MOST_BYTES, EventReader
from parley.client.errors import ClientError

_Answer = TypeVar("_Answer")
_BEAT = httpx.Timeout(10.0, read=45.0)
"""A stream is dead after 45 seconds without an event: a sign of life comes every fifteen."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """An event of the chats' stream."""

    name: str
    data: object
    id: str


@dataclass(frozen=True, slots=True)
class OpenedApi:
    """The API while it is open; `check` raises ParleyError where it has ended by itself.

    `remote` says that it is reached over a network, where a lost connection is made again.
    """

    http: httpx.AsyncClient
    check: Callable[[], None]
    remote: bool


class Connection:
    """The way to the API of one Parley."""

    def __init__(self, opening: AbstractAsyncContextManager[OpenedApi]) -> None:
        self._opening, self._stack = opening, AsyncExitStack()
        self._opened: OpenedApi | None = None

    async def open(self) -> None:
        """Start a Parley in this process, or reach one. Raises ParleyError."""
        self._opened = await self._stack.enter_async_context(self._opening)

    async def close(self) -> None:
        """Stop what was started, in order."""
        self._opened = None
        await self._stack.aclose()

    @property
    def api(self) -> OpenedApi:
        """Return the API. Raises ClientError while the client is not open."""
        if self._opened is None:
            raise ClientError("The client is not open: use it in a `with` block.", code="closed")
        self._opened.check()
        return self._opened

    async def ask(
        self, kind: type[_Answer], method: str, path: str, *, json: object = None, **query: str
    ) -> _Answer:
        """Return the answer to a request as its model. Raises ClientError."""
        return parse(kind, (await self.send(method, path, json=json, **query)).content)

    async def send(self, method: str, path: str, *, json: object = None, **query: str) -> httpx.Response:
        """Return the answer to a request as it came. Raises ClientError."""
        params = {name: value for name, value in query.items() if value}
        return await _answer(self.api.http.request(method, path, params=params, json=json))

    async def upload(self, path: str, name: str, content: bytes, mime: str) -> httpx.Response:
        """Return the answer to a file. Raises ClientError."""
        return await _answer(self.api.http.post(path, files={"file": (name, content, mime)}))

    async def events(self, last: str) -> AsyncGenerator[ServerEvent]:
        """Yield what happens after the event `last`. Raises httpx.TransportError, ClientError."""
        headers, http = {"last-event-id": last} if last else {}, self.api.http
        async with http.stream("GET", "/api/chat/events", headers=headers, timeout=_BEAT) as response:
            if not response.is_success:
                await response.aread()
                raise _refusal(response)
            reader = EventReader(MOST_BYTES)
            async for piece in response.aiter_bytes():
                for event in _read_events(reader, piece):
                    yield event


def parse(kind: type[_Answer], content: bytes) -> _Answer:
    """Return JSON as a model of the API. Raises ClientError."""
    model: Any = kind  # mypy takes no type for hashable
    try:
        answer: _Answer = _adapter(model).validate_json(content)
    except ValidationError as error:
        raise not_parley() from error
    return answer


def not_parley() -> ClientError:
    """Return the error of an answer that Parley does not give."""
    return ClientError("What answers there is no Parley, or one of another version.", code="shape")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - of any type
    return TypeAdapter(kind)


async def _answer(request: Awaitable[httpx.Response]) -> httpx.Response:
    """Return an answer that is no refusal. Raises ClientError."""
    try:
        response = await request
    except UnicodeEncodeError as error:
        raise ClientError("A text has signs that are no valid Unicode.", 422, "bad_request") from error
    except httpx.HTTPError as error:
        raise ClientError(f"Parley cannot be reached: {str(error) or type(error).__name__}") from error
    if not response.is_success:
        raise _refusal(response)
    return response


def _read_events(reader: EventReader, piece: bytes) -> list[ServerEvent]:
    try:
        return [ServerEvent(part.event, part.data, _printable(part.id or "")) for part in reader.feed(piece)]
    except ValueError as error:
        raise not_parley() from error


def _printable(event_id: str) -> str:
    """Return an event's id if it can stand in a header; without one the stream begins anew."""
    return event_id if event_id.isascii() and event_id.isprintable() else ""


def _refusal(response: httpx.Response) -> ClientError:
    """Return what a refusal says; the response has been read."""
    try:
        problem = response.json()["error"]
        return ClientError(str(problem["text"]), response.status_code, str(problem["code"]))
    except (ValueError, KeyError, TypeError):
        return ClientError(f"{response.status_code} {response.reason_phrase}", response.status_code, "")
