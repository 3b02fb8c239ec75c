"""A new Parley is set up on its page: from nothing to the bot's answer, on strict simulated platforms."""

import asyncio
import stat
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from benchmarks.kit.free_ports import free_port
from parley.app.settings.load import load_settings
from parley.app.settings.parsing.dotenv import with_dotenv
from tests.browser.conftest import listen, new_page, save_shot
from tests.browser.test_accessibility import findings
from tests.kit.product.init_walk import WALKERS, Walker, scan_address
from tests.kit.product.process import Process
from tests.kit.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

KEYS = {"telegram": ["TELEGRAM_BOT_TOKEN"], "slack": ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"]}
PASTE = """(field, text) => {
    field.focus();
    document.execCommand("insertText", false, text);
    field.dispatchEvent(new ClipboardEvent("paste", { bubbles: true }));
}"""
FOCUSED = """([selector, text]) =>
    document.activeElement.matches(selector) && document.activeElement.textContent.includes(text)"""
OVERFLOW = """() => {
    const dialog = document.querySelector("dialog.setup");
    return Math.max(dialog.scrollWidth - dialog.clientWidth,
        document.documentElement.scrollWidth - innerWidth);
}"""
PHONE = {"viewport": {"width": 390, "height": 844}, "locale": "zh-CN", "has_touch": True}


def begun(name: str) -> Iterator[Walker]:
    made = WALKERS[name]()
    yield made
    made.simulator.__exit__(None, None, None)


@pytest.fixture(params=sorted(WALKERS))
def walker(request: pytest.FixtureRequest) -> Iterator[Walker]:
    yield from begun(request.param)


@pytest.fixture
def slack() -> Iterator[Walker]:
    yield from begun("slack")


@pytest.fixture
def telegram() -> Iterator[Walker]:
    yield from begun("telegram")


@pytest_asyncio.fixture(loop_scope="session")
async def parley(tmp_path: Path) -> AsyncIterator[Process]:
    process = Process(tmp_path, {"console": {"port": free_port()}})
    await asyncio.to_thread(process.start)
    yield process
    await asyncio.to_thread(process.terminate)


async def open_setup(browser: Browser, parley: Process, **how: object) -> tuple[Page, list[str]]:
    page = await new_page(browser, **{"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **how})
    said = listen(page)
    await page.goto(parley.url)
    await page.locator(".offer").click()
    await page.locator(".setup-rows").wait_for()
    return page, said


async def press_primary(page: Page) -> None:
    await page.locator(".setup .primary:visible").click()


async def choose(page: Page, walker: Walker) -> None:
    await page.locator(".setup-row", has_text=walker.name.title().replace("talk", "Talk")).click()
    await page.locator(".setup-more summary").first.click()
    await page.locator("input[name=server]").fill(walker.url)


async def connect(page: Page, walker: Walker) -> None:
    """Paste what the platform gave, or scan its code, until the bot waits for a message."""
    await choose(page, walker)
    if walker.secrets:
        for name, secret in zip(KEYS[walker.name], walker.secrets, strict=True):
            await page.get_by_label(name).evaluate(PASTE, secret)
    else:
        await press_primary(page)
        await page.locator("svg.qr").wait_for()
        await save_shot(page, f"setup-scan-{walker.name}")
        address = await page.locator(".setup-address a").get_attribute("href")
        await asyncio.to_thread(scan_address, walker, str(address))
        await page.locator(".setup-good").wait_for()
        await press_primary(page)
    await (
        page.locator(".setup-wait", has_text="hello")
        .or_(page.locator(".setup-wait", has_text="你好"))
        .wait_for()
    )


async def answered(walker: Walker) -> None:
    await until(lambda: any("demonstration" in each for each in walker.answers()), "the bot answers", 60)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def check_files(folder: Path, walker: Walker, shown: str) -> None:
    """One administrator; secrets in .env only, which is its owner's."""
    config = load_settings(None, with_dotenv({}, folder / ".env"), folder).channels[walker.name]
    assert len(config.admins) == 1
    assert stat.S_IMODE((folder / ".env").stat().st_mode) == 0o600
    secrets = [getattr(config, key) for key in config.credentials() if not key.endswith("id")]
    assert secrets
    assert not [each for each in secrets if each in (folder / "config.yaml").read_text() + shown]


async def test_from_nothing_to_the_bots_answer(
    browser: Browser, parley: Process, walker: Walker, tmp_path: Path
) -> None:
    page, said = await open_setup(browser, parley)
    await save_shot(page, "setup-chats")
    assert await findings(page) == []
    await connect(page, walker)
    await save_shot(page, f"setup-greet-{walker.name}")
    await asyncio.to_thread(walker.operator.say, "hello")
    await page.locator(".setup-who").wait_for()
    await save_shot(page, f"setup-who-{walker.name}")
    assert await findings(page) == []
    await page.get_by_role("button", name="Yes, that is me").click()
    await page.get_by_role("button", name="Done").click()
    await page.get_by_role("button", name="Next").click()
    await save_shot(page, "setup-agent")
    assert await findings(page) == []
    await page.get_by_role("button", name="Next").click()
    await page.locator(".setup-changes").wait_for()
    shown = await page.locator(".setup-changes").inner_text()
    await save_shot(page, f"setup-review-{walker.name}")
    assert await findings(page) == []
    await page.get_by_role("button", name="Write and start").click()
    await page.get_by_text("Parley is running with it").wait_for()
    await save_shot(page, "setup-started")
    await answered(walker)
    await page.get_by_role("button", name="Chat", exact=True).click()
    await page.locator(".offer").wait_for(state="hidden")
    check_files(tmp_path, walker, shown + parley.log + parley.printed)
    # While it starts again, nobody answers the page.
    assert [each for each in said if "ERR_" not in each] == []
    await page.close()


async def test_on_a_phone_in_chinese(
    browser: Browser, parley: Process, slack: Walker, tmp_path: Path
) -> None:
    page, _ = await open_setup(browser, parley, **PHONE)
    overflow = [await page.evaluate(OVERFLOW)]
    await save_shot(page, "setup-phone-chats")
    await choose(page, slack)
    await save_shot(page, "setup-phone-form")
    overflow.append(await page.evaluate(OVERFLOW))
    await page.get_by_role("button", name="返回").click()
    await connect(page, slack)
    await asyncio.to_thread(slack.operator.say, "你好")
    await page.locator(".setup-who").wait_for()
    await save_shot(page, "setup-phone-who")
    overflow.append(await page.evaluate(OVERFLOW))
    await press_primary(page)
    await page.locator(".setup-good", has_text="管理员").wait_for()
    await press_primary(page)
    await press_primary(page)
    await page.get_by_label("正在运行的 LangGraph 服务").check()
    await save_shot(page, "setup-phone-agent")
    overflow.append(await page.evaluate(OVERFLOW))
    await page.get_by_label("内置演示").check()
    await press_primary(page)
    await page.locator(".setup-changes").wait_for()
    await save_shot(page, "setup-phone-review")
    overflow.append(await page.evaluate(OVERFLOW))
    assert await findings(page) == []
    await press_primary(page)
    await page.get_by_text("Parley 已按新配置运行").wait_for()
    await answered_in_chinese(slack)
    assert max(overflow) <= 0
    await page.close()


async def answered_in_chinese(walker: Walker) -> None:
    await until(lambda: any("演示" in each for each in walker.answers()), "the bot answers", 60)


async def tab_to(page: Page, selector: str, text: str = "") -> None:
    """Press Tab until this has the focus."""
    for _ in range(40):
        if await page.evaluate(FOCUSED, [selector, text]):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector} {text}")


async def test_by_keyboard_alone(browser: Browser, parley: Process, telegram: Walker) -> None:
    page = await new_page(browser, viewport={"width": 1280, "height": 800}, locale="en-GB")
    await page.goto(parley.url)
    await page.locator(".offer").wait_for()
    await tab_to(page, ".offer")
    await page.keyboard.press("Enter")
    await page.locator(".setup-rows").wait_for()
    await tab_to(page, ".setup-row", "Telegram")
    await page.keyboard.press("Enter")
    await page.locator(".setup-form").wait_for()
    await tab_to(page, "input[type=password]")
    await page.keyboard.press("Shift+Tab")
    for _ in range(5):  # past the links of the steps
        if await page.evaluate("() => document.activeElement.matches('summary')"):
            break
        await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Enter")
    await tab_to(page, "input[name=server]")
    await page.keyboard.insert_text(telegram.url)
    await tab_to(page, "input[type=password]")
    await page.keyboard.insert_text(telegram.secrets[0])
    await page.keyboard.press("Enter")
    await page.locator(".setup-wait", has_text="hello").wait_for()
    await asyncio.to_thread(telegram.operator.say, "hello")
    await page.locator(".setup-who").wait_for()
    # What is to be done next has the focus each time.
    for step in ("Yes, that is me", "Done"):
        await tab_to(page, "button", step)
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name=step).wait_for(state="detached")
    await tab_to(page, ".primary", "Next")
    await page.keyboard.press("Enter")
    await page.locator("input[type=radio]:focus").wait_for()
    await page.keyboard.press("Enter")
    await page.locator(".primary:focus", has_text="Write and start").wait_for()
    await page.keyboard.press("Escape")
    await page.locator("dialog.setup").wait_for(state="detached")
    # What was entered is still there.
    await tab_to(page, ".offer")
    await page.keyboard.press("Enter")
    await page.locator(".setup-row", has_text="administrator: ").wait_for()
    await tab_to(page, ".primary", "Next")
    await page.keyboard.press("Enter")
    await page.locator("input[type=radio]:focus").wait_for()
    await page.keyboard.press("Enter")
    await page.locator(".primary:focus", has_text="Write and start").wait_for()
    await page.keyboard.press("Enter")
    await page.locator(".primary:focus", has_text="Chat").wait_for()
    await answered(telegram)
    await page.close()


async def test_a_refused_token_and_a_missing_scope_are_named(
    browser: Browser, parley: Process, slack: Walker, tmp_path: Path
) -> None:
    before = names(tmp_path)
    slack.simulator.people.restrict_scopes("chat:write", "users:read")
    page, _ = await open_setup(browser, parley)
    await choose(page, slack)
    await page.get_by_label("SLACK_BOT_TOKEN").evaluate(PASTE, "xoxb-wrong")
    await page.get_by_label("SLACK_APP_TOKEN").evaluate(PASTE, slack.secrets[1])
    await page.locator(".setup-note.bad", has_text="This does not work").wait_for()
    await save_shot(page, "setup-refused")
    await page.get_by_label("SLACK_BOT_TOKEN").fill("")
    await page.get_by_label("SLACK_BOT_TOKEN").evaluate(PASTE, slack.secrets[0])
    await page.locator(".setup-lacks", has_text="chat:write").wait_for()
    await page.get_by_text("Add an OAuth Scope").wait_for()
    await save_shot(page, "setup-lacks")
    assert await findings(page) == []
    await page.get_by_role("button", name="Check again").click()
    await page.locator(".setup-lacks", has_text="users:read").wait_for()
    await page.reload()
    await page.locator(".offer").click()
    await page.locator(".setup-row", has_text="no administrator yet").wait_for()
    assert names(tmp_path) == before
    await page.close()
