"""Debian's Chromium, headless, and a page of the real channel behind the real console."""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Error, Page, async_playwright, expect

from parley.channels.web.config import Config
from tests.browser.scripted_core import ScriptedCore, own_console, running
from tests.kit.doubles.web import MemoryDocuments
from tests.kit.machine import patience

CHROMIUM = os.environ.get("PARLEY_TEST_CHROMIUM", "/usr/bin/chromium")
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_SHOTS = Path(__file__).parent / "screenshots"
_PATIENCE = 1000 * patience(30.0)
"""Milliseconds, for whatever is waited for in a page."""


@dataclass
class Chat:
    """A page, the core behind it, and what its console said."""

    page: Page
    core: ScriptedCore
    url: str
    said: list[str]

    async def send(self, text: str) -> None:
        await self.page.fill("#write", text)
        await self.page.keyboard.press("Enter")

    async def sees(self, text: str) -> None:
        await self.page.locator("#thread").get_by_text(text).last.wait_for()

    async def shot(self, name: str) -> None:
        await save_shot(self.page, name)


async def save_shot(page: Page, name: str) -> None:
    """Leave a picture for whoever looks at the page's appearance."""
    _SHOTS.mkdir(exist_ok=True)
    await page.screenshot(path=_SHOTS / f"{name}.png")


# One browser for all: starting it takes longer than most tests.
@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    expect.set_options(timeout=_PATIENCE)
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=_FLAGS, timeout=_PATIENCE)
        yield browser
        await browser.close()


async def new_page(browser: Browser, **how: Any) -> Page:  # noqa: ANN401 - Playwright's own options
    """A page, as Playwright opens it, that is as patient as the machine is slow."""
    page = await browser.new_page(**how)
    page.set_default_timeout(_PATIENCE)
    return page


def listen(page: Page) -> list[str]:
    """Collects what goes wrong in a page: its errors, and whatever its policy blocked."""
    said: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            said.append(message.text)

    def on_error(error: Error) -> None:
        said.append(str(error))

    page.on("console", on_console)
    page.on("pageerror", on_error)
    return said


@pytest_asyncio.fixture(loop_scope="session")
async def chat(browser: Browser, tmp_path: Path) -> AsyncIterator[Chat]:
    """An open page on a desktop; the test fails when the page's console shows an error."""
    async with running(tmp_path, MemoryDocuments(), own_console(), Config(max_upload=2_000_000)) as (
        url,
        core,
    ):
        page = await new_page(browser, viewport={"width": 1280, "height": 800}, locale="en-GB")
        said = listen(page)
        await page.goto(url)
        await page.locator(".hello").wait_for()
        yield Chat(page, core, url, said)
        assert said == []
        await page.close()
