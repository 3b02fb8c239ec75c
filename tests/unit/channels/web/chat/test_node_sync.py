"""Pages of two nodes: what happens on one shows on the other, and files are there on both."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from parley.channels.web.channel import create
from parley.channels.web.chat import node_sync
from parley.channels.web.config import Config
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.ports.pubsub import Subscriber
from tests.kit.doubles.web import ListInbox, MemoryDocuments, services
from tests.unit.channels.web.page_client import CHAT, Site


class Air:
    """What nodes tell each other."""

    def __init__(self) -> None:
        self.ears: list[Ear] = []
        self.told: list[str] = []


@dataclass(eq=False)
class Ear:
    """One node's news."""

    air: Air
    shared = True
    deaf = False
    followers: defaultdict[str, list[Subscriber]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.air.ears.append(self)

    async def publish(self, topic: str, text: str) -> None:
        self.air.told.append(text)
        for ear in self.air.ears:
            for follower in ear.followers[topic] if ear is not self else ():
                follower.on_message(text)

    def subscribe(self, topic: str, follower: Subscriber) -> None:
        self.followers[topic].append(follower)

    def lose(self) -> None:
        for follower in self.followers["web"]:
            follower.on_gap()


@dataclass(frozen=True)
class Pair:
    """Two nodes over the same documents, each with a folder of its own."""

    one: Site
    other: Site
    others_ear: Ear
    air: Air


@asynccontextmanager
async def opened(documents: MemoryDocuments, folder: Path, ear: Ear) -> AsyncIterator[Site]:
    await asyncio.to_thread(folder.mkdir)
    channel = create(Config(), replace(services(documents, folder), news=ear))
    inbox = ListInbox()
    transport = httpx.ASGITransport(Starlette(routes=list(channel.routes())))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        task = asyncio.create_task(channel.listen(inbox))
        await inbox.up.wait()
        yield Site(channel, inbox, http)
        task.cancel()


@pytest.fixture
async def pair(documents: MemoryDocuments, tmp_path: Path) -> AsyncIterator[Pair]:
    air = Air()
    ears = Ear(air), Ear(air)
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(opened(documents, tmp_path / "one", ears[0]))
        other = await stack.enter_async_context(opened(documents, tmp_path / "other", ears[1]))
        yield Pair(one, other, ears[1], air)


async def growing(site: Site) -> list[object]:
    """The texts of growing replies, once there are any."""
    feed = site.channel._desk.feed
    while True:
        number = feed.newest
        if found := (await site.page())["growing"]:
            break
        await feed.wait(number)
    return [one["text"] for one in found]


async def test_a_reply_grows_and_ends_on_the_pages_of_both(pair: Pair) -> None:
    await pair.one.post("message-1")
    await pair.one.show("turn-1", "so far")
    assert await growing(pair.other) == ["so far"]
    await pair.one.finish("turn-1", "all of it")
    assert (await pair.other.page())["growing"] == []
    assert await pair.other.texts() == ["hello", "all of it"]


async def test_a_snapshot_never_comes_after_the_whole(pair: Pair) -> None:
    await pair.one.post("message-1")
    for text in ("a", "ab", "abc"):
        await pair.one.show("turn-1", text)
    await pair.one.finish("turn-1", "abcd")
    await pair.one.show("turn-2", "next")  # told behind whatever is still told of the first
    assert await growing(pair.other) == ["next"]


async def shown_there(site: Site, text: str) -> None:
    """Return when a page of the site has a growing reply with this text."""
    while await growing(site) != [text]:
        await site.channel._desk.feed.wait(site.channel._desk.feed.newest)


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_sync, "_PAUSE", 0)


@pytest.mark.usefixtures("no_pause")
async def test_of_a_long_reply_only_what_was_added_is_told(pair: Pair) -> None:
    await pair.one.post("message-1")
    part = "Ein wenig länger. 第二 😀 " * 100
    text = ""
    pair.air.told.clear()
    for _ in range(60):
        text += part
        await pair.one.show("turn-1", text)
        await shown_there(pair.other, text)
    sent = sum(len(told.encode()) for told in pair.air.told)
    assert sent < 2 * len(text.encode()), "60 whole snapshots are thirty times as much"


@pytest.mark.usefixtures("no_pause")
@pytest.mark.parametrize("texts", [("abcdef", "abcXYZ"), ("abcdef", "abc"), ("abc", ""), ("", "abc")])
async def test_a_text_that_changes_is_right_there(pair: Pair, texts: tuple[str, str]) -> None:
    await pair.one.post("message-1")
    for text in texts:
        await pair.one.show("turn-1", text)
        await shown_there(pair.other, text)


@pytest.mark.usefixtures("no_pause")
async def test_who_missed_something_asks_for_the_whole(pair: Pair) -> None:
    await pair.one.post("message-1")
    await pair.one.show("turn-1", "so far")
    await shown_there(pair.other, "so far")
    pair.others_ear.lose()
    await pair.one.show("turn-1", "so far and on")
    await shown_there(pair.other, "so far and on")


@pytest.mark.usefixtures("no_pause")
async def test_a_reply_that_another_node_goes_on_with_is_right_on_both(pair: Pair) -> None:
    await pair.one.post("message-1")
    await pair.one.show("turn-1", "so far")
    await shown_there(pair.other, "so far")
    await pair.other.show("turn-1", "so far, and")
    await shown_there(pair.one, "so far, and")
    await pair.other.show("turn-1", "so far, and more")
    await shown_there(pair.one, "so far, and more")
    pair.others_ear.lose()
    assert await growing(pair.one) == ["so far, and more"]


async def test_what_is_deleted_on_one_is_gone_on_the_other(pair: Pair) -> None:
    await pair.one.post("message-1")
    await pair.one.show("turn-1", "so far")
    assert await growing(pair.other) == ["so far"]
    await pair.other.http.delete(f"/api/chat/conversations/{CHAT}")
    assert (await pair.one.page())["growing"] == []
    await pair.one.finish("turn-1", "too late")
    assert (await pair.other.page())["entries"] == []


async def test_a_page_loads_afresh_when_something_may_have_been_missed(pair: Pair) -> None:
    await pair.one.post("message-1")
    await pair.one.show("turn-1", "so far")
    assert await growing(pair.other) == ["so far"]
    feed = pair.other.channel._desk.feed
    before = feed.newest
    pair.others_ear.lose()
    assert feed.since(before) is None
    assert (await pair.other.page())["growing"] == []


async def test_rubbish_from_another_version_is_not_shown(pair: Pair) -> None:
    for topic in ("web", "web/growth", "web/whole"):
        for follower in pair.others_ear.followers[topic]:
            follower.on_message('{"colour": "red"}')
    assert (await pair.other.page())["entries"] == []


@pytest.mark.parametrize("size", [0, 1, 300_000, 700_001])
async def test_a_file_that_one_took_in_the_other_serves_and_reads(
    pair: Pair, tmp_path: Path, size: int
) -> None:
    content = bytes(number % 251 for number in range(size))
    await pair.one.upload("upload-0001", "digits.txt", content)
    assert (await pair.other.http.get("/api/chat/files/upload-0001")).content == content
    assert await pair.other.channel._desk.shelf.copy("upload-0001", tmp_path / "copy", 10**6) == size


async def test_a_reply_file_is_served_by_both(pair: Pair, tmp_path: Path) -> None:
    await pair.one.post("message-1")
    made = tmp_path / "notes.md"
    await asyncio.to_thread(made.write_bytes, b"Tea")
    file = StoredFile(AttachmentKind.FILE, "notes.md", "text/markdown", 3, str(made))
    await pair.one.finish("turn-1", "Here", files=(file,))
    (shown,) = (await pair.other.page())["entries"][-1]["files"]
    assert (await pair.other.http.get(f"/api/chat/files/{shown['id']}")).content == b"Tea"


async def test_of_a_file_that_is_dropped_nothing_stays(pair: Pair, documents: MemoryDocuments) -> None:
    await pair.one.upload("upload-0001", "digits.txt", b"0123")
    await pair.other.http.get("/api/chat/files/upload-0001")
    await pair.other.http.delete("/api/chat/uploads/upload-0001")
    assert [key for key in documents.bodies if "upload-0001" in key] == []
    await pair.one.channel._desk.shelf.sweep()
    for site in (pair.one, pair.other):
        assert not site.channel._desk.shelf.path("upload-0001").exists()
