"""A person signs in to an MCP server by a link of their own, and their account is used for them alone."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from starlette.applications import Starlette

from parley.app.composition.embedded.sign_ins import sign_in_routes
from parley.core.model.address import User
from parley.core.model.types import OutboundMessage
from parley.server.accounts.files import Account, AccountFiles
from parley.server.accounts.sign_ins import SignIns
from parley.server.options import DefaultAgentOptions, McpOptions
from tests.kit.waiting import until
from tests.unit.server.default_agent.conversation import Talk, conversation
from tests.unit.server.default_agent.mcp.scene import with_accounts, write_servers
from tests.unit.server.default_agent.mcp.wire_server import refusing, wire_server
from tests.unit.server.default_agent.scripted_model import Asked, calls, offered, repeats_result, streams

PARLEY = "http://parley.test"
ASKS = calls("desk_sign_in")
WHOSE = calls("desk_whose")
BOB = User("test", "bob", "Bob")


@dataclass
class Desk:
    """A chat with an agent that has a server with accounts; the server does as files in `server` say."""

    talk: Talk
    folder: Path
    server: Path
    browser: httpx.AsyncClient
    sign_ins: SignIns

    @property
    def files(self) -> AccountFiles:
        return self.sign_ins.files

    async def ask(self) -> str:
        """Have the model ask for a sign-in; returns the link in the question."""
        before = len(self.talk.core.channel.finals)
        await self.talk.say("Whose?", ASKS, WHOSE, repeats_result)
        await self.talk.core.channel.until_finals(before + 2)
        (link,) = re.findall(rf"{PARLEY}\S+", self.talk.core.channel.finals[-1].text)
        return str(link)

    async def follow(self, link: str, visitor: str = "ada") -> httpx.Response:
        """Open a link in a browser, and go where it leads; returns the last page."""
        return await self.browser.get(await self.let_in(await self.leave(link), visitor))

    async def leave(self, link: str, browser: httpx.AsyncClient | None = None) -> str:
        """Open a link and send its form; returns where the server has people sign in."""
        browser = browser or self.browser
        page = await browser.get(link)
        assert "asks Parley on test to use an account at desk" in page.text
        answer = await browser.post(link, data={"token": token_in(page.text)})
        assert answer.status_code == 303
        return str(answer.headers["location"])

    async def let_in(self, onward: str, visitor: str = "ada") -> str:
        """Be signed in by the server; returns where it sends the browser back to."""
        (self.server / "visitor").write_text(visitor)
        async with httpx.AsyncClient() as outside:
            return str((await outside.get(onward)).headers["location"])

    async def answer(self, text: str) -> OutboundMessage:
        return await self.talk.say(text)


def token_in(page: str) -> str:
    """What the form of a page sends."""
    (token,) = re.findall(r'name="token" value="([^"]+)"', page)
    return str(token)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the one server for all tests."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def address(server: Path) -> Iterator[str]:
    with with_accounts(server) as url:
        yield url


@pytest.fixture(autouse=True)
def _as_it_began(server: Path) -> None:
    for file in server.iterdir():
        file.unlink()


@pytest.fixture
async def desk(tmp_path: Path, server: Path, address: str) -> AsyncIterator[Desk]:
    async with httpx.AsyncClient() as outside:
        await until(lambda: _answers(outside, address), "the server is there")
    sign_ins = SignIns(AccountFiles(tmp_path / "accounts"), PARLEY)
    servers = write_servers(tmp_path, desk={"url": address, "oauth": True})
    options = DefaultAgentOptions(mcp=McpOptions(servers, sign_ins=sign_ins))
    pages = httpx.ASGITransport(Starlette(routes=sign_in_routes(sign_ins)))
    async with conversation(tmp_path, options) as talk, httpx.AsyncClient(transport=pages) as browser:
        yield Desk(talk, tmp_path, server, browser, sign_ins)


async def _answers(client: httpx.AsyncClient, address: str) -> bool:
    try:
        return (await client.get(address)).status_code == 401
    except httpx.TransportError:
        return False


async def test_who_has_signed_in_is_served_with_their_own_account(desk: Desk) -> None:
    link = await desk.ask()
    assert offered(desk.talk.model.asked[0]) == ["desk_sign_in"]
    page = await desk.follow(link)
    assert (page.status_code, "You have signed in to desk" in page.text) == (200, True)
    assert (await desk.answer("I have signed in")).text == "the account of ada"
    assert offered(desk.talk.model.asked[-1]) == ["desk_whose"]
    # Another person is outside, and cannot use this account.
    told = await desk.talk.say("Whose?", WHOSE, repeats_result, chat="other", sender=BOB)
    assert told.text == "The tool desk_whose may not be used here."
    # A link is used once, and is nowhere in what the model reads.
    assert (await desk.browser.get(link)).status_code == 404
    assert PARLEY not in json.dumps(desk.talk.model.asked)


async def test_a_token_that_ended_is_renewed_and_one_that_was_revoked_is_asked_for(desk: Desk) -> None:
    await desk.follow(await desk.ask())
    await desk.answer("1")
    (file,) = (desk.folder / "accounts").rglob("*.json")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    kept = json.loads(file.read_text())
    kept["ends"] = time.time() - 1
    desk.files.write(Account("test:ann", "desk", kept["url"]), kept, desk.files.generation("test:ann"))
    (desk.server / "broken").touch()
    async with conversation_again(desk) as talk:
        told = await talk.say("Whose?", streams(content="One moment."))
        assert offered(talk.model.asked[-1]) == []
        assert [step.title for step in told.steps] == ["desk cannot be reached"]
    (desk.server / "broken").unlink()
    async with conversation_again(desk) as talk:
        assert (await talk.say("Whose?", WHOSE, repeats_result)).text == "the account of ada"
    assert (desk.server / "refreshed").exists()
    (desk.server / "revoked").touch()
    async with conversation_again(desk) as talk:
        await talk.say("Whose?", streams(content="One moment."))
        await talk.say("Whose?", streams(content="One moment."))
        assert offered(talk.model.asked[-1]) == ["desk_sign_in"]
        assert desk.files.servers(kept["person"]) == ()


def conversation_again(desk: Desk):
    """Another process of the same Parley, with a store of its own."""
    folder = desk.folder / f"again-{time.monotonic_ns()}"
    folder.mkdir()
    sign_ins = SignIns(desk.files, PARLEY)
    return conversation(
        folder, DefaultAgentOptions(mcp=McpOptions(desk.folder / "mcp.json", sign_ins=sign_ins))
    )


async def test_who_was_signed_out_by_the_server_signs_in_again(desk: Desk) -> None:
    await desk.follow(await desk.ask())
    await desk.answer("1")
    (desk.server / "revoked").touch()
    told = await desk.talk.say("Whose?", WHOSE, repeats_result)
    assert "ada" not in told.text
    (desk.server / "revoked").unlink()
    page = await desk.follow(await desk.ask(), "eve")
    assert page.status_code == 200
    assert (await desk.answer("1")).text == "the account of eve"


@pytest.mark.parametrize("words", ["I have signed in", "Not now"])
async def test_without_a_sign_in_the_agent_goes_on_without_the_server(desk: Desk, words: str) -> None:
    link = await desk.ask()
    desk.talk.model.answers[:] = [repeats_result]
    told = await desk.answer(words)
    assert told.text.startswith("The person has not signed in to desk.")
    # The link still holds: whoever follows it later is in with the next message.
    assert (await desk.follow(link)).status_code == 200
    assert (await desk.talk.say("Whose?", WHOSE, repeats_result)).text == "the account of ada"


async def test_in_a_group_no_link_is_shown(desk: Desk) -> None:
    told = await desk.talk.say("Whose?", ASKS, repeats_result, chat="group", private=False)
    assert "private chat" in told.text
    assert not [text for text in desk.talk.core.channel.texts if PARLEY in text]


async def test_what_a_browser_brings_without_a_link_of_ours_is_refused(desk: Desk) -> None:
    for path in ("/mcp/sign-in?link=x", "/mcp/callback?state=x&code=y", "/mcp/callback"):
        page = await desk.browser.get(PARLEY + path)
        assert (page.status_code, page.headers["cache-control"]) == (404, "no-store")
    assert (await desk.browser.post(f"{PARLEY}/mcp/sign-in?link=x")).status_code == 404
    state = state_in(await desk.leave(await desk.ask()))
    page = await desk.browser.get(f"{PARLEY}/mcp/callback", params={"state": state, "error": "access_denied"})
    assert (page.status_code, "did not work" in page.text) == (400, True)
    page = await desk.browser.get(f"{PARLEY}/mcp/callback", params={"state": state, "code": "forged"})
    assert page.status_code == 400
    assert desk.files.servers("test:ann") == ()


def state_in(url: str) -> str:
    (state,) = parse_qs(urlsplit(url).query)["state"]
    return state


async def test_a_link_that_another_browser_took_is_replaced_by_the_next_one(desk: Desk) -> None:
    first = await desk.ask()
    pages = httpx.ASGITransport(Starlette(routes=sign_in_routes(desk.sign_ins)))
    async with httpx.AsyncClient(transport=pages) as other:
        onward = await desk.leave(first, other)
        # The server's own address was passed on: who follows it signs in there, and nothing comes of it.
        page = await desk.browser.get(await desk.let_in(onward, "victim"))
        assert (page.status_code, "another browser" in page.text) == (403, True)
        assert desk.files.servers("test:ann") == ()
        await desk.answer("Not now")
        second = await desk.ask()
        assert second != first
        assert (await other.get(first)).status_code == 404
    assert (await desk.follow(second)).status_code == 200
    assert (await desk.answer("I have signed in")).text == "the account of ada"


async def test_a_code_that_another_issuer_gave_is_not_sent_to_the_server(desk: Desk, address: str) -> None:
    back = await desk.let_in(await desk.leave(await desk.ask()))
    page = await desk.browser.get(f"{back}&iss=https://evil.example")
    assert (page.status_code, "did not work" in page.text) == (400, True)
    assert desk.files.servers("test:ann") == ()
    # The same code is still good: nobody has used it.
    own = address.removesuffix("mcp")
    assert (await desk.browser.get(f"{back}&iss={own}")).status_code == 200


async def test_a_server_at_another_address_gets_nothing_of_the_accounts_at_the_first(
    desk: Desk, tmp_path: Path
) -> None:
    await desk.follow(await desk.ask())
    assert (await desk.answer("I have signed in")).text == "the account of ada"
    (file,) = (desk.folder / "accounts").rglob("*.json")
    async with wire_server(refusing) as other:
        write_servers(tmp_path, desk={"url": f"{other.url}/mcp", "oauth": True})
        told = await desk.talk.say("Whose?", WHOSE, repeats_result)
        assert offered(desk.talk.model.asked[-2]) == ["desk_sign_in"]
        assert "ada" not in told.text
        await desk.talk.say("Whose?", ASKS, repeats_result)
        assert "/mcp" in other.paths()
        assert {credentials for _, _, credentials in other.asked} == {""}
    # The address of before has its account, still.
    write_servers(tmp_path, desk={"url": json.loads(file.read_text())["url"], "oauth": True})
    assert (await desk.talk.say("Whose?", WHOSE, repeats_result)).text == "the account of ada"


async def test_what_an_earlier_version_kept_without_an_address_is_not_used_and_can_be_erased(
    desk: Desk,
) -> None:
    await desk.follow(await desk.ask())
    (file,) = (desk.folder / "accounts").rglob("*.json")
    file.rename(file.with_name("desk.json"))
    await desk.answer("1")
    assert offered(desk.talk.model.asked[-1]) == ["desk_sign_in"]
    assert desk.files.servers("test:ann") == ("desk",)
    assert desk.files.erase("test:ann") == 1
    assert desk.files.servers("test:ann") == ()


async def test_a_sign_in_that_was_begun_before_an_erasure_keeps_nothing_after_it(desk: Desk) -> None:
    back = await desk.let_in(await desk.leave(await desk.ask()))
    assert desk.files.erase("test:ann") == 0
    page = await desk.browser.get(back)
    assert (page.status_code, "did not work" in page.text) == (400, True)
    assert [*(desk.folder / "accounts").rglob("*.json")] == []
    # Who signs in after it is in.
    desk.talk.model.answers[:] = [repeats_result]
    await desk.answer("Not now")
    assert (await desk.follow(await desk.ask(), "eve")).status_code == 200
    assert (await desk.answer("I have signed in")).text == "the account of eve"


async def test_an_erased_account_is_not_used_by_the_session_that_has_it(desk: Desk) -> None:
    await desk.follow(await desk.ask())
    assert (await desk.answer("I have signed in")).text == "the account of ada"
    assert desk.files.erase("test:ann") == 1
    assert "ada" not in (await desk.talk.say("Whose?", WHOSE, repeats_result)).text
    assert offered(desk.talk.model.asked[-1]) == ["desk_sign_in"]
    assert [*(desk.folder / "accounts").rglob("*.json")] == []


async def test_what_a_server_tells_one_account_of_its_tools_is_not_shown_to_another(desk: Desk) -> None:
    await desk.follow(await desk.ask())
    await desk.answer("I have signed in")
    assert described(desk.talk.model.asked[-1]) == ["Tell whose account it is: of ada"]
    before = len(desk.talk.core.channel.finals)
    await desk.talk.say("Whose?", ASKS, WHOSE, repeats_result, chat="other", sender=BOB)
    await desk.talk.core.channel.until_finals(before + 2)
    (link,) = re.findall(rf"{PARLEY}\S+", desk.talk.core.channel.finals[-1].text)
    await desk.follow(link, "bob")
    told = await desk.talk.say("I have signed in", chat="other", sender=BOB)
    assert told.text == "the account of bob"
    assert described(desk.talk.model.asked[-1]) == ["Tell whose account it is: of bob"]
    # And back: each has their own, in whatever order they write.
    await desk.talk.say("Whose?", WHOSE, repeats_result)
    assert described(desk.talk.model.asked[-1]) == ["Tell whose account it is: of ada"]


def described(asked: Asked) -> list[str]:
    return [each["function"]["description"] for each in asked["tools"]]
