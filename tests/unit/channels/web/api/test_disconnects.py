"""A page that goes away, at whatever instant."""

import asyncio

import pytest
from starlette.types import Message

from parley.channels.web.api.event_stream import EventStream
from parley.channels.web.chat.event_log import ChatChanged, EventLog
from tests.kit.machine import patience


@pytest.mark.parametrize("steps", range(6))
async def test_a_stream_ends_with_its_page_also_when_news_come_at_that_instant(steps: int) -> None:
    feed, sent = EventLog(), list[Message]()

    async def receive() -> Message:
        # The stream waits for news by now.
        for _ in range(10):
            await asyncio.sleep(0)
        feed.publish(ChatChanged("chat-0001", None))
        for _ in range(steps):
            await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async with asyncio.timeout(patience(10)):
        await EventStream(feed, "")({"type": "http"}, receive, send)
    assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
