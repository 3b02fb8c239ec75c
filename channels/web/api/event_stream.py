"""Server-sent events out of the feed, as a plain ASGI response."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from pydantic import TypeAdapter
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from parley.channels.web.chat.event_log import ChatChanged, EntryShown, EventLog, MemoryChanged, PageEvent

_EVENT: TypeAdapter[PageEvent] = TypeAdapter(PageEvent)
_NAMES: Mapping[type[PageEvent], str] = {
    EntryShown: "entry",
    ChatChanged: "chat",
    MemoryChanged: "memory",
}
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class EventStream(Response):
    """One page's stream.

    It begins with `ready` when it goes on exactly where `last` (a Last-Event-ID) ended, or with `reset`
    when the page must load afresh; then come `entry`, `chat` and `memory` events, and a `beat` when
    all is quiet.
    """

    def __init__(self, feed: EventLog, last: str, heartbeat: float = 15.0) -> None:
        super().__init__()
        self._feed = feed
        self._last = last
        self._heartbeat = heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        async with asyncio.TaskGroup() as group:
            writer = group.create_task(self._write(send))
            while (await receive())["type"] != "http.disconnect":
                pass
            writer.cancel()
        # Whoever is still connected (the server is stopping) sees a proper end.
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, send: Send) -> None:
        known = self._feed.cursor(self._last)
        number = self._feed.newest if known is None or self._feed.since(known) is None else known
        # `retry` is how long a browser waits before it connects again, in milliseconds.
        opening = "ready" if number == known else "reset"
        await self._send(send, f"retry: 1000\n{self._frame(number, opening, '{}')}")
        while True:
            try:
                # `wait_for` of Python 3.11 forgets that it was cancelled when an entry comes at that instant,
                # and the stream of a page that is gone would never end.
                async with asyncio.timeout(self._heartbeat):
                    await self._feed.wait(number)
            except TimeoutError:
                # An event, not a comment: a page cannot see comments, and must notice a dead connection.
                await self._send(send, "event: beat\ndata: {}\n\n")
                continue
            for newer, text in self._frames(number):
                number = newer
                await self._send(send, text)

    def _frames(self, number: int) -> Iterator[tuple[int, str]]:
        events = self._feed.since(number)
        if events is None:
            yield self._feed.newest, self._frame(self._feed.newest, "reset", "{}")
            return
        for newer, event in events:
            yield newer, self._frame(newer, _NAMES[type(event)], _EVENT.dump_json(event).decode())

    def _frame(self, number: int, name: str, data: str) -> str:
        return f"id: {self._feed.epoch}.{number}\nevent: {name}\ndata: {data}\n\n"

    @staticmethod
    async def _send(send: Send, text: str) -> None:
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
