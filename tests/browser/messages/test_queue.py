"""A message that is sent while an earlier one is answered: it says that it waits, and can be taken back."""

import pytest

from tests.browser.conftest import Chat

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

QUEUED = "Queued until the previous answer is finished."
WAITS = "Other answers come first just now. Your message is kept and waits for its turn."


async def test_a_queued_message_says_so_until_it_is_answered(chat: Chat) -> None:
    await chat.send("hold on")
    await chat.sees("One moment, I am")
    await chat.send("queue this")
    await chat.page.get_by_text(QUEUED).locator("visible=true").wait_for()
    assert await chat.page.locator(".thinking").count() == 0
    await chat.shot("queued-light")
    await chat.page.reload()
    await chat.page.get_by_text(QUEUED).locator("visible=true").wait_for()
    chat.core.release.set()
    await chat.sees("You waited: queue this")
    assert await chat.page.get_by_text(QUEUED).locator("visible=true").count() == 0


async def test_a_queued_message_is_taken_back_for_good(chat: Chat) -> None:
    await chat.send("hold on")
    await chat.sees("One moment, I am")
    await chat.send("queue this")
    await chat.page.get_by_role("button", name="Withdraw").click()
    await chat.page.get_by_text("withdrawn: it was not answered").wait_for()
    await chat.shot("taken-back-light")
    chat.core.release.set()
    await chat.sees("One moment, I am done.")
    await chat.page.reload()
    await chat.page.get_by_text("withdrawn: it was not answered").wait_for()
    assert await chat.page.locator(".thinking").count() == 0
    assert await chat.page.locator(".entry").count() == 3


async def test_that_it_came_too_late_is_said(chat: Chat) -> None:
    await chat.send("hold on")
    await chat.sees("One moment, I am")
    await chat.send("queue this")
    chat.core.late = True
    await chat.page.get_by_role("button", name="Withdraw").click()
    await chat.page.locator(".toast").get_by_text("not taken back").wait_for()
    await chat.page.get_by_text(QUEUED).locator("visible=true").wait_for()
    chat.said.clear()  # the refusal itself is an error of the network


async def test_a_message_that_waits_for_a_free_place_says_so_until_its_answer_begins(chat: Chat) -> None:
    await chat.send("no room")
    waits = chat.page.get_by_text(WAITS).locator("visible=true")
    await waits.wait_for()
    assert await chat.page.locator(".thinking").count() == 0
    await chat.shot("waits-light")
    await chat.page.reload()
    await waits.wait_for()
    chat.core.release.set()
    await chat.page.locator(".entry.agent").get_by_text("no room").wait_for()
    assert await waits.count() == 0


async def test_a_message_that_waits_for_a_free_place_is_taken_back(chat: Chat) -> None:
    await chat.send("no room")
    await chat.page.get_by_text(WAITS).locator("visible=true").wait_for()
    await chat.page.get_by_role("button", name="Withdraw").click()
    await chat.page.get_by_text("withdrawn: it was not answered").wait_for()
    assert await chat.page.get_by_text(WAITS).locator("visible=true").count() == 0
