"""The page in a real browser, against the real Parley: one visit, from hello to a crash and on."""

import asyncio
import os
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright

from tests.kit.product.long_answers import far
from tests.kit.product.process import PATIENCE
from tests.kit.product.scene import Scene

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

_CHROMIUM = os.environ.get("PARLEY_TEST_CHROMIUM", "/usr/bin/chromium")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


async def ask(page: Page, text: str) -> None:
    await page.fill("#write", text)
    await page.keyboard.press("Enter")


async def sees(page: Page, text: str) -> None:
    await page.locator(".entry.agent").last.get_by_text(text).last.wait_for()


async def visit(page: Page, scene: Scene, folder: Path) -> None:
    await page.goto(scene.parley.url)
    await ask(page, "What time is it?")
    await sees(page, "It is ")
    await ask(page, "Send an e-mail to ada@example.org saying lunch is at noon")
    await page.get_by_role("button", name="Approve").click()
    await sees(page, "nothing was sent")
    (folder / "list.md").write_text("Tea and a pear")
    await page.set_input_files("input[type=file]", folder / "list.md")
    await ask(page, "Here is my list")
    await sees(page, "list.md: text/markdown")


async def crash(page: Page, scene: Scene) -> None:
    last = far(3.6)
    await ask(page, f"Count to {last}")
    await page.locator(".entry.agent.growing").get_by_text("4 5 6").wait_for()
    scene.parley.kill()
    await ask(page, "Said while it was away")
    await asyncio.to_thread(scene.parley.start)
    await page.locator(".entry.agent:not(.growing)").get_by_text(f"{last - 1} {last}").wait_for()
    await sees(page, "You said: Said while it was away")
    assert await page.locator(".entry.agent").count() == 7


async def test_a_visit_to_the_page_with_a_crash_in_it(scene: Scene, tmp_path: Path):
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=_CHROMIUM, args=_FLAGS, timeout=1000 * PATIENCE
        )
        page = await browser.new_page(locale="en-GB")
        page.set_default_timeout(1000 * PATIENCE)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        try:
            await visit(page, scene, tmp_path)
            await crash(page, scene)
        finally:
            await page.screenshot(path=tmp_path / "page.png")
            await browser.close()
        assert errors == []
