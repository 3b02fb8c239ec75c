"""An unsafe address to sign in at: no link, a reason for the person, and a remedy for the operator."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from parley.app.composition.embedded.sign_ins import sign_in_routes
from parley.core.model.address import User
from parley.server.accounts.files import AccountFiles
from parley.server.accounts.sign_ins import SignIns
from parley.server.options import DefaultAgentOptions, McpOptions
from tests.unit.server.default_agent.conversation import Talk, conversation
from tests.unit.server.default_agent.mcp.scene import write_servers
from tests.unit.server.default_agent.mcp.wire_server import WireServer, wire_server
from tests.unit.server.default_agent.scripted_model import calls, repeats_result

PARLEY = "http://parley.test"
ASKS = calls("desk_sign_in")
WANG = User("test", "ann", "王", language="zh")


def naming(authorization: str) -> Callable[[WireServer, Request], Response]:
    """An MCP server, and one where its people sign in, that names this address for browsers."""

    def answer(server: WireServer, request: Request) -> Response:
        path = request.url.path
        if path == "/mcp":
            return Response(status_code=401)
        if path.startswith("/.well-known/oauth-protected-resource"):
            return JSONResponse({"resource": f"{server.url}/mcp", "authorization_servers": [server.url]})
        if path == "/.well-known/oauth-authorization-server":
            return JSONResponse(
                {
                    "issuer": f"{server.url}/",
                    "authorization_endpoint": authorization,
                    "token_endpoint": f"{server.url}/token",
                    "registration_endpoint": f"{server.url}/register",
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )
        if path == "/register":
            return JSONResponse({"client_id": "c", "redirect_uris": [f"{PARLEY}/mcp/callback"]}, 201)
        return Response(status_code=404)

    return answer


def options(folder: Path, server: WireServer, **oauth: object) -> DefaultAgentOptions:
    """The agent with this server."""
    file = write_servers(folder, desk={"url": f"{server.url}/mcp", "oauth": oauth or True})
    sign_ins = SignIns(AccountFiles(folder / "accounts"), PARLEY)
    return DefaultAgentOptions(mcp=McpOptions(file, sign_ins=sign_ins))


@pytest.mark.parametrize(
    ("authorization", "where", "remedy"),
    [
        ("http://login.example/authorize", "http://login.example", "authorization_origins"),
        ("http://login.example:8080/a?b=c", "http://login.example:8080", "authorization_origins"),
        ("https://login.example@evil.example/a", "https://evil.example", "tell whoever runs that server"),
        ("http://localhost.evil.example/", "http://localhost.evil.example", "authorization_origins"),
        ("http://\u0430pple.com/", "http://xn--pple-43d.com", "authorization_origins"),
    ],
)
async def test_nobody_is_sent_to_an_unsafe_address_and_both_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, authorization: str, where: str, remedy: str
) -> None:
    async with (
        wire_server(naming(authorization)) as server,
        conversation(tmp_path, options(tmp_path, server)) as talk,
    ):
        told = await talk.say("Whose?", ASKS, repeats_result)
        assert f"desk wants people to sign in at {where}, which is not safe" in told.text
        (step,) = told.steps
        assert (step.title, step.status) == ("No link for desk: its sign-in is not safe", "failed")
        assert f"wants you to sign in at {where}." in step.details
        assert not [text for text in talk.core.channel.texts if PARLEY in text]
    (line,) = [each.getMessage() for each in caplog.records if "no link was sent" in each.getMessage()]
    assert where in line
    assert remedy in line


async def test_the_reason_is_told_in_their_language(tmp_path: Path) -> None:
    async with (
        wire_server(naming("http://login.example/")) as server,
        conversation(tmp_path, options(tmp_path, server)) as talk,
    ):
        told = await talk.say("谁的?", ASKS, repeats_result, sender=WANG)
        (step,) = told.steps
        assert "登录地址不安全" in step.title
        assert "http://login.example" in step.details


async def test_what_the_operator_allows_is_opened(tmp_path: Path) -> None:
    allowed = {"authorization_origins": ["http://login.example:8080"]}
    async with wire_server(naming("http://login.example:8080/authorize")) as server:
        made = options(tmp_path, server, **allowed)
        async with conversation(tmp_path, made) as talk:
            assert await first_address(talk, made) == "http://login.example:8080/authorize"


async def test_a_script_in_the_place_of_an_address_leads_to_the_server_itself(tmp_path: Path) -> None:
    """The SDK drops such metadata as a whole, and asks at the address that MCP had before there was any."""
    async with wire_server(naming("javascript:alert(document.cookie)")) as server:
        made = options(tmp_path, server)
        async with conversation(tmp_path, made) as talk:
            assert await first_address(talk, made) == f"{server.url}/authorize"


async def first_address(talk: Talk, made: DefaultAgentOptions) -> str:
    """Ask for a link, follow it, and return where it leads, without the query."""
    before = len(talk.core.channel.finals)
    await talk.say("Whose?", ASKS, repeats_result)
    await talk.core.channel.until_finals(before + 2)
    (link,) = re.findall(rf"{PARLEY}\S+", talk.core.channel.finals[-1].text)
    assert made.mcp
    assert made.mcp.sign_ins
    pages = httpx.ASGITransport(Starlette(routes=sign_in_routes(made.mcp.sign_ins)))
    async with httpx.AsyncClient(transport=pages) as browser:
        (token,) = re.findall(r'name="token" value="([^"]+)"', (await browser.get(link)).text)
        answer = await browser.post(link, data={"token": token})
    return str(answer.headers["location"].partition("?")[0])


async def test_a_server_without_a_way_to_sign_in_is_a_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(server: WireServer, request: Request) -> Response:
        return Response(status_code=401 if request.url.path == "/mcp" else 500)

    async with wire_server(broken) as server, conversation(tmp_path, options(tmp_path, server)) as talk:
        told = await talk.say("Whose?", ASKS, repeats_result)
        assert "offers no way to sign in" in told.text
    assert any("nobody can sign in to the MCP server desk: " in each.getMessage() for each in caplog.records)
