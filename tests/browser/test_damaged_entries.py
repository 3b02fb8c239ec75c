"""What cannot be drawn: one entry, and no more than that."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Route

from tests.browser.conftest import Chat

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

Entry = dict[str, Any]


def without_text(entry: Entry) -> Entry:
    return entry | {"text": None}


def without_parts(entry: Entry) -> Entry:
    return {key: entry[key] for key in ("id", "role", "pos", "text", "final")}


def out_of_time(entry: Entry) -> Entry:
    return entry | {"pos": 1e300}


@pytest.mark.parametrize("damage", [without_text, without_parts, out_of_time])
@pytest.mark.parametrize("role", ["user", "agent"])
async def test_a_damaged_entry_leaves_the_others_readable(
    chat: Chat, role: str, damage: Callable[[Entry], Entry]
) -> None:
    for text in ("first words", "second words"):
        await chat.send(text)
        await chat.page.locator(".entry.agent:not(.growing) .prose").get_by_text(text).wait_for()

    async def hand_on(route: Route) -> None:
        answer = await route.fetch()
        page = json.loads(await answer.text())
        at = next(at for at, entry in enumerate(page["entries"]) if entry["role"] == role)
        page["entries"][at] = damage(page["entries"][at])
        await route.fulfill(response=answer, json=page)

    await chat.page.route("**/messages?*", hand_on)
    await chat.page.reload()
    await chat.page.locator(".entry.agent .prose").get_by_text("second words").wait_for()
    assert await chat.page.locator(".entry").count() == 4
    await chat.send("third words")
    await chat.page.locator(".entry.agent .prose").get_by_text("third words").wait_for()
    assert await chat.page.locator(".entry").count() == 6
    chat.said.clear()


async def test_a_block_that_cannot_be_drawn_is_shown_as_written(chat: Chat) -> None:
    """The page has no such block that we know of: here the browser itself refuses to make a rule."""
    await chat.page.evaluate(
        """() => {
          const make = document.createElement.bind(document);
          document.createElement = (tag) => {
            if (tag === "hr") throw new Error("no rules");
            return make(tag);
          };
        }"""
    )
    await chat.send("before\n\n***\n\n**after**")
    await chat.page.locator(".entry.agent .prose strong").get_by_text("after").wait_for()
    assert await chat.page.locator(".entry.agent .prose > *").all_inner_texts() == ["before", "***", "after"]
    assert any("no rules" in said for said in chat.said)
    chat.said.clear()
