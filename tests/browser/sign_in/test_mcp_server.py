"""A person signs in to an MCP server in a real browser: the form, the other site, and the way back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from benchmarks.kit.free_ports import free_port
from parley.app.composition.embedded.sign_ins import sign_in_routes
from parley.console.server import HttpServer
from parley.server.accounts.files import AccountFiles
from parley.server.accounts.sign_ins import SignIns
from parley.server.default_agent.mcp.accounts import AccountConnections
from parley.server.default_agent.mcp.server_file import McpOAuth, McpServer
from tests.browser.conftest import listen, new_page
from tests.browser.scripted_core import own_console
from tests.e2e.built_in.test_mcp import listens
from tests.kit.waiting import until
from tests.unit.server.default_agent.mcp.scene import with_accounts

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

ANN = {"person": "slack:ann", "account": "slack:ann", "name": "Ann", "platform": "slack"}


@dataclass
class Desk:
    """A server with accounts at one site, and Parley at another: `localhost` and `127.0.0.1` are two."""

    accounts: AccountConnections
    sign_ins: SignIns

    async def link(self) -> str:
        return await self.accounts.begin(ANN, "call")


@pytest_asyncio.fixture(loop_scope="session")
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    (tmp_path / "visitor").write_text("ada")
    port = free_port()
    sign_ins = SignIns(AccountFiles(tmp_path / "accounts"), f"http://localhost:{port}")
    server = HttpServer(own_console(port), [], list, webhooks=sign_in_routes(sign_ins))
    up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(server.run(up.set_result))
    with with_accounts(tmp_path) as url:
        await listens(url)
        await up
        accounts = AccountConnections(
            McpServer("desk", "streamable_http", url=url, oauth=McpOAuth()), 60.0, sign_ins
        )
        yield Desk(accounts, sign_ins)
        await accounts.close()
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


async def test_a_browser_goes_to_the_server_and_comes_back_signed_in(browser: Browser, desk: Desk) -> None:
    link = await desk.link()
    page = await new_page(browser, locale="en-GB")
    said = listen(page)
    await page.goto(link)
    await expect(page.get_by_text("Ann asks Parley on slack")).to_be_visible()
    await expect(page.get_by_text("You sign in at: 127.0.0.1")).to_be_visible()
    assert "parley_mcp_sign_in" not in await page.evaluate("document.cookie"), "no script reads it"
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_text("You have signed in to desk")).to_be_visible()
    assert desk.accounts.has_signed_in(ANN)
    assert said == []
    await page.close()


async def test_another_browser_that_is_sent_the_servers_address_signs_nobody_in(
    browser: Browser, desk: Desk
) -> None:
    attacker, victim = await browser.new_context(locale="zh-CN"), await browser.new_context(locale="zh-CN")
    page, theirs = await attacker.new_page(), await victim.new_page()
    await page.goto(link := await desk.link())
    await expect(page.get_by_text("Ann 在 slack 上请求")).to_be_visible()
    # The attacker sends the form and passes on where it leads, before following it.
    token = await page.locator("input[name=token]").input_value()
    answer = await page.request.post(link, form={"token": token}, max_redirects=0)
    await theirs.goto(answer.headers["location"])
    await expect(theirs.get_by_text("另一个浏览器")).to_be_visible()
    assert not desk.accounts.has_signed_in(ANN)
    await attacker.close()
    await victim.close()


async def test_a_page_of_another_site_cannot_frame_it(browser: Browser, desk: Desk) -> None:
    link = await desk.link()
    page = await new_page(browser)
    said = listen(page)
    await page.set_content(f'<iframe src="{link}"></iframe>')
    await until(lambda: any("frame-ancestors" in line for line in said), "the frame is refused")
    await page.close()
