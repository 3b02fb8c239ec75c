"""The memory panel: what is remembered is seen, searched, corrected and forgotten by whose it is."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from parley.core.ports.memory.port import MemoryView
from tests.browser.memory_panel import Panel, known, opened, served
from tests.kit.doubles.memory_admin import OWN, Memories, empty, fact

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def panel(browser: Browser, tmp_path: Path) -> AsyncIterator[Panel]:
    memories = known()
    async with served(tmp_path, memories) as url, opened(browser, url, memories) as panel:
        await panel.sees("allergic to peanuts")
        yield panel


async def test_everything_that_is_known_is_shown_and_nobody_elses(panel: Panel) -> None:
    assert await panel.facts().count() == 4
    await panel.sees("Nurse on the children's ward")
    assert await panel.dialog.locator("dt").all_inner_texts() == ["Work", "Recent months"]
    peanuts = panel.fact("allergic to peanuts")
    assert await peanuts.locator(".fact-meta").inner_text() == "context\n99 % sure\n20 Nov 2026"
    assert await panel.dialog.get_by_text("Somebody else's").count() == 0
    assert await panel.dialog.locator("img, b").count() == 0
    await panel.shot("memory-light")
    await panel.page.emulate_media(color_scheme="dark")
    await panel.shot("memory-dark")


async def test_words_are_searched_in_what_is_said_and_of_what_kind_it_is(panel: Panel) -> None:
    search = panel.dialog.get_by_label("Search memory")
    await search.fill("HAMBURG")
    await expect(panel.facts()).to_have_text(["Wants to run the Hamburg marathon in April 2027"])
    assert await panel.dialog.locator("dt").all_inner_texts() == ["Work"]
    await search.fill("preference")
    await expect(panel.facts()).to_have_text(["Prefers short answers, without tables"])
    await search.fill("submarine")
    await panel.sees("Nothing matches “submarine”.")
    await search.fill("")
    await expect(panel.facts()).to_have_count(4)


async def test_a_fact_is_added_by_hand(panel: Panel) -> None:
    field = panel.dialog.get_by_label("Something to remember")
    await field.fill("Drinks tea without sugar")
    await panel.dialog.get_by_label("Category").first.select_option("preference")
    await field.press("Enter")
    await panel.sees("Saved.")
    assert await panel.fact("Drinks tea").locator(".fact-meta").inner_text() == (
        "preference\n100 % sure\n20 Nov 2026\nwritten by you"
    )
    assert panel.memories.of(OWN)["facts"][-1]["category"] == "preference"
    assert await field.input_value() == ""


async def test_what_is_known_already_is_said_and_what_was_written_stays(panel: Panel) -> None:
    field = panel.dialog.get_by_label("Something to remember")
    await field.fill("is allergic to peanuts")
    await panel.dialog.get_by_role("button", name="Add").click()
    await panel.dialog.get_by_role("alert").get_by_text("remembered already").wait_for()
    assert await field.input_value() == "is allergic to peanuts"
    assert len(panel.memories.facts()) == 4
    panel.said.clear()


async def test_a_fact_is_corrected_where_it_stands(panel: Panel) -> None:
    await panel.dialog.get_by_role("button", name="Edit: Is allergic").click()
    form = panel.dialog.locator("li form")
    assert await form.get_by_label("Confidence in per cent").input_value() == "99"
    await form.get_by_label("What is remembered").fill("Is allergic to walnuts")
    await panel.shot("memory-edit-light")
    await form.get_by_role("button", name="Save").click()
    await panel.sees("Is allergic to walnuts")
    changed = panel.memories.of(OWN)["facts"][1]
    assert (changed["content"], changed["confidence"]) == ("Is allergic to walnuts", 0.986)
    focused = await panel.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "Edit: Is allergic to walnuts"


async def test_the_categories_and_topics_are_those_of_the_operator(browser: Browser, tmp_path: Path) -> None:
    memories = Memories(documents={OWN: empty() | {"facts": [fact(1, "Plays the viola", "hobby")]}})
    memories.of(OWN)["user"]["allergies"] = {"summary": "No nuts.", "updatedAt": ""}
    memories.config = {**memories.config, "categories": ["person", "correction"]}
    async with served(tmp_path, memories) as url, opened(browser, url, memories) as panel:
        await panel.sees("No nuts.")
        assert await panel.dialog.locator("dt").all_inner_texts() == ["allergies"]
        offered = panel.dialog.locator(".fact-form select option")
        assert await offered.all_inner_texts() == ["person", "correction"]
        await panel.dialog.get_by_role("button", name="Edit: Plays").click()
        chosen = panel.dialog.locator("li form select")
        assert await chosen.locator("option").all_inner_texts() == ["person", "correction", "hobby"]
        assert await chosen.input_value() == "hobby"
        await chosen.select_option("person")
        await panel.dialog.locator("li form").get_by_role("button", name="Save").click()
        await panel.dialog.locator("li .kind").get_by_text("person").wait_for()
        assert memories.of(OWN)["facts"][0]["category"] == "person"


async def test_escape_gives_up_a_correction_before_it_closes_the_panel(panel: Panel) -> None:
    await panel.dialog.get_by_role("button", name="Edit: Is allergic").click()
    await panel.page.keyboard.type("nonsense")
    await panel.page.keyboard.press("Escape")
    await panel.dialog.locator("li form").wait_for(state="detached")
    assert "nonsense" not in "".join(panel.memories.facts())
    await panel.page.keyboard.press("Escape")
    await panel.dialog.wait_for(state="detached")
    focused = await panel.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "Memory"


async def test_a_fact_is_forgotten_after_one_said_so_twice(panel: Panel) -> None:
    forget = panel.dialog.get_by_role("button", name="Forget: Is allergic")
    await forget.click()
    await panel.page.get_by_role("button", name="Cancel").click()
    assert len(panel.memories.facts()) == 4
    await forget.click()
    await panel.shot("memory-forget-light")
    await panel.page.get_by_role("button", name="Forget", exact=True).last.click()
    await panel.sees("Forgotten.")
    assert "Is allergic to peanuts" not in panel.memories.facts()
    assert await panel.facts().count() == 3


async def test_everything_is_forgotten_after_one_said_so_twice(panel: Panel) -> None:
    await panel.dialog.get_by_role("button", name="Forget everything").click()
    await panel.page.get_by_text("All 4 facts").wait_for()
    await panel.page.get_by_role("button", name="Cancel").click()
    assert len(panel.memories.facts()) == 4
    await panel.dialog.get_by_role("button", name="Forget everything").click()
    await panel.page.get_by_role("button", name="Forget everything").last.click()
    await panel.sees("Nothing is remembered yet")
    assert panel.memories.facts() == []
    assert panel.memories.facts("telegram:7") == ["Somebody else's"]


async def test_memory_is_switched_off_and_on_again(panel: Panel) -> None:
    switch = panel.dialog.get_by_role("switch", name="Remember me")
    assert await switch.is_checked()
    await switch.press("Space")
    await panel.sees("Memory is off")
    assert (await panel.memories.overview(OWN)).on is False
    assert await panel.facts().count() == 4
    await switch.click()
    await panel.dialog.get_by_text("Memory is off").wait_for(state="detached")
    assert (await panel.memories.overview(OWN)).on is True


async def test_what_is_known_is_downloaded_as_a_file(panel: Panel) -> None:
    async with panel.page.expect_download() as coming:
        await panel.dialog.get_by_role("link", name="Download").click()
    download = await coming.value
    assert download.suggested_filename == "memory.json"
    text = await asyncio.to_thread((await download.path()).read_text, "utf-8")
    document = json.loads(text)
    assert [entry["content"] for entry in document["facts"]] == panel.memories.facts()


async def test_a_server_that_fails_is_said_and_the_panel_stays(panel: Panel) -> None:
    panel.memories.away = True
    await panel.dialog.get_by_label("Something to remember").fill("Has a dog")
    await panel.dialog.get_by_role("button", name="Add").click()
    await panel.dialog.get_by_role("alert").get_by_text("The disk is full.").wait_for()
    panel.memories.away = False
    await panel.dialog.get_by_role("button", name="Add").click()
    await panel.sees("Saved.")
    assert "Has a dog" in panel.memories.facts()
    panel.said.clear()


async def test_many_facts_come_a_hundred_at_a_time(browser: Browser, tmp_path: Path) -> None:
    many = empty() | {"facts": [fact(number, f"Knows the number {number}") for number in range(250)]}
    memories = Memories(documents={OWN: many}, states={OWN: MemoryView(on=True, waiting=3)})
    async with served(tmp_path, memories) as url, opened(browser, url, memories) as panel:
        await panel.sees("Messages that are still to be learned from: 3.")
        await panel.sees("Facts (250)")
        assert await panel.facts().count() == 100
        await panel.dialog.get_by_role("button", name="Show 150 more").click()
        assert await panel.facts().count() == 200
        await panel.dialog.get_by_label("Search memory").fill("number 249")
        await expect(panel.facts()).to_have_count(1)


async def test_where_memory_is_off_for_all_the_panel_says_so(browser: Browser, tmp_path: Path) -> None:
    memories = known().off()
    async with served(tmp_path, memories) as url, opened(browser, url, memories) as panel:
        await panel.sees("Memory is switched off in the configuration")
        assert await panel.dialog.get_by_label("Search memory").is_hidden()


async def test_on_a_phone_it_is_the_whole_page_and_in_chinese_it_is_chinese(
    browser: Browser, tmp_path: Path
) -> None:
    memories = known()
    memories.of(OWN)["facts"] = [fact(20, "对花生过敏"), *memories.of(OWN)["facts"]]
    memories.states[OWN] = replace(MemoryView(on=True, waiting=0), on=False)
    async with served(tmp_path, memories) as url, opened(browser, url, memories, phone=True) as panel:
        await panel.page.get_by_text("记忆已关闭").wait_for()
        box = await panel.page.locator("dialog.memory").bounding_box()
        assert box is not None
        assert (box["x"], box["width"]) == (0, 375)
        wide = "document.querySelector('dialog.memory').scrollWidth"
        assert await panel.page.evaluate(wide) <= 375
        await panel.page.get_by_role("button", name="编辑：对花生过敏").click()
        await panel.shot("memory-phone-zh")
