"""Keyboard, phone, dark, files, languages, and what must never run."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, FilePayload, Route

from tests.browser.conftest import Chat, listen, new_page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f0005"
    "0001ff56c72f0d0000000049454e44ae426082"
)

HOSTILE = """<img src=x onerror="window.hit=1"><script>window.hit=2</script>
[click](javascript:window.hit=3) [data](data:text/html,<script>window.hit=4</script>)
![pixel](https://tracker.invalid/p.png) <https://ok.example/a?b=1&c=2> <javascript:window.hit=5>
`<b>code</b>` **<i>bold</i>** | <svg onload=window.hit=6>

| <img src=x onerror=window.hit=7> | b |
|---|---|
| [x](JaVaScRiPt:window.hit=8) | c |

```"><script>window.hit=9</script>
</code><script>window.hit=10</script>
```
"""


async def test_text_that_would_run_is_shown_as_text(chat: Chat) -> None:
    await chat.send(HOSTILE)
    prose = chat.page.locator(".entry.agent .prose")
    await prose.locator("table").wait_for()
    assert await chat.page.evaluate("window.hit") is None
    assert await chat.page.locator("#thread").locator("script, img, svg[onload], b, i").count() == 0
    links = await prose.locator("a").evaluate_all("all => all.map((a) => a.href)")
    assert links == ["https://tracker.invalid/p.png", "https://ok.example/a?b=1&c=2"]
    assert "<script>window.hit=2</script>" in await prose.inner_text()


async def test_hostile_titles_and_file_names_are_text_too(chat: Chat) -> None:
    name = "<img src=x onerror=window.hit=1>.txt"
    await chat.page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/html", "buffer": b"<script>window.hit=2</script>"}
    )
    await chat.send("<svg onload=window.hit=3> title")
    await chat.page.locator(".entry.agent").wait_for()
    assert await chat.page.evaluate("window.hit") is None
    assert name in await chat.page.locator(".files").first.inner_text()


async def test_the_keyboard_is_enough(chat: Chat) -> None:
    keys = chat.page.keyboard
    for text in ("first talk", "second talk"):
        await keys.press("Control+k")
        await keys.type(text)
        await keys.press("Shift+Enter")
        await keys.type("second line")
        await keys.press("Enter")
        await chat.page.locator(".entry.agent").get_by_text(text).wait_for()
    assert chat.core.seen[0].text == "first talk\nsecond line"
    links = chat.page.locator(".chat-link")
    await links.first.focus()
    await keys.press("ArrowDown")
    await keys.press("Enter")
    await chat.page.get_by_role("heading", name="first talk").wait_for()
    await links.last.focus()
    await keys.press("Delete")
    await chat.page.get_by_role("dialog").wait_for()
    await keys.press("Escape")
    assert await links.count() == 2


async def test_a_slash_lists_the_commands(chat: Chat) -> None:
    keys = chat.page.keyboard
    await keys.type("/")
    options = chat.page.get_by_role("option")
    await options.first.wait_for()
    assert await options.count() == 4
    await keys.type("st")
    assert await options.locator("code").all_inner_texts() == ["/status", "/stop"]
    await chat.shot("commands-light")
    await keys.press("ArrowDown")
    await keys.press("Tab")
    assert await chat.page.input_value("#write") == "/stop "
    await chat.page.fill("#write", "")
    await keys.type("/he")
    await keys.press("Enter")
    await chat.page.locator(".entry.agent").wait_for()
    assert chat.core.seen[-1].text == "/help"


async def test_files_are_picked_dropped_and_pasted(chat: Chat) -> None:
    picture: FilePayload = {"name": "dot.png", "mimeType": "image/png", "buffer": PIXEL}
    await chat.page.locator("input[type=file]").set_input_files([picture])
    transfer = await chat.page.evaluate_handle(
        "() => { const t = new DataTransfer(); t.items.add(new File(['dropped'], 'drop.txt')); return t; }"
    )
    for event in ("dragover", "drop"):
        await chat.page.dispatch_event("#main", event, {"dataTransfer": transfer})
    paste = """() => {
      const data = new DataTransfer(); data.items.add(new File(['pasted'], 'paste.txt'));
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true });
      document.getElementById('write').dispatchEvent(event); }"""
    await chat.page.evaluate(paste)
    await chat.page.locator(".chosen li:not(.sending)").nth(2).wait_for()
    await chat.shot("files-chosen-light")
    await chat.page.get_by_role("button", name="Remove paste.txt").click()
    await chat.send("see these")
    await chat.page.locator(".entry.agent").wait_for()
    assert await chat.page.locator(".files .picture img").is_visible()
    (message,) = chat.core.seen
    assert [(file.name, file.kind.value) for file in message.attachments] == [
        ("dot.png", "image"),
        ("drop.txt", "file"),
    ]
    await chat.shot("files-sent-light")


async def test_a_message_sent_while_its_file_is_on_its_way_waits_for_it(chat: Chat) -> None:
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await chat.page.route("**/uploads/*", hold)
    await chat.page.locator("input[type=file]").set_input_files(
        {"name": "slow.txt", "mimeType": "text/plain", "buffer": b"slow"}
    )
    await chat.page.locator(".chosen .sending").wait_for()
    await chat.send("with a file")
    assert await chat.page.locator(".entry").count() == 0
    await held[0].continue_()
    await chat.page.locator(".entry.agent").wait_for()
    assert [file.name for file in chat.core.seen[0].attachments] == ["slow.txt"]


async def test_too_large_a_file_is_refused_at_once(chat: Chat) -> None:
    await chat.page.fill("#write", "/")
    await chat.page.get_by_role("option").first.wait_for()  # now the page knows its server's limits, too
    big: FilePayload = {"name": "big.bin", "mimeType": "application/octet-stream", "buffer": b"x" * 2_000_001}
    await chat.page.locator("input[type=file]").set_input_files([big])
    await chat.page.get_by_role("alert").get_by_text("big.bin is larger than 2.0 MB").wait_for()
    assert await chat.page.locator(".chosen li").count() == 0


async def test_a_replys_file_is_downloaded_under_its_name(chat: Chat, tmp_path: Path) -> None:
    await chat.send("a report please")
    async with chat.page.expect_download() as waiting:
        await chat.page.get_by_role("link", name=re.compile("report.csv")).click()
    download = await waiting.value
    assert download.suggested_filename == "report.csv"
    assert (await download.path()).read_text() == "a,b\n1,2\n"


async def test_the_theme_follows_the_system_until_it_is_chosen(chat: Chat) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = await chat.page.evaluate(ground)
    await chat.page.emulate_media(color_scheme="dark")
    dark = await chat.page.evaluate(ground)
    assert dark != light
    await chat.page.get_by_role("button", name="Theme: as the system").click()
    assert await chat.page.evaluate(ground) == light
    await chat.page.reload()
    assert await chat.page.evaluate(ground) == light
    await chat.page.get_by_role("button", name="Theme: light").click()
    await chat.page.emulate_media(color_scheme="light")
    assert await chat.page.evaluate(ground) == dark
    chat.core.release.set()
    await chat.send("a long document")
    await chat.page.locator(".entry.agent:not(.growing)").wait_for()
    await chat.shot("document-dark")


async def test_on_a_phone_the_list_is_a_drawer(chat: Chat, browser: Browser) -> None:
    phone = await new_page(
        browser, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, device_scale_factor=2
    )
    said = listen(phone)
    await phone.goto(chat.url)
    mobile = Chat(phone, chat.core, chat.url, said)
    await phone.locator(".hello").wait_for()
    await mobile.shot("empty-phone")
    chat.core.release.set()
    await mobile.send("a long document")
    await phone.locator(".entry.agent:not(.growing)").wait_for()
    width = "document.documentElement.scrollWidth <= innerWidth"
    assert await phone.evaluate(width)
    await mobile.shot("document-phone")
    await phone.get_by_role("button", name="Show conversations").tap()
    await phone.locator(".drawer .chat-link").wait_for()
    await mobile.shot("drawer-phone")
    await phone.locator(".new").tap()
    await phone.locator(".hello").wait_for()
    assert await phone.locator(".drawer").count() == 0
    assert said == []


async def test_the_page_speaks_chinese_to_a_chinese_browser(chat: Chat, browser: Browser) -> None:
    page = await new_page(browser, locale="zh-CN")
    await page.goto(chat.url)
    await page.get_by_role("heading", name="有什么可以帮您？").wait_for()
    await page.fill("#write", "/new")
    assert "重新开始" in await page.get_by_role("option").inner_text()
    await page.get_by_role("button", name="发送").click()
    await page.locator(".entry.agent").wait_for()
    assert chat.core.seen[0].sender.language == "zh-CN"


async def test_enter_while_a_word_is_composed_sends_nothing(chat: Chat) -> None:
    await chat.page.fill("#write", "ni hao")
    await chat.page.dispatch_event(
        "#write", "keydown", {"key": "Enter", "isComposing": True, "bubbles": True}
    )
    assert await chat.page.input_value("#write") == "ni hao"


async def test_the_empty_page_begins_at_its_top_where_the_window_is_low(chat: Chat) -> None:
    scrolled = "(each) => [each.scrollTop, each.scrollHeight > each.clientHeight]"
    thread = chat.page.locator(".scroll").first
    await chat.page.set_viewport_size({"width": 1100, "height": 420})
    await chat.page.reload()
    await chat.page.locator(".hello").wait_for()
    assert await thread.evaluate(scrolled) == [0, True]
    chat.core.release.set()
    await chat.send("a long document")
    await chat.page.locator(".entry.agent:not(.growing)").wait_for()
    top, _ = await thread.evaluate(scrolled)
    assert top > 0
    await chat.page.locator(".new").click()
    await chat.page.locator(".hello").wait_for()
    assert await thread.evaluate(scrolled) == [0, True]
    assert await chat.page.locator(".latest").is_hidden()
