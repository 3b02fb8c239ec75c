"""The page behind the real console, on a real memory, and a browser with the panel open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

from playwright.async_api import Browser, Locator, Page

from parley.channels.web.channel import WebChannel
from parley.channels.web.config import Config
from parley.console.api.memory import memory_routes
from parley.console.api.memory_controls import MemoryInHand, memory_control_routes
from parley.console.api.setup import setup_routes
from parley.console.server import HttpServer
from parley.core.commands.memory.told import ToldMemoryReader
from parley.core.model.address import Conversation, User
from parley.core.model.options import ChannelOptions
from parley.core.model.types import CompletedTurn, SessionSettings
from parley.core.ports.memory.port import RecallQuery
from parley.core.state.conversations import ConversationRepository
from parley.core.state.people import PersonRepository
from parley.memory.change_feed import MemoryChangeFeed
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore
from tests.browser.conftest import listen, new_page, save_shot
from tests.browser.scripted_core import TOKEN, ScriptedCore, own_console
from tests.kit.doubles.console_server import UP
from tests.kit.doubles.llm_provider import NOON
from tests.kit.doubles.web import MemoryDocuments, services
from tests.kit.samples.memory_options import memory_options

OWN = "web:local"
CHAT = "chat-0001"
TITLE = "Holiday plans"


@dataclass
class Remembering:
    """The memory behind a page, and what was said on it."""

    url: str
    memory: MemoryService
    conversations: ConversationRepository
    channel: WebChannel
    turns: list[CompletedTurn] = field(default_factory=list)

    async def learn(self, said: str, channel: str = "web", link: str = "", *, private: bool = True) -> None:
        """Let somebody say this, and learn from it as memory does in the background."""
        await self.memory.record(self._turn(said, channel, link, private=private))

    async def recall(self, *messages: str) -> None:
        """Begin a run in the conversation, which is told what is known."""
        place = Conversation("web", CHAT)
        record, _ = await self.conversations.read(place)
        thread = self.conversations.thread_id(place, record)
        await self.memory.recall(RecallQuery(OWN, "agent", thread, messages, private=True))

    def _turn(self, said: str, channel: str, link: str, *, private: bool) -> CompletedTurn:
        number = len(self.turns) + 1
        turn = CompletedTurn(
            id=f"turn-{number}",
            person=OWN,
            speaker=User("web", "local"),
            conversation=Conversation(channel, CHAT),
            thread="thread-1",
            assistant="agent",
            language="en",
            user_text=said,
            reply_text="All right.",
            at=NOON + number,
            private=private,
            link=link,
        )
        self.turns.append(turn)
        return turn


@asynccontextmanager
async def remembering(folder: Path) -> AsyncIterator[Remembering]:
    """The page with one conversation, its API, and a memory that learns by rules at once."""
    async with SqliteStore.open(folder / "db") as journal:
        changes, documents = MemoryChangeFeed(), MemoryDocuments()
        memory = MemoryService(
            FileMemoryStore(folder / "memory"),
            journal,
            RuleExtractor(),
            memory_options(debounce_seconds=0, retry_pause=0),
            lambda: NOON,
            changes=changes,
        )
        channel = WebChannel(Config(), replace(services(documents, folder), memory_changes=changes))
        core = ScriptedCore(channel, folder)
        conversations = ConversationRepository(journal, uuid4())
        rules = {"web": ChannelOptions(SessionSettings("agent"))}
        people = PersonRepository(journal, lambda: NOON)
        told = ToldMemoryReader(conversations, people, memory.controls, rules)

        async def own() -> str:
            return OWN

        url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        parts = MemoryInHand(memory, memory.controls, told.read_for)
        console = [*memory_routes(memory.admin, own), *memory_control_routes(parts, own)]
        server = HttpServer(own_console(), [*console, *setup_routes(None), *channel.routes()], lambda: [UP])
        async with memory.running(), asyncio.TaskGroup() as group:
            tasks = [group.create_task(server.run(url.set_result)), group.create_task(channel.listen(core))]
            await core.up.wait()
            yield Remembering(f"{await url}/?token={TOKEN}", memory, conversations, channel)
            for task in tasks:
                task.cancel()


@dataclass
class OpenPanel:
    """A page with the panel open, and the memory behind it."""

    page: Page
    behind: Remembering
    said: list[str]

    @property
    def dialog(self) -> Locator:
        return self.page.locator("dialog.memory")

    def facts(self) -> Locator:
        return self.dialog.locator(".fact-text > p")

    def fact(self, text: str) -> Locator:
        return self.dialog.locator("li.fact").filter(has_text=text)

    async def sees(self, text: str) -> None:
        await self.dialog.get_by_text(text).first.wait_for()

    async def shot(self, name: str) -> None:
        await save_shot(self.page, name)


@asynccontextmanager
async def panel_of(browser: Browser, behind: Remembering, *, phone: bool = False) -> AsyncIterator[OpenPanel]:
    """The panel, opened in the one conversation that there is; its page says nothing on its console."""
    page = await (
        new_page(browser, viewport={"width": 390, "height": 844}, locale="zh-CN", has_touch=True)
        if phone
        else new_page(browser, viewport={"width": 1280, "height": 800}, locale="en-GB")
    )
    said = listen(page)
    await page.goto(behind.url)
    await page.locator(".hello").wait_for()
    put = f"fetch('/api/chat/conversations/{CHAT}', {{method: 'PUT', headers: {{'content-type': "
    await page.evaluate(put + f"'application/json'}}, body: JSON.stringify({{title: '{TITLE}'}})}})")
    await page.goto(behind.url.partition("?")[0] + f"#/{CHAT}")
    await page.get_by_role("heading", name=TITLE).wait_for()
    await open_panel(page)
    yield OpenPanel(page, behind, said)
    assert said == []
    await page.close()


async def open_panel(page: Page) -> None:
    """Press the button of the memory panel."""
    await page.locator("#bar .tool").nth(1).click()
    await page.locator("dialog.memory .memory-list > *").first.wait_for()
