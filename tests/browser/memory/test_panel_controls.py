"""The panel on the real memory: live, with times and origins, what was told, import, export and undo."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, FilePayload, expect

from parley.core.ports.memory.controls import ExportShape
from tests.browser.memory.real_memory import (
    CHAT,
    OWN,
    TITLE,
    OpenPanel,
    open_panel,
    panel_of,
    remembering,
)
from tests.browser.test_accessibility import SCHEMES, findings

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

KEY = "sk-ant-api03-" + "a1B2" * 24
NAMED = "[document.activeElement].map((on) => on.ariaLabel || on.innerText || on.tagName)[0]"
PAST = {
    "facts": [
        {"content": "Lives in Lisbon", "createdAt": "2026-03-01T10:00:00Z", "until": "2026-10-31"},
        {"content": "Lives in Rome", "createdAt": "2026-11-01T10:00:00Z", "category": "context"},
        {"content": "Studied in Porto", "createdAt": "2026-02-01T10:00:00Z", "until": "2019"},
        {"content": "Had a scooter", "createdAt": "2026-01-01T10:00:00Z", "until": "2024-05"},
    ]
}


@pytest_asyncio.fixture(loop_scope="session")
async def panel(browser: Browser, tmp_path: Path) -> AsyncIterator[OpenPanel]:
    async with remembering(tmp_path) as behind, panel_of(browser, behind) as panel:
        yield panel


async def test_what_is_learned_appears_by_itself_with_a_link_to_where_it_was_said(panel: OpenPanel) -> None:
    await panel.sees("Nothing is remembered yet")
    asked: list[str] = []
    panel.page.on("request", lambda request: asked.append(request.url))
    await panel.behind.learn("My name is Ada and I live in Rome.")
    await panel.sees("Rome")
    await expect(panel.dialog.locator("[role=status].unseen")).to_have_text("Memory was updated.")
    await panel.behind.learn("Always answer in bullet points.")
    await panel.sees("How you want every answer (1)")
    await panel.fact("Rome").get_by_role("link", name=f"said in “{TITLE}”").click()
    await panel.dialog.wait_for(state="detached")
    assert panel.page.url.endswith(f"#/{CHAT}")
    before = len(asked)
    await panel.behind.memory.add(OWN, "Has a dog")
    await panel.behind.memory.past_turns.erase(OWN)
    assert len(asked) == before, "a closed panel asks for nothing"


async def test_what_another_page_changes_is_seen_and_what_one_writes_stays(
    browser: Browser, panel: OpenPanel
) -> None:
    fact = await panel.behind.memory.add(OWN, "Drinks tea")
    await panel.sees("Drinks tea")
    await panel.dialog.get_by_role("button", name="Edit: Drinks tea").click()
    field = panel.dialog.locator("li form").get_by_label("What is remembered")
    await field.fill("Drinks black tea")
    async with panel_of(browser, panel.behind) as other:
        await other.sees("Drinks tea")
        await panel.behind.memory.add(OWN, "Has a cat")
        await other.sees("Has a cat")
        assert await field.input_value() == "Drinks black tea"
        await panel.dialog.get_by_role("button", name="Save").click()
        await panel.sees("Drinks black tea")
        await panel.sees("Has a cat")
        await other.sees("Drinks black tea")
    assert fact.id


async def test_the_focus_stays_on_the_fact_where_it_is(panel: OpenPanel) -> None:
    await panel.behind.memory.add(OWN, "Drinks tea")
    await panel.sees("Drinks tea")
    await panel.dialog.get_by_role("button", name="Forget: Drinks tea").focus()
    await panel.behind.memory.add(OWN, "Has a cat")
    await panel.sees("Has a cat")
    label = await panel.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == "Forget: Drinks tea"


async def test_what_is_past_stands_apart_with_its_end(panel: OpenPanel) -> None:
    await panel.behind.memory.admin.replace(OWN, json.dumps(PAST))
    await panel.sees("Facts (1)")
    await panel.sees("No longer holds (3)")
    assert await panel.dialog.locator("ul.past .until").all_inner_texts() == [
        "until 31 Oct 2026",
        "until 2019",
        "until May 2024",
    ]
    await panel.dialog.get_by_label("Search memory").fill("Lisbon")
    await expect(panel.facts()).to_have_text(["Lives in Lisbon"])
    await panel.dialog.get_by_label("Search memory").fill("")
    await panel.shot("memory-past-light")


async def test_a_fact_names_the_platform_and_links_to_the_message_there(panel: OpenPanel) -> None:
    await panel.behind.learn("I live in Rome.", "slack", "https://t0sim.slack.example/p1", private=False)
    link = panel.fact("Rome").get_by_role("link", name="said in a group on Slack")
    await link.wait_for()
    assert await link.get_attribute("href") == "https://t0sim.slack.example/p1"
    assert await link.get_attribute("rel") == "noopener noreferrer"


async def test_an_address_that_would_run_is_no_link(panel: OpenPanel) -> None:
    origin = {"conversation": "slack:C1", "link": "javascript:alert(1)"}
    fact = {"content": "Lives in Rome", "source": "thread", "origin": origin}
    await panel.behind.memory.admin.replace(OWN, json.dumps({"facts": [fact]}))
    await panel.sees("said in private on Slack")
    assert await panel.dialog.locator(".fact a").count() == 0


async def test_a_fact_of_a_deleted_conversation_says_so(panel: OpenPanel) -> None:
    await panel.behind.learn("I live in Rome.")
    await panel.sees(f"said in “{TITLE}”")
    await panel.page.evaluate(f"fetch('/api/chat/conversations/{CHAT}', {{method: 'DELETE'}})")
    await panel.behind.memory.add(OWN, "Has a cat")
    await panel.sees("said in a conversation that was deleted")


async def test_what_the_agent_was_told_is_listed_with_the_reason(panel: OpenPanel) -> None:
    told = panel.dialog.locator(".memory-told")
    await told.get_by_text("Told to the agent for the last answer here (0)").click()
    await told.get_by_text("is not known any more").wait_for()
    await panel.behind.memory.add(OWN, "Prefers green tea")
    await panel.behind.memory.add(OWN, "Is allergic to nuts")
    await panel.behind.recall("what tea is there?")
    await panel.behind.memory.add(OWN, "Has a cat")
    await told.get_by_text("Told to the agent for the last answer here (2)").wait_for()
    assert sorted(await told.locator("li").all_inner_texts()) == [
        "Is allergic to nuts\nit matters whatever you talk about",
        "Prefers green tea\nthere was room, and it is among the surest",
    ]
    await panel.shot("memory-told-light")


async def test_an_import_is_previewed_done_and_taken_back(panel: OpenPanel) -> None:
    await panel.behind.memory.add(OWN, "Likes tea")
    await panel.dialog.get_by_role("button", name="Import").click()
    form = panel.page.get_by_role("dialog", name="Import")
    go = form.locator("button.primary")
    assert await go.is_disabled()
    mem0 = {"results": [{"memory": "Likes tea"}, {"memory": "Has a cat"}, {"memory": f"The key is {KEY}"}]}
    file: FilePayload = {
        "name": "memory.json",
        "mimeType": "application/json",
        "buffer": json.dumps(mem0).encode(),
    }
    await form.get_by_label("File").set_input_files(file)
    await form.get_by_role("button", name="Preview").click()
    await form.get_by_text("New: 2. Known already: 1. Nothing is changed yet.").wait_for()
    await form.get_by_text("Secrets masked: 1.").wait_for()
    assert KEY not in await form.locator(".memory-preview").inner_text()
    assert len((await panel.behind.memory.overview(OWN)).facts) == 1
    await panel.shot("memory-import-light")
    await form.get_by_role("button", name="Add 2").click()
    await panel.sees("Added: 2. “Undo” takes this back.")
    await panel.sees("Has a cat")
    await panel.fact("Has a cat").get_by_text("imported").wait_for()
    await panel.dialog.get_by_role("button", name="Undo").click()
    await panel.sees("The last change is undone.")
    await expect(panel.facts()).to_have_text(["Likes tea"])


async def test_an_import_that_is_refused_names_the_place_and_can_be_mended(panel: OpenPanel) -> None:
    await panel.dialog.get_by_role("button", name="Import").click()
    form = panel.page.get_by_role("dialog", name="Import")
    await form.get_by_label("Or paste it here").fill('[{"content": "Has a cat"}, {"x": 1}]')
    await form.get_by_role("button", name="Preview").click()
    await form.get_by_role("alert").get_by_text("Nothing was imported: there is no text at [1].").wait_for()
    await form.get_by_label("Or paste it here").fill("- Has a cat")
    await form.get_by_role("button", name="Preview").click()
    await form.get_by_role("button", name="Add 1").click()
    await panel.sees("Has a cat")
    panel.said.clear()  # the refusal is an error of the network, too


async def test_a_preview_is_for_what_stands_there_now(panel: OpenPanel) -> None:
    await panel.dialog.get_by_role("button", name="Import").click()
    form = panel.page.get_by_role("dialog", name="Import")
    await form.get_by_label("Or paste it here").fill("Has a cat")
    await form.get_by_role("button", name="Preview").click()
    await form.get_by_role("button", name="Add 1").wait_for()
    await form.get_by_label("Or paste it here").fill("Has a dog")
    await form.get_by_role("button", name="Preview").wait_for()
    await panel.page.keyboard.press("Escape")
    await form.wait_for(state="detached")
    assert await panel.dialog.is_visible()
    assert (await panel.behind.memory.overview(OWN)).facts == ()


async def test_a_file_that_is_too_large_is_said_before_it_is_sent(panel: OpenPanel) -> None:
    await panel.dialog.get_by_role("button", name="Import").click()
    form = panel.page.get_by_role("dialog", name="Import")
    large: FilePayload = {"name": "m.txt", "mimeType": "text/plain", "buffer": b"x" * 8_000_001}
    await form.get_by_label("File").set_input_files(large)
    await form.get_by_role("alert").get_by_text("larger than 8 MB").wait_for()
    assert await form.locator("button.primary").is_disabled()


@pytest.mark.parametrize("shape", ExportShape)
async def test_a_download_has_the_form_that_was_chosen(panel: OpenPanel, shape: ExportShape) -> None:
    await panel.behind.memory.add(OWN, "Has a cat")
    await panel.dialog.get_by_label("Format of the download").select_option(shape.value)
    async with panel.page.expect_download() as coming:
        await panel.dialog.get_by_role("link", name="Download").click()
    download = await coming.value
    own = shape is ExportShape.PARLEY
    assert download.suggested_filename == ("memory.json" if own else f"memory-{shape}.json")
    exported = await panel.behind.memory.controls.export(OWN, shape)
    assert (await download.path()).read_text("utf-8") == exported


async def test_a_forgotten_fact_does_not_come_back(panel: OpenPanel) -> None:
    fact = await panel.behind.memory.add(OWN, "Has a cat")
    await panel.behind.memory.forget(OWN, fact.id)
    await panel.dialog.get_by_role("button", name="Undo").click()
    await panel.sees("what was forgotten cannot be restored")


async def test_secrets_that_were_masked_are_counted(panel: OpenPanel) -> None:
    await panel.behind.learn(f"My name is Ada. My key is {KEY}")
    await panel.sees("Secrets masked: 1.")
    assert KEY not in await panel.dialog.inner_text()


@pytest.mark.parametrize("phone", [False, True])
async def test_nothing_of_it_keeps_anybody_out(browser: Browser, tmp_path: Path, phone: bool) -> None:
    async with remembering(tmp_path) as behind:
        await behind.memory.admin.replace(OWN, json.dumps(PAST))
        await behind.learn("My name is Ada and I live in Rome.")
        await behind.recall("Rome?")
        async with panel_of(browser, behind, phone=phone) as panel:
            await panel.dialog.locator(".memory-told summary").click()
            wide = "document.querySelector('dialog.memory').scrollWidth <= innerWidth"
            for scheme in SCHEMES:
                await panel.page.emulate_media(color_scheme=scheme)
                assert await findings(panel.page) == [], scheme
                await panel.shot(f"memory-all-{'phone' if phone else 'wide'}-{scheme}")
            assert await panel.page.evaluate(wide)
            await panel.dialog.locator(".memory-tools button").nth(1).click()
            form = panel.page.locator("dialog.memory-import")
            await form.locator("textarea").fill("Has a cat\nHas a dog")
            await form.locator("button.primary").click()
            await form.locator(".memory-preview li").first.wait_for()
            for scheme in SCHEMES:
                await panel.page.emulate_media(color_scheme=scheme)
                assert await findings(panel.page) == [], scheme
            await panel.shot(f"memory-import-{'phone' if phone else 'wide'}")


async def test_all_of_it_is_reached_with_the_keyboard(panel: OpenPanel) -> None:
    await panel.behind.learn("I live in Rome.")
    await panel.sees("Rome")
    names = []
    for _ in range(16):
        await panel.page.keyboard.press("Tab")
        names.append(await panel.page.evaluate(NAMED))
    for wanted in ("Undo", "Import", "Download", "Format of the download", f"said in “{TITLE}”"):
        assert wanted in names, names
    await panel.page.keyboard.press("Escape")
    await panel.dialog.wait_for(state="detached")
    await open_panel(panel.page)
