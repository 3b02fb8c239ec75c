"""An account outlives trouble of its server, and is given up only when the server says that it is over."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from mcp.client.auth import OAuthTokenError
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from parley.server.accounts.files import Account, AccountErased, AccountFiles
from parley.server.accounts.sign_ins import Issuer, SignIns
from parley.server.default_agent.mcp.oauth_provider import oauth_provider
from parley.server.default_agent.mcp.server_file import McpOAuth, McpServer
from tests.unit.server.default_agent.mcp.wire_server import WireServer, wire_server

Answer = Callable[[], Response]


class SignInNeeded(Exception):
    """The person would be asked to sign in again."""


@dataclass
class Visit:
    """Requests to a server with an account whose token has ended."""

    files: AccountFiles
    account: Account

    async def ask(self) -> int:
        """Ask the server for something; returns the status of its answer."""

        async def show(_: str) -> None:
            raise SignInNeeded

        async def answer() -> tuple[str, str | None]:
            raise AssertionError("nobody follows a link")

        server = McpServer("desk", "streamable_http", url=self.account.url, oauth=McpOAuth("parley"))
        auth = oauth_provider(server, SignIns(self.files, "http://p.test"), self.account, show, answer)
        async with httpx.AsyncClient(auth=auth) as http:
            return (await http.get(self.account.url)).status_code

    def erase_and(self, answer: Answer) -> Answer:
        """Erase the person while the server answers."""

        def erased() -> Response:
            assert self.files.erase("ann") == 1
            return answer()

        return erased

    def kept(self) -> dict[str, object]:
        tokens = self.files.read(self.account)["tokens"]
        assert isinstance(tokens, dict)
        return tokens


def signed_in(folder: Path, url: str) -> Visit:
    """Somebody signed in, and the token that they got has ended."""
    visit = Visit(AccountFiles(folder), Account("ann", "desk", f"{url}/mcp"))
    tokens = {"access_token": "old", "refresh_token": "again", "token_type": "Bearer", "scope": "read"}
    ended = {"tokens": tokens, "ends": time.time() - 1}
    visit.files.write(visit.account, ended, visit.files.generation("ann"))
    return visit


def desk(renewal: list[Answer]) -> Callable[[WireServer, Request], Response]:
    """A server that renews tokens with these answers in turn, and serves who has a new one."""

    def answer(server: WireServer, request: Request) -> Response:
        if request.url.path == "/token":
            return renewal.pop(0)()
        if request.url.path == "/mcp":
            good = request.headers.get("authorization") == "Bearer new"
            return Response(status_code=200 if good else 401)
        return Response(status_code=404)

    return answer


def gives(status: int, body: object) -> Answer:
    return lambda: JSONResponse(body, status)


RENEWED = gives(200, {"access_token": "new", "token_type": "Bearer", "expires_in": 60})


@pytest.mark.parametrize(
    "trouble",
    [
        gives(429, {"error": "slow_down"}),
        gives(500, {"error": "invalid_grant"}),
        gives(503, {}),
        gives(400, {"error": "temporarily_unavailable"}),
        gives(400, ["invalid_grant"]),
        gives(404, {}),
        gives(200, {"error": "server_error"}),
        lambda: Response("<html>", 200),
        lambda: Response("[" * 100_000, 401),
        lambda: RedirectResponse("https://elsewhere.example/token", 307),
    ],
)
async def test_trouble_of_the_server_costs_nobody_their_account(tmp_path: Path, trouble: Answer) -> None:
    async with wire_server(desk([trouble, RENEWED])) as server:
        visit = signed_in(tmp_path, server.url)
        with pytest.raises(OAuthTokenError):
            await visit.ask()
        assert visit.kept()["refresh_token"] == "again"
        assert "/mcp" not in server.paths(), "without a token the server is not asked"
        assert await visit.ask() == 200


@pytest.mark.parametrize(
    ("status", "error"), [(400, "invalid_grant"), (401, "invalid_client"), (400, "unauthorized_client")]
)
async def test_who_is_refused_for_good_is_asked_to_sign_in(tmp_path: Path, status: int, error: str) -> None:
    async with wire_server(desk([gives(status, {"error": error})])) as server:
        with pytest.raises(SignInNeeded):
            await signed_in(tmp_path, server.url).ask()


async def test_what_a_renewal_leaves_out_goes_on_to_hold(tmp_path: Path) -> None:
    async with wire_server(desk([RENEWED])) as server:
        visit = signed_in(tmp_path, server.url)
        assert await visit.ask() == 200
        kept = visit.kept()
        assert (kept["access_token"], kept["refresh_token"], kept["scope"]) == ("new", "again", "read")


async def test_a_new_refresh_token_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    body = {"access_token": "new", "token_type": "bearer", "refresh_token": "next", "scope": "write"}
    async with wire_server(desk([gives(200, body)])) as server:
        visit = signed_in(tmp_path, server.url)
        assert await visit.ask() == 200
        assert json.dumps(visit.kept(), sort_keys=True) == json.dumps(
            {**body, "token_type": "Bearer", "expires_in": None}, sort_keys=True
        )


async def test_a_token_that_is_renewed_while_its_person_is_erased_is_not_kept(tmp_path: Path) -> None:
    renewal: list[Answer] = []
    async with wire_server(desk(renewal)) as server:
        visit = signed_in(tmp_path, server.url)
        renewal.append(visit.erase_and(RENEWED))
        with pytest.raises(AccountErased):
            await visit.ask()
        assert "/mcp" not in server.paths()
        assert visit.files.servers("ann") == ()


@pytest.mark.parametrize(
    ("slash", "said", "promised"),
    [("", True, True), ("/", True, True), ("", "true", False), ("", None, False)],
)
async def test_the_issuer_is_kept_letter_by_letter_with_what_it_promises(
    tmp_path: Path, slash: str, said: object, promised: bool
) -> None:
    def answer(server: WireServer, request: Request) -> Response:
        if request.url.path == "/.well-known/oauth-authorization-server":
            body = {
                "issuer": server.url + slash,
                "authorization_endpoint": f"{server.url}/authorize",
                "token_endpoint": f"{server.url}/token",
                "authorization_response_iss_parameter_supported": said,
            }
            return JSONResponse(body)
        return Response(status_code=401 if request.url.path == "/mcp" else 404)

    async with wire_server(answer) as server:
        seen: list[Issuer | None] = []

        async def show(_: str) -> None:
            seen.append(auth.issuer)
            raise SignInNeeded

        async def nothing() -> tuple[str, str | None]:
            raise AssertionError("nobody follows a link")

        account = Account("ann", "desk", f"{server.url}/mcp")
        asked = McpServer("desk", "streamable_http", url=account.url, oauth=McpOAuth("parley"))
        auth = oauth_provider(asked, SignIns(AccountFiles(tmp_path), "http://p.test"), account, show, nothing)
        async with httpx.AsyncClient(auth=auth) as http:
            with pytest.raises(SignInNeeded):
                await http.get(account.url)
        assert seen == [Issuer(server.url + slash, promised)]
