"""No state of the page keeps anybody out: axe finds nothing critical or serious in any of them."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, FilePayload, Page

from parley.channels.web.config import Config
from parley.console.http.options import ConsoleOptions
from tests.browser.conftest import Chat, new_page
from tests.browser.memory_panel import known, opened, served
from tests.browser.scripted_core import TOKEN, running
from tests.kit.doubles.web import MemoryDocuments

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TOOLS = Path(os.environ.get("PARLEY_PAGE_TOOLS", Path(__file__).parents[2] / ".pytest_cache" / "page-tools"))
"""Where `make browser` puts axe."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOOKS = [(scheme, width) for scheme in SCHEMES for width in (1280, 390)]
SETTLE = """() => {
  // What is fading in has no contrast yet; what turns for ever has no end to be put to.
  const ends = (each) => each.effect.getComputedTiming().endTime < Infinity;
  for (const each of document.getAnimations().filter(ends)) each.finish();
}"""
FIND = """async () => (await axe.run()).violations
  .filter(({ impact }) => impact === "critical" || impact === "serious")
  .map(({ id, impact, nodes }) => [impact, id, ...nodes.slice(0, 3).map((n) => n.html + n.failureSummary)])"""


async def findings(page: Page) -> list[object]:
    axe = TOOLS / "node_modules" / "axe-core" / "axe.min.js"
    assert axe.is_file(), f"axe is not in {TOOLS}: run make browser"
    if not await page.evaluate("() => Boolean(window.axe)"):
        await page.evaluate(axe.read_text("utf-8") + ";null")
    await page.evaluate(SETTLE)
    found: list[object] = await page.evaluate(FIND)
    return found


async def empty(chat: Chat) -> None:
    await chat.page.locator(".hello").wait_for()


async def streaming(chat: Chat) -> None:
    await chat.send("hold on")
    await chat.sees("One moment, I am")


async def document(chat: Chat) -> None:
    chat.core.release.set()
    await chat.send("a long document")
    await chat.page.locator(".entry.agent:not(.growing) .prose table").wait_for()


async def asked(chat: Chat) -> None:
    await chat.send("write a mail")
    await chat.page.get_by_role("button", name="Refuse").wait_for()


async def changing(chat: Chat) -> None:
    await asked(chat)
    await chat.page.get_by_role("button", name="Change the arguments").click()
    await chat.page.get_by_role("dialog").wait_for()


async def refused(chat: Chat) -> None:
    refusal = {"error": {"code": "full", "text": "The disk is full."}}
    await chat.page.route("**/messages", lambda route: route.fulfill(status=422, json=refusal))
    await chat.send("hello")
    await chat.page.get_by_text("Not sent: The disk is full.").wait_for()
    chat.said.clear()


async def queued(chat: Chat) -> None:
    await streaming(chat)
    await chat.send("queue this")
    await chat.page.locator(".state:visible").get_by_text("Queued").wait_for()


async def files(chat: Chat) -> None:
    await chat.send("the report please")
    await chat.page.locator(".entry.agent .file").wait_for()
    note: FilePayload = {"name": "note.txt", "mimeType": "text/plain", "buffer": b"words"}
    await chat.page.set_input_files("input[type=file]", note)
    await chat.page.locator(".chosen li:not(.sending)").wait_for()


async def commands(chat: Chat) -> None:
    await chat.page.fill("#write", "/")
    await chat.page.locator(".commands li").first.wait_for()


async def listed(chat: Chat) -> None:
    await chat.send("first one")
    await chat.page.locator(".entry.agent:not(.growing)").wait_for()
    await chat.page.get_by_role("button", name="Start a topic from here").click()
    await chat.page.locator(".topic-head").wait_for()
    menu = chat.page.get_by_role("button", name="Show conversations")
    if await menu.is_visible():
        await menu.click()
        await chat.page.locator(".sidebar .chat-link").first.wait_for()


async def rating(chat: Chat) -> None:
    await chat.send("first one")
    await chat.page.get_by_role("button", name="Bad answer").click()
    await chat.page.get_by_label("What was wrong?").wait_for()


async def suggested(chat: Chat) -> None:
    await chat.send("brew tea")
    await chat.page.get_by_role("group", name="What to ask next").wait_for()


STATES = (
    suggested,
    rating,
    empty,
    streaming,
    document,
    asked,
    changing,
    refused,
    queued,
    files,
    commands,
    listed,
)


@pytest.mark.parametrize("state", STATES)
async def test_a_state_of_the_chat(chat: Chat, state: Callable[[Chat], Awaitable[None]]) -> None:
    await chat.page.emulate_media(reduced_motion="reduce")
    await state(chat)
    for scheme, width in LOOKS:
        await chat.page.emulate_media(color_scheme=scheme)
        await chat.page.set_viewport_size({"width": width, "height": 844})
        await chat.shot(f"axe-{state.__name__}-{scheme}-{width}")
        assert await findings(chat.page) == [], (scheme, width)
    chat.said.clear()  # a message that was refused is an error of the network, too


@pytest.mark.parametrize("phone", [False, True])
async def test_the_memory_panel(browser: Browser, tmp_path: Path, phone: bool) -> None:
    memories = known()
    async with served(tmp_path, memories) as url, opened(browser, url, memories, phone=phone) as panel:
        await panel.page.locator("dialog.memory .fact").first.wait_for()
        for scheme in SCHEMES:
            await panel.page.emulate_media(color_scheme=scheme)
            assert await findings(panel.page) == [], scheme


async def test_the_sign_in(browser: Browser, tmp_path: Path) -> None:
    options = ConsoleOptions(token=TOKEN)
    async with running(tmp_path, MemoryDocuments(), options, Config()) as (url, _):
        page = await new_page(browser, viewport={"width": 390, "height": 844})
        await page.goto(url)
        for scheme in SCHEMES:
            await page.emulate_media(color_scheme=scheme)
            assert await findings(page) == [], scheme
        await page.close()
