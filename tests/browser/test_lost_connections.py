"""What happens when the server, the store or the token is gone."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route

from benchmarks.kit.free_ports import free_port
from parley.channels.web.config import Config
from parley.console.http.options import ConsoleOptions
from tests.browser.conftest import Chat, new_page
from tests.browser.scripted_core import TOKEN, own_console, running
from tests.kit.doubles.web import MemoryDocuments

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def start(folder: Path, port: int) -> Process:
    command = [sys.executable, "-m", "tests.browser.page_server", str(folder), str(port)]
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline()
    return process


async def kill(process: Process) -> None:
    process.kill()
    await process.wait()


def _shots() -> Path:
    folder = Path(__file__).parent / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder


async def send(page: Page, text: str) -> None:
    await page.fill("#write", text)
    await page.keyboard.press("Enter")


async def test_a_killed_server_loses_nothing_that_the_page_was_told(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    server = await start(tmp_path, port)
    page = await new_page(browser)
    await page.goto(f"http://127.0.0.1:{port}/?token={TOKEN}")
    await send(page, "what time is it")
    await page.locator(".prose").get_by_text("12:00").wait_for()
    await send(page, "hold on")
    await page.locator(".prose").get_by_text("One moment").wait_for()
    await kill(server)
    await send(page, "said while it was away")
    await page.get_by_text("Waiting for the connection").wait_for()
    await page.locator("#banner").wait_for()
    await page.screenshot(path=tmp_path / "offline.png")
    server = await start(tmp_path, port)
    await page.locator(".entry.agent").get_by_text("said while it was away").wait_for()
    await page.locator("#banner").wait_for(state="hidden")
    for _ in range(2):
        said = await page.locator(".bubble").all_inner_texts()
        assert said == ["what time is it", "hold on", "said while it was away"]
        await page.reload()
        await page.locator(".entry.agent").nth(1).wait_for()
    await kill(server)


async def test_a_message_of_a_closed_page_is_sent_when_it_opens_again(chat: Chat) -> None:
    await chat.page.route("**/messages", lambda route: route.abort())
    await chat.send("kept")
    await chat.page.locator(".entry.waiting").wait_for()
    await chat.page.unroute("**/messages")
    await chat.page.goto("about:blank")
    await chat.page.goto(chat.url)
    await chat.page.locator(".chat-link").click()
    await chat.sees("kept")
    assert [message.text for message in chat.core.seen] == ["kept"]
    chat.said.clear()


async def test_a_post_whose_answer_was_lost_is_repeated_and_taken_once(chat: Chat) -> None:
    lost = asyncio.Event()

    async def lose(route: Route) -> None:
        await route.fetch()
        await route.abort()
        lost.set()

    await chat.page.route("**/messages", lose, times=1)
    await chat.send("only once")
    await lost.wait()
    await chat.page.locator(".entry.user:not(.waiting)").wait_for()
    await chat.page.locator(".entry.waiting").wait_for(state="detached")
    assert len(chat.core.seen) == 1
    assert await chat.page.locator(".bubble").count() == 1
    chat.said.clear()


async def test_messages_that_break_off_in_the_middle_can_be_asked_for_again(chat: Chat) -> None:
    await chat.send("hello")
    await chat.sees("hello")
    await chat.page.route("**/messages?*", lambda route: route.fulfill(body='{"entries": ['), times=1)
    await chat.page.reload()
    await chat.page.get_by_text("This conversation could not be loaded.").wait_for()
    await chat.page.get_by_role("button", name="Try again").click()
    await chat.sees("hello")


async def test_a_network_that_wants_a_sign_in_is_not_taken_for_us(chat: Chat) -> None:
    portal = "<!doctype html><title>Airport Wi-Fi</title>"
    await chat.page.route("**/messages", lambda route: route.fulfill(body=portal), times=1)
    await chat.send("kept")
    await chat.page.locator(".entry.waiting").wait_for()
    await chat.page.locator(".entry.waiting").wait_for(state="detached")
    await chat.sees("kept")
    assert [message.text for message in chat.core.seen] == ["kept"]


async def test_a_message_that_is_refused_can_be_discarded(chat: Chat) -> None:
    answer = '{"error": {"code": "no", "text": "the server says no"}}'
    await chat.page.route("**/messages", lambda route: route.fulfill(status=422, body=answer))
    await chat.send("unwanted")
    await chat.page.get_by_text("Not sent: the server says no").wait_for()
    await chat.shot("refused-light")
    await chat.page.get_by_role("button", name="Discard").click()
    await chat.page.locator(".entry").wait_for(state="detached")
    chat.said.clear()


async def test_a_page_nobody_looks_at_gives_its_stream_back_and_misses_nothing(chat: Chat) -> None:
    look = "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
    look += " document.dispatchEvent(new Event('visibilitychange')); }"
    await chat.page.clock.install()
    await chat.page.reload()
    await chat.send("hold on")
    await chat.sees("One moment, I am")
    streams: list[str] = []
    chat.page.on("request", lambda request: streams.append(request.url))
    await chat.page.evaluate(look, True)
    async with chat.page.expect_event("requestfailed", lambda request: "/events" in request.url):
        await chat.page.clock.fast_forward(11_000)
    chat.core.release.set()
    await chat.page.clock.fast_forward(60_000)
    assert streams == []
    await chat.page.evaluate(look, False)
    await chat.sees("One moment, I am done.")
    assert len(streams) == 1


async def test_the_printed_address_is_opened_once_and_signing_out_ends_it(
    browser: Browser, tmp_path: Path
) -> None:
    async with running(tmp_path, MemoryDocuments(), own_console(), Config()) as (address, _):
        context = await browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page, other = await context.new_page(), await context.new_page()
        await page.goto(address)
        await page.locator(".hello").wait_for()
        bare = address.partition("?")[0]
        assert page.url == bare
        assert TOKEN not in await page.evaluate("JSON.stringify([document.referrer, document.cookie])")
        await other.goto(bare)
        await other.locator(".hello").wait_for()
        await page.get_by_role("button", name="Sign out").click()
        await page.get_by_text("parley address").wait_for()
        await page.screenshot(path=_shots() / "where-the-address-is.png")
        await other.reload()
        await other.get_by_text("parley address").wait_for()
        await page.get_by_label("Access token").fill(TOKEN)
        await page.get_by_role("button", name="Sign in").click()
        await page.locator(".hello").wait_for()
        await context.close()


async def test_with_a_token_one_signs_in_first(browser: Browser, tmp_path: Path) -> None:
    options = ConsoleOptions(port=0, token="correct-horse-battery")
    async with running(tmp_path, MemoryDocuments(), options, Config()) as (url, _):
        page = await new_page(browser, viewport={"width": 1280, "height": 800})
        await page.goto(url)
        await page.get_by_label("Access token").fill("wrong")
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("alert").wait_for()
        await page.screenshot(path=_shots() / "signin-light.png")
        await page.get_by_label("Access token").fill("correct-horse-battery")
        await page.get_by_role("button", name="Sign in").click()
        await send(page, "hello there")
        await page.locator(".entry.agent").get_by_text("hello there").wait_for()
        await page.close()
