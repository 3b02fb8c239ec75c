"""Answers of the server that come later than news that are newer than they are."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page, Route

from tests.browser.conftest import Chat

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@asynccontextmanager
async def held_back(page: Page, address: str) -> AsyncIterator[None]:
    """Load the page anew; what the server answers it at the address it gets only in the end."""
    answered, given = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        answer = await route.fetch()
        answered.set()
        await given.wait()
        await route.fulfill(response=answer)

    await page.route(address, hold, times=1)
    await page.reload()
    await answered.wait()
    try:
        yield
    finally:
        given.set()


async def greet(chat: Chat) -> None:
    """An older conversation, or message: when it is seen again the answer that was held back is there."""
    await chat.send("hello")
    await chat.sees("hello")


async def test_a_late_list_takes_away_no_new_conversation(chat: Chat) -> None:
    await greet(chat)
    await chat.page.keyboard.press("Control+k")
    async with held_back(chat.page, "**/api/chat/conversations"):
        await chat.send("hold on")
        await chat.sees("One moment")
    await chat.page.locator(".chat-link").get_by_text("hello").wait_for()
    assert await chat.page.locator(".chat-link").all_inner_texts() == ["hold on", "hello"]
    assert await chat.page.locator(".chat-link .spinner").count() == 1
    assert await chat.page.locator("#thread").get_by_text("One moment").is_visible()


async def test_a_late_list_does_not_say_that_a_reply_still_grows(chat: Chat) -> None:
    await greet(chat)
    await chat.page.keyboard.press("Control+k")
    await chat.send("hold on")
    await chat.sees("One moment")
    async with held_back(chat.page, "**/api/chat/conversations"):
        chat.core.release.set()
        await chat.sees("I am done")
    await chat.page.locator(".chat-link").get_by_text("hello").wait_for()
    assert await chat.page.locator(".chat-link .spinner").count() == 0


async def test_late_messages_take_away_no_growing_reply(chat: Chat) -> None:
    await greet(chat)
    async with held_back(chat.page, "**/messages?*"):
        await chat.send("hold on")
        await chat.sees("One moment")
    await chat.page.locator(".bubble").get_by_text("hello").wait_for()
    assert await chat.page.locator(".bubble").all_inner_texts() == ["hello", "hold on"]
    assert await chat.page.locator("#thread").get_by_text("One moment").is_visible()


async def test_a_message_written_before_the_page_knows_its_server_can_be_changed(chat: Chat) -> None:
    async with held_back(chat.page, "**/api/chat/hello"):
        await chat.send("hold on")
        await chat.sees("One moment")
    await chat.page.get_by_role("button", name="Change this message").wait_for()
