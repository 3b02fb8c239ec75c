"""What may be asked next, as buttons below the newest answer."""

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.conftest import Chat, new_page, save_shot
from tests.browser.core_script import SUGGESTED
from tests.kit.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def buttons(page: Page) -> Locator:
    return page.get_by_role("group", name="What to ask next").get_by_role("button")


async def test_a_press_says_it_once_and_takes_all_away(chat: Chat) -> None:
    await chat.send("brew tea")
    await expect(buttons(chat.page)).to_have_text(SUGGESTED)
    await chat.shot("suggestions-light")
    # Twice within one frame, as two quick taps may be.
    await buttons(chat.page).first.evaluate("(node) => { node.click(); node.click(); }")
    await chat.page.locator(".entry.agent:not(.growing)").nth(1).wait_for()
    assert await chat.page.locator(".entry.user .bubble").all_inner_texts() == ["brew tea", SUGGESTED[0]]
    assert [(each.text, each.follows) for each in chat.core.seen] == [("brew tea", ""), (SUGGESTED[0], "")]
    await expect(buttons(chat.page)).to_have_count(0)


async def test_they_are_there_again_after_a_reload_and_go_in_every_tab(browser: Browser, chat: Chat) -> None:
    await chat.send("brew tea")
    await expect(buttons(chat.page)).to_have_count(3)
    await chat.page.reload()
    await expect(buttons(chat.page)).to_have_text(SUGGESTED)
    other = await new_page(browser, locale="zh-CN")
    await other.goto(chat.url)
    await other.locator(".chat-link").first.click()
    there = other.get_by_role("group", name="接下来可以问").get_by_role("button")
    await expect(there).to_have_count(3)
    await chat.send("something else")
    await expect(there).to_have_count(0)
    await expect(buttons(chat.page)).to_have_count(0)
    await other.close()


async def test_the_keyboard_reaches_and_presses_them(chat: Chat) -> None:
    await chat.send("brew tea")
    await buttons(chat.page).first.wait_for()
    for _ in range(12):
        await chat.page.keyboard.press("Shift+Tab")
        if await buttons(chat.page).last.evaluate("(node) => node === document.activeElement"):
            break
    await chat.page.keyboard.press("Shift+Tab")
    await expect(buttons(chat.page).nth(1)).to_be_focused()
    await chat.page.keyboard.press("Enter")
    await until(lambda: [each.text for each in chat.core.seen] == ["brew tea", SUGGESTED[1]], "it is said")
    await expect(chat.page.locator("#write")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_on_a_phone_each_is_large_and_within_the_screen(
    browser: Browser, chat: Chat, scheme: str
) -> None:
    await chat.send("brew tea")
    await buttons(chat.page).first.wait_for()
    phone = await new_page(
        browser,
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        locale="en-GB",
        color_scheme=scheme,
    )
    await phone.goto(chat.url + chat.page.url[chat.page.url.index("#") :])
    await buttons(phone).first.wait_for()
    for each in await buttons(phone).all():
        box = await each.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    await buttons(phone).first.scroll_into_view_if_needed()
    await save_shot(phone, f"suggestions-{scheme}-phone")
    await phone.close()


async def test_a_message_that_is_refused_brings_them_back(chat: Chat) -> None:
    await chat.send("brew tea")
    await buttons(chat.page).first.wait_for()
    refusal = {"error": {"code": "full", "text": "The disk is full."}}
    await chat.page.route("**/messages", lambda route: route.fulfill(status=422, json=refusal))
    await buttons(chat.page).first.click()
    await chat.page.get_by_text("Not sent: The disk is full.").wait_for()
    await expect(buttons(chat.page)).to_have_count(0)
    await chat.page.get_by_role("button", name="Discard").click()
    await expect(buttons(chat.page)).to_have_count(3)
    await expect(buttons(chat.page).first).to_be_enabled()
    chat.said.clear()  # a refusal is an error of the network, too
