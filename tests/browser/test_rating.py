"""Thumbs under an answer, and what was wrong with a bad one."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Chat

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_bad_answer_is_rated_with_words_by_keyboard_alone(chat: Chat) -> None:
    good = chat.page.get_by_role("button", name="Good answer")
    bad = chat.page.get_by_role("button", name="Bad answer")
    words = chat.page.get_by_label("What was wrong?")
    await chat.send("first one")
    await expect(good).to_have_attribute("aria-pressed", "false")
    await expect(words).to_be_hidden()
    await bad.focus()
    await chat.page.keyboard.press("Enter")
    await expect(bad).to_have_attribute("aria-pressed", "true")
    await expect(words).to_be_focused()
    await chat.page.keyboard.type("the year is wrong")
    await chat.page.keyboard.press("Enter")
    await expect(words).to_be_hidden()
    await expect(bad).to_be_focused()
    turn = chat.core.clicks[0].question.removeprefix("feedback:")
    assert turn in chat.core.targets
    assert [(each.option, each.text) for each in chat.core.clicks] == [
        ("down", ""),
        ("down", "the year is wrong"),
    ]


async def test_words_may_be_skipped_and_another_thumb_takes_the_place(chat: Chat) -> None:
    good = chat.page.get_by_role("button", name="Good answer")
    bad = chat.page.get_by_role("button", name="Bad answer")
    words = chat.page.get_by_label("What was wrong?")
    await chat.send("first one")
    await bad.click()
    await expect(words).to_be_focused()
    await chat.page.keyboard.press("Escape")
    await expect(words).to_be_hidden()
    await good.click()
    await expect(good).to_have_attribute("aria-pressed", "true")
    await expect(bad).to_have_attribute("aria-pressed", "false")
    assert [each.option for each in chat.core.clicks] == ["down", "up"]
    await chat.page.reload()
    await expect(good).to_have_attribute("aria-pressed", "true")
