"""Talking: sending, streaming, steps, stopping, questions, topics, and coming back."""

import json

import pytest
from playwright.async_api import Browser, expect

from tests.browser.conftest import Chat, new_page
from tests.browser.core_script import LAST_WORDS
from tests.kit.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_newcomer_clicks_a_suggestion_and_gets_an_answer(chat: Chat) -> None:
    await chat.shot("empty-light")
    await chat.page.get_by_role("button", name="What time is it?").click()
    await chat.sees("12:00")
    await chat.sees("Looking at the clock")
    assert await chat.page.locator(".prose strong").inner_text() == "12:00"
    assert await chat.page.locator(".chat-link .title").all_inner_texts() == ["What time is it?"]


async def test_a_long_answer_streams_into_finished_markdown(chat: Chat) -> None:
    await chat.send("a long document")
    await chat.page.locator(".entry.agent.growing .prose h2").first.wait_for()
    await chat.shot("streaming-light")
    chat.core.release.set()
    await chat.page.locator(".entry.agent:not(.growing)").wait_for()
    prose = chat.page.locator(".entry.agent .prose")
    assert await prose.locator("table tbody tr").count() == 3
    assert await prose.locator("ol > li > ul > li").count() == 2
    assert await prose.locator(".task.done").count() == 1
    assert "def steep" in await prose.locator("pre code").inner_text()
    assert await prose.locator("a").get_attribute("href") == "https://example.org/tea"
    at_end = "n => n.scrollHeight - n.scrollTop - n.clientHeight < 5"
    assert await chat.page.locator("#scroll").evaluate(at_end)
    await chat.shot("document-light")


async def test_a_reader_who_scrolled_up_is_left_there(chat: Chat) -> None:
    await chat.page.set_viewport_size({"width": 1280, "height": 500})
    await chat.send("a long document")
    # Who is less than 80 pixels away from the end still follows it.
    scroll = chat.page.locator("#scroll")
    await until(lambda: scroll.evaluate("n => n.scrollHeight - n.clientHeight > 200"), "a long answer")
    await scroll.evaluate("n => { n.scrollTop = 0; }")
    chat.core.release.set()
    latest = chat.page.get_by_role("button", name="Go to the latest")
    await latest.wait_for()
    await chat.page.locator(".entry.agent:not(.growing)").wait_for()
    assert await scroll.evaluate("n => n.scrollTop") == 0
    await latest.click()
    assert await scroll.evaluate("n => n.scrollTop > 0")


async def test_escape_and_the_button_stop_a_turn(chat: Chat) -> None:
    stop = chat.page.get_by_role("button", name="Stop (Esc)")
    for press in (chat.page.keyboard.press("Escape"), stop.click()):
        await chat.send("hold on")
        await chat.page.locator(".growing .steps .spinner").first.wait_for()
        await press
        await chat.page.locator(".entry.agent:not(.growing)").last.wait_for()
        await stop.wait_for(state="hidden")
    assert await chat.page.locator(".prose").get_by_text("Stopped.").count() == 2
    assert [message.text for message in chat.core.seen] == ["hold on", "/stop", "hold on", "/stop"]


async def test_steps_show_how_far_each_has_come(chat: Chat) -> None:
    await chat.send("hold on")
    steps = chat.page.locator(".steps li")
    await steps.first.wait_for()
    assert await steps.all_inner_texts() == ["Looking at the clock\ndone", "Thinking it over\nrunning"]
    await chat.shot("steps-light")
    await chat.page.locator(".steps summary").focus()
    chat.core.release.set()
    await chat.page.get_by_text("2 steps").wait_for()
    await chat.page.keyboard.press("Enter")
    assert await steps.last.is_visible()
    assert await steps.last.get_attribute("class") == "failed"


async def test_what_a_model_thinks_is_folded_until_somebody_wants_to_read_it(chat: Chat) -> None:
    await chat.send("think about it")
    fold = chat.page.locator(".steps details.said")
    await fold.wait_for()
    words = fold.locator("div")
    assert not await words.is_visible()
    await fold.locator("summary").focus()
    await chat.page.keyboard.press("Enter")
    await chat.shot("thinking-light")
    assert await words.inner_text() == "First <b>this</b>."
    chat.core.release.set()
    await words.get_by_text("Then that.").wait_for()
    assert await words.is_visible()
    assert await fold.locator("summary").evaluate("(node) => node === document.activeElement")
    chat.core.release.set()
    await chat.sees("I thought.")
    assert not await words.is_visible(), "the list of steps is folded as a whole"
    assert await chat.page.locator(".prose").inner_text() == "I thought."


@pytest.mark.parametrize(("name", "width"), [("desktop", 1280), ("phone", 390)])
async def test_subagents_are_steps_that_say_what_each_does_now(chat: Chat, name: str, width: int) -> None:
    await chat.page.set_viewport_size({"width": width, "height": 800})
    await chat.send("send scouts")
    steps = chat.page.locator(".steps li")
    await steps.first.wait_for()
    now = steps.locator(".now")
    assert await now.all_inner_texts() == [" · web fetch", " · web search"]
    assert await steps.evaluate_all("(all) => all.map((each) => each.className)") == [
        "running",
        "running",
        "pending",
    ]
    await chat.shot(f"subagents-{name}")
    await steps.first.locator("summary").click()
    assert not await now.first.is_visible(), "below it stands all that was done"
    assert await steps.first.locator("div").last.inner_text() == "web search\nweb fetch"
    chat.core.release.set()
    await chat.page.locator(".steps li.failed").wait_for()
    assert await now.all_inner_texts() == [" · web search"], "who has ended does nothing now"
    color = "(mark) => getComputedStyle(mark).color"
    marks = [await each.evaluate(color) for each in await steps.locator("> .icon").all()]
    assert marks[0] != marks[1], "only who failed has the colour of that"
    turned = "(all) => all.map((each) => getComputedStyle(each, '::after').transform)"
    opened, closed, _ = await steps.locator("summary").evaluate_all(turned)
    assert opened != closed, "what is folded looks folded"
    await chat.shot(f"subagents-{name}-failed")
    chat.core.release.set()
    await chat.sees("It is sunny in Rome.")
    assert not await steps.first.is_visible()
    await chat.shot(f"subagents-{name}-ended")
    wide = "document.documentElement.scrollWidth"
    assert await chat.page.evaluate(wide) <= width


async def test_whoever_has_the_focus_on_the_steps_keeps_it(chat: Chat) -> None:
    await chat.send("grow")
    await chat.sees("One")
    summary = chat.page.locator(".steps summary")
    await summary.focus()
    node = await summary.element_handle()
    chat.core.release.set()
    await chat.sees("One, two")
    assert await node.evaluate("(node) => node.isConnected && node === document.activeElement")
    await chat.page.keyboard.press("Enter")
    assert not await chat.page.locator(".steps li").first.is_visible()
    await chat.send("/stop")
    await chat.page.locator(".growing").wait_for(state="detached")
    assert await chat.page.locator(".steps li").count() == 2


async def test_a_question_is_answered_by_its_button_once(chat: Chat) -> None:
    await chat.send("write a mail")
    await chat.sees("ada@example.org")
    await chat.shot("question-light")
    await chat.page.get_by_role("button", name="Approve").click()
    await chat.sees("✅ You: approve")
    assert await chat.page.get_by_role("button", name="Approve").count() == 0
    assert [(click.question, click.option) for click in chat.core.clicks] == [("q1", "approve")]
    await chat.page.reload()
    await chat.sees("✅ You: approve")
    assert await chat.page.get_by_role("button", name="Approve").count() == 0


async def test_arguments_are_changed_before_they_are_approved(chat: Chat) -> None:
    await chat.send("write a mail")
    await chat.page.get_by_role("button", name="Change the arguments").click()
    dialog = chat.page.get_by_role("dialog")
    assert await dialog.get_by_label("to", exact=True).input_value() == "ada@example.org"
    await dialog.get_by_label("options").fill("{broken")
    await dialog.get_by_text("options: this is not JSON.").wait_for()
    await chat.shot("question-edit-light")
    await dialog.get_by_label("options").fill('{"retries": 3}')
    await dialog.get_by_label("to", exact=True).fill("bob@example.org")
    await dialog.get_by_role("button", name="Approve with these arguments").click()
    await until(lambda: chat.core.clicks, "the press has arrived")
    await chat.sees("bob@example.org")
    assert [click.option for click in chat.core.clicks] == ["edit"]
    given = json.loads(chat.core.clicks[0].text)
    assert (given["to"], given["subject"], given["options"]) == ("bob@example.org", "Lunch", {"retries": 3})


async def test_on_a_phone_all_that_is_approved_can_be_read(chat: Chat) -> None:
    await chat.page.set_viewport_size({"width": 390, "height": 844})
    await chat.send("write a mail")
    button = chat.page.get_by_role("button", name="Approve send_email")
    await button.wait_for()
    card = chat.page.locator(".entry.asks")
    wide = "n => [n, ...n.querySelectorAll('*')].filter((e) => e.scrollWidth > e.clientWidth + 1 && "
    wide += "!e.classList.contains('unseen') && getComputedStyle(e).display !== 'inline').length"
    assert await card.evaluate(wide) == 0
    assert LAST_WORDS in await card.inner_text()
    last = card.locator("pre").first
    await last.evaluate("n => { n.scrollTop = n.scrollHeight; }")
    assert await last.evaluate("n => n.scrollTop + n.clientHeight >= n.scrollHeight - 1")
    await chat.shot("question-phone")
    await chat.page.get_by_role("button", name="Change the arguments").click()
    await chat.shot("question-edit-phone")


async def test_a_conversation_that_waits_for_a_decision_is_marked(chat: Chat, browser: Browser) -> None:
    await chat.send("write a mail")
    badge = chat.page.get_by_role("link", name="write a mail").get_by_text("is waiting for your decision")
    await badge.wait_for()
    await chat.page.keyboard.press("Control+k")
    await chat.shot("badge-light")
    await chat.page.reload()
    await badge.wait_for()
    other = await new_page(browser, locale="en-GB")
    await other.goto(chat.url)
    link = other.get_by_role("link", name="write a mail")
    await link.get_by_text("is waiting for your decision").wait_for()
    await link.click()
    await other.get_by_role("button", name="Refuse").click()
    await badge.wait_for(state="detached")
    await link.get_by_text("is waiting for your decision").wait_for(state="detached")
    await other.close()


async def test_a_topic_keeps_its_talk_apart(chat: Chat) -> None:
    await chat.send("what time is it")
    await chat.sees("12:00")
    await chat.page.get_by_role("button", name="Start a topic from here").click()
    await chat.page.locator(".topic-head").wait_for()
    await chat.send("why exactly?")
    await chat.page.locator(".entry.agent").get_by_text("why exactly?").wait_for()
    assert await chat.page.locator(".entry").count() == 2
    assert chat.core.seen[-1].conversation.topic
    assert "12:00" in chat.core.seen[-1].quoted
    await chat.shot("topic-light")
    await chat.page.get_by_role("link", name="what time is it").first.click()
    await chat.sees("12:00")
    await chat.page.locator(".topic-head").wait_for(state="hidden")
    await chat.page.locator("#thread").get_by_text("why exactly?").first.wait_for(state="detached")


async def test_everything_is_there_after_a_reload(chat: Chat) -> None:
    await chat.send("hold on")
    await chat.sees("One moment, I am")
    await chat.page.fill("#write", "an unfinished thought")
    await chat.page.reload()
    await chat.sees("One moment, I am")
    assert await chat.page.input_value("#write") == "an unfinished thought"
    chat.core.release.set()
    await chat.sees("One moment, I am done.")
    assert await chat.page.locator(".entry").count() == 2


async def test_two_pages_show_the_same(chat: Chat, browser: Browser) -> None:
    await chat.send("one")
    await chat.sees("one")
    other = await new_page(browser)
    await other.goto(chat.url)
    await other.goto(chat.page.url)
    await other.locator(".entry.agent").wait_for()
    await chat.send("what time is it")
    await other.locator(".prose").get_by_text("12:00").wait_for()
    await other.close()


async def test_a_reply_elsewhere_is_marked_until_it_is_read(chat: Chat) -> None:
    await chat.send("hold on")
    await chat.sees("One moment")
    await chat.page.keyboard.press("Control+k")
    await chat.page.locator(".chat-link .spinner").wait_for()
    chat.core.release.set()
    await chat.page.locator(".chat-link .dot").wait_for()
    await chat.page.locator(".chat-link").click()
    await chat.page.locator(".chat-link .dot").wait_for(state="detached")


async def test_conversations_are_renamed_and_deleted(chat: Chat) -> None:
    await chat.send("hello")
    await chat.sees("hello")
    row = chat.page.locator(".row")
    await row.hover()
    await row.get_by_role("button", name="Rename").click()
    await chat.page.keyboard.type("Greetings")
    await chat.shot("rename-light")
    await chat.page.keyboard.press("Enter")
    await chat.page.get_by_role("heading", name="Greetings").wait_for()
    await row.hover()
    await row.get_by_role("button", name="Delete").click()
    await chat.page.get_by_role("button", name="Delete").last.click()
    await chat.page.locator(".hello").wait_for()
    assert await row.count() == 0


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
