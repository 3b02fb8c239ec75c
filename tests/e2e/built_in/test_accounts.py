"""A person signs in to an MCP server of the built-in agent, and on the page a title names the chat."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import httpx
import pytest
from starlette.responses import Response

from tests.e2e.built_in.test_mcp import listens
from tests.e2e.built_in.test_steps_in_chats import each, everywhere
from tests.e2e.built_in.test_tools import running
from tests.kit.doubles.llm_provider import provider, says
from tests.kit.product.process import way_in
from tests.kit.product.step_viewers import StepViewer
from tests.kit.product.web_person import WebPerson
from tests.unit.server.default_agent.mcp.scene import with_accounts, write_servers
from tests.unit.server.default_agent.scripted_model import Asked, calls, repeats_result, streams

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]


def model(asked: Asked) -> Response:
    """Give a title where one is asked for; else sign in, look, and tell."""
    messages = asked["messages"]
    if messages[0]["content"].startswith("Write a title"):
        return (streams(content="Accounts") if asked.get("stream") else says("Accounts"))(asked)
    results = [each["content"] for each in messages if each["role"] == "tool"]
    if not results:
        return calls("desk_sign_in")(asked)
    return (calls("desk_whose") if len(results) == 1 else repeats_result)(asked)


def browse(link: str) -> str:
    """Follow a link as a browser without Parley's cookie does."""
    with httpx.Client(follow_redirects=True) as browser:
        (token,) = re.findall(r'name="token" value="([^"]+)"', browser.get(link).text)
        return browser.post(link, data={"token": token}).text


def title(parley: str) -> str:
    """What the only conversation in the list is called."""
    with httpx.Client(**way_in(parley)) as page:
        (chat,) = page.get("/api/chat/conversations").json()["conversations"]
    return str(chat["title"])


async def test_a_person_signs_in_on_the_page_and_is_served_with_their_account(tmp_path: Path) -> None:
    (tmp_path / "visitor").write_text("ada")
    with with_accounts(tmp_path) as url:
        await listens(url)
        write_servers(tmp_path, desk={"url": url, "oauth": True})
        async with (
            provider(model) as spoken,
            running(tmp_path, spoken, mcp={"file": "mcp.json"}, titles="openai:m") as parley,
        ):
            web = WebPerson(parley.url)
            asked = (await asyncio.to_thread(web.ask, "Whose account?")).final
            (link,) = re.findall(r"http://\S+/mcp/sign-in\?link=[\w-]+", asked["text"])
            assert "You have signed in to desk" in await asyncio.to_thread(browse, link)
            await asyncio.to_thread(web.say, "I have signed in")
            await asyncio.to_thread(web.until, lambda text: "the account of ada" in text)
            assert link not in str(spoken.asked)
            assert await asyncio.to_thread(title, parley.url) == "Accounts"
            web.close()


async def test_on_every_platform_a_person_signs_in_by_a_link_of_their_own(tmp_path: Path) -> None:
    def signs_in(viewer: StepViewer) -> None:
        viewer.decider.say("Whose account?")
        _, text, _ = viewer.decider.sees("/mcp/sign-in?link=")
        (link,) = re.findall(r"http://\S+/mcp/sign-in\?link=[\w-]+", text)
        assert "You have signed in to desk" in browse(link)
        viewer.decider.say("I have signed in")
        viewer.decider.sees("the account of ada")
        links.add(link)

    (tmp_path / "visitor").write_text("ada")
    links: set[str] = set()
    with with_accounts(tmp_path) as url:
        await listens(url)
        write_servers(tmp_path, desk={"url": url, "oauth": True})
        async with everywhere(tmp_path, model, {"mcp": {"file": "mcp.json"}}, slack="one") as viewers:
            await each(viewers, signs_in)
            assert len(links) == len(viewers)
