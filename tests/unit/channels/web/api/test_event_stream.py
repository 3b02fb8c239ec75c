"""The event stream over a real socket: everything, once, also across a lost connection."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import pytest

from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.ports.health import Health, HealthReport
from tests.kit.doubles.console_server import TOKEN, bearer
from tests.kit.machine import patience
from tests.unit.channels.web.page_client import CHAT, Site


@dataclass
class Stream:
    """What a browser's EventSource does with lines."""

    lines: AsyncIterator[str]
    last: str = field(default="")

    async def next(self) -> tuple[str, dict[str, object]]:
        name = ""
        async for line in self.lines:
            key, _, value = line.partition(": ")
            if key == "id":
                self.last = value
            elif key == "event":
                name = value
            elif key == "data":
                return name, json.loads(value)
        return "end", {}

    async def entry(self) -> tuple[object, object]:
        name = ""
        while name != "entry":
            name, data = await self.next()
        entry = data["entry"]
        assert isinstance(entry, dict)
        return entry["id"], entry["text"]


@pytest.fixture
async def url(site: Site) -> AsyncIterator[str]:
    reports = [HealthReport("store", Health.UP, "", 0.0)]
    server = HttpServer(ConsoleOptions(port=0, token=TOKEN), site.channel.routes(), lambda: reports)
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(server.run(ready.set_result))
    yield await ready
    task.cancel()
    await asyncio.wait([task])


@asynccontextmanager
async def connected(url: str, last: str = "") -> AsyncIterator[Stream]:
    headers = {"accept": "text/event-stream"} | bearer(TOKEN) | ({"last-event-id": last} if last else {})
    async with (
        httpx.AsyncClient(timeout=patience(20)) as http,
        http.stream("GET", f"{url}/api/chat/events", headers=headers) as answer,
    ):
        yield Stream(answer.aiter_lines())


async def test_a_new_page_is_told_to_load_and_then_hears_everything(site: Site, url: str) -> None:
    async with connected(url) as stream:
        assert (await stream.next())[0] == "reset"
        await site.post("message-1")
        assert await stream.entry() == ("message-1", "hello")
        await site.show("turn-1", "so far")
        assert await stream.entry() == ("turn-1", "so far")
        await site.finish("turn-1", "all of it")
        assert await stream.entry() == ("turn-1", "all of it")


async def test_a_page_that_comes_back_misses_nothing(site: Site, url: str) -> None:
    async with connected(url) as stream:
        await stream.next()
        await site.post("message-1")
        await stream.entry()
    await site.finish("turn-1", "while you were away")
    async with connected(url, stream.last) as again:
        assert (await again.next())[0] == "ready"
        assert await again.entry() == ("turn-1", "while you were away")


async def test_after_a_restart_a_page_loads_afresh(url: str) -> None:
    async with connected(url, "0123abcd.7") as stream:
        assert (await stream.next())[0] == "reset"


async def test_a_page_hears_of_new_renamed_and_deleted_conversations(site: Site, url: str) -> None:
    async with connected(url) as stream:
        await stream.next()
        await site.http.put(f"/api/chat/conversations/{CHAT}", json={"title": "Tea"})
        name, data = await stream.next()
        assert (name, data["chat"]["title"]) == ("chat", "Tea")  # type: ignore[index]
        await site.http.delete(f"/api/chat/conversations/{CHAT}")
        assert await stream.next() == ("chat", {"id": CHAT, "chat": None})


async def test_a_reader_that_does_not_read_gets_the_newest_only(site: Site, url: str) -> None:
    await site.post("message-1")
    async with connected(url) as stream:
        await stream.next()
        for count in range(400):
            await site.show("turn-1", "x" * 10_000 + str(count))
        await site.finish("turn-1", "the end")
        seen = 0
        while (await stream.entry())[1] != "the end":
            seen += 1
    assert seen < 400


async def test_streams_end_when_the_server_stops(site: Site) -> None:
    server = HttpServer(ConsoleOptions(port=0, token=TOKEN), site.channel.routes(), list)
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(server.run(ready.set_result))
    async with connected(await ready) as stream:
        await stream.next()
        task.cancel()
        assert (await stream.next())[0] == "end"
        await asyncio.wait([task])
