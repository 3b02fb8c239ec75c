"""Memories for the page's panel, and a browser with the panel open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Locator, Page

from parley.channels.web.channel import WebChannel
from parley.channels.web.config import Config
from parley.console.api.memory import memory_routes
from parley.console.api.setup import setup_routes
from parley.console.server import HttpServer
from parley.core.ports.health import Health, HealthReport
from tests.browser.conftest import listen, new_page
from tests.browser.scripted_core import TOKEN, ScriptedCore, own_console
from tests.kit.doubles.memory_admin import OWN, Memories, empty, fact
from tests.kit.doubles.web import MemoryDocuments, services

SHOTS = Path(__file__).parent / "screenshots"
UP = HealthReport("store", Health.UP, "", 0.0)


def known() -> Memories:
    """Somebody of whom a little is known."""
    own = empty()
    own["user"]["workContext"]["summary"] = "Nurse on the children's ward of a hospital in Hamburg."
    own["history"]["recentMonths"]["summary"] = "Learned to bake bread and moved to a flat by the harbour."
    own["facts"] = [
        fact(1, "Prefers short answers, without tables", "preference", 0.95),
        fact(2, "Is allergic to peanuts", "context", 0.986),
        fact(3, "Wants to run the Hamburg marathon in April 2027", "goal", 0.8),
        fact(4, "<img src=x onerror=alert(1)> & <b>bold</b>", "knowledge", 0.7),
    ]
    return Memories(documents={OWN: own, "telegram:7": empty() | {"facts": [fact(9, "Somebody else's")]}})


@asynccontextmanager
async def served(folder: Path, memories: Memories) -> AsyncIterator[str]:
    """The page with its real API over these memories."""
    channel = WebChannel(Config(), services(MemoryDocuments(), folder))
    core = ScriptedCore(channel, folder)
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    routes = [*memory_routes(memories, memories.own), *setup_routes(None), *channel.routes()]
    server = HttpServer(own_console(), routes, lambda: [UP])
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(server.run(url.set_result)), group.create_task(channel.listen(core))]
        await core.up.wait()
        yield f"{await url}/?token={TOKEN}"
        for task in tasks:
            task.cancel()


@dataclass
class Panel:
    """The open panel, and the memories behind it."""

    page: Page
    memories: Memories
    said: list[str]

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog", name="Memory")

    def facts(self) -> Locator:
        return self.dialog.locator(".fact-text > p")

    def fact(self, text: str) -> Locator:
        return self.dialog.get_by_role("listitem").filter(has_text=text)

    async def sees(self, text: str) -> None:
        await self.dialog.get_by_text(text).first.wait_for()

    async def shot(self, name: str) -> None:
        SHOTS.mkdir(exist_ok=True)
        await self.page.screenshot(path=SHOTS / f"{name}.png")


@asynccontextmanager
async def opened(
    browser: Browser, url: str, memories: Memories, *, phone: bool = False
) -> AsyncIterator[Panel]:
    """A page of its own with the panel open; it says nothing on its console."""
    page = await (
        new_page(browser, viewport={"width": 375, "height": 720}, locale="zh-CN", has_touch=True)
        if phone
        else new_page(browser, viewport={"width": 1280, "height": 800}, locale="en-GB")
    )
    panel = Panel(page, memories, listen(page))
    await page.goto(url)
    await page.locator(".hello").wait_for()
    await page.locator("#bar .tool").nth(1).click()
    await page.locator(
        "dialog.memory .memory-note:not(:empty), dialog.memory .memory-list > *"
    ).first.wait_for()
    yield panel
    assert panel.said == []
    await page.close()
