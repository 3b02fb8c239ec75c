"""Changing the last message: its answer goes, and another one comes."""

import pytest

from tests.browser.conftest import Chat

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def change(chat: Chat, text: str) -> None:
    await chat.page.get_by_role("button", name="Change this message").click()
    await chat.page.locator("dialog textarea").fill(text)
    await chat.page.get_by_role("button", name="Send again").click()


async def test_the_last_message_is_changed_and_answered_anew(chat: Chat) -> None:
    await chat.send("first one")
    await chat.page.locator(".entry.agent:not(.growing)").first.wait_for()
    await chat.send("What tmie is it?")
    await chat.page.locator(".entry.agent:not(.growing)").nth(1).wait_for()
    await change(chat, "What time is it?")
    await chat.sees("12:00")
    assert await chat.page.locator(".entry.user .bubble").all_inner_texts() == [
        "first one",
        "What time is it?",
    ]
    assert await chat.page.locator(".entry.agent").count() == 2
    assert [message.edits for message in chat.core.seen] == ["", "", chat.core.seen[1].id]
    await chat.page.reload()
    await chat.sees("12:00")
    assert await chat.page.locator(".entry.agent").count() == 2
    assert await chat.page.get_by_text("changed", exact=True).count() == 1


async def test_only_the_last_message_can_be_changed_and_no_command(chat: Chat) -> None:
    control = chat.page.get_by_role("button", name="Change this message")
    for number, text in enumerate(("one", "two", "/status"), start=1):
        await chat.send(text)
        await chat.page.locator(".entry.agent:not(.growing)").nth(number - 1).wait_for()
    assert await control.count() == 1
    await control.click()
    assert await chat.page.locator("dialog textarea").input_value() == "two"
    await chat.page.get_by_role("button", name="Cancel").click()
    assert len(chat.core.seen) == 3


async def test_a_message_is_changed_while_its_answer_grows(chat: Chat) -> None:
    await chat.send("hold on")
    await chat.page.locator(".growing .steps .spinner").first.wait_for()
    await change(chat, "What time is it?")
    await chat.sees("12:00")
    assert await chat.page.locator(".entry.agent").count() == 1
