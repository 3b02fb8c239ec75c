"""Whose memory changed is told here and on the other nodes, and the pages of that person only hear of it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx

from parley.channels.web.channel import WebChannel
from parley.channels.web.chat.event_log import MemoryChanged
from parley.channels.web.config import Config
from parley.core.model.address import User
from parley.core.ports.memory.changes import ANYBODY
from parley.core.state.people import PersonRepository
from parley.memory.change_feed import MemoryChangeFeed
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.sql import SqlMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.console_server import serving
from tests.kit.doubles.llm_provider import NOON, turn, until
from tests.kit.doubles.web import MemoryDocuments, services
from tests.unit.channels.web.chat.test_node_sync import Air, Ear

OWN = "web:local"


@asynccontextmanager
async def telling(folder: Path, feed: MemoryChangeFeed):
    heard: list[str] = []
    feed.subscribe(heard.append)
    async with SqliteStore.open(folder / "db") as journal:
        options = MemoryOptions(debounce_seconds=0, retry_pause=0)
        store = SqlMemoryStore(journal)
        yield (
            MemoryService(store, journal, RuleExtractor(), options, lambda: NOON + 100, changes=feed),
            heard,
        )


async def test_every_change_names_its_person(tmp_path):
    async with telling(tmp_path, MemoryChangeFeed()) as (memory, heard):
        for change in (
            lambda: memory.add("ann", "Prefers tea"),
            lambda: memory.controls.import_text("ann", "Has a cat"),
            lambda: memory.undo("ann"),
            lambda: memory.switch("ann", on=False),
            lambda: memory.switch("ann", on=True),
            lambda: memory.record(turn(1, "I live in Rome.")),
            lambda: memory.forget("ann", "tea"),
            lambda: memory.clear("ann"),
        ):
            heard.clear()
            await change()
            assert set(heard) == {"ann"}, change
        heard.clear()
        await memory.overview("ann")
        await memory.search("ann", "tea")
        await memory.controls.preview_import("ann", "Has a dog")
        assert heard == []


async def test_the_end_of_a_lesson_is_told_when_nothing_of_it_waits_any_more(tmp_path):
    async with telling(tmp_path, MemoryChangeFeed()) as (memory, heard):
        async with memory.running():
            await memory.record(turn(1, "I live in Rome."))
            await until(lambda: _learned(memory))
            await until(lambda: len(heard) >= 3)
        assert set(heard) == {"ann"}


async def _learned(memory: MemoryService) -> bool:
    seen = await memory.overview("ann")
    return bool(seen.facts) and not seen.waiting


async def test_other_nodes_hear_of_it_and_a_gap_may_be_anybodys():
    air = Air()
    one, other = Ear(air), Ear(air)
    feed, heard = MemoryChangeFeed(one), list[str]()
    MemoryChangeFeed(other).subscribe(heard.append)
    feed.publish("ann")
    await until(lambda: heard == ["ann"])
    for follower in other.followers["memory"]:
        follower.on_gap()
    assert heard == ["ann", ANYBODY]


async def test_a_page_hears_of_its_own_persons_changes_only(tmp_path):
    changes, documents = MemoryChangeFeed(), MemoryDocuments()
    people = PersonRepository(documents, lambda: NOON)
    channel = WebChannel(Config(), replace(services(documents, tmp_path), memory_changes=changes))
    async with serving(routes=channel.routes()) as http, _events(http) as events:
        changes.publish("telegram:7")
        changes.publish(OWN)
        await until(lambda: events == ["memory"])
        await people.join(OWN, "telegram:7")
        changes.publish(OWN)
        changes.publish("telegram:7")
        await until(lambda: events == ["memory", "memory"])
        changes.publish(ANYBODY)
        await until(lambda: events == ["memory"] * 3)
    assert await people.person_of(User("web", "local")) == "telegram:7"
    assert MemoryChanged().key == "memory"


@asynccontextmanager
async def _events(http: httpx.AsyncClient):
    """The names of a page's events that are about memory, as they come."""
    seen: list[str] = []

    async def read() -> None:
        async with http.stream("GET", "/api/chat/events") as stream:
            async for line in stream.aiter_lines():
                name = line.removeprefix("event: ")
                if name == "reset":
                    ready.set()
                elif name == "memory":
                    seen.append(name)

    ready = asyncio.Event()
    reading = asyncio.create_task(read())
    await ready.wait()
    yield seen
    reading.cancel()
    await asyncio.wait([reading])
