"""An MCP server with accounts, on the SDK's own server side of OAuth: `python account_server.py PORT`.

Whoever opens its page is signed in at once, by the name in the file `visitor`. A file `revoked` ends tokens;
with a file `broken` none can be renewed.
"""

import secrets
import sys
import time
from pathlib import Path

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.fastmcp import FastMCP
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from mcp.types import Tool, ToolAnnotations
from pydantic import AnyHttpUrl

PORT = int(sys.argv[1])
HERE = Path.cwd()
LIFETIME = 3_600


class Accounts(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Clients, codes and tokens in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.refresh: dict[str, RefreshToken] = {}
        self.tokens: dict[str, AccessToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id or ""] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        code = AuthorizationCode(
            code=secrets.token_urlsafe(16),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id or "",
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
            subject=(HERE / "visitor").read_text(),
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._issue(authorization_code.client_id, authorization_code.subject)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        if (HERE / "broken").exists():
            raise RuntimeError("the database of tokens is away")
        return None if (HERE / "revoked").exists() else self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        with (HERE / "refreshed").open("a") as file:
            file.write("x")
        return self._issue(refresh_token.client_id, refresh_token.subject)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return None if (HERE / "revoked").exists() else self.tokens.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.tokens.pop(token.token, None)

    def _issue(self, client: str, subject: str | None) -> OAuthToken:
        access, again = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self.tokens[access] = AccessToken(
            token=access,
            client_id=client,
            scopes=[],
            expires_at=int(time.time()) + LIFETIME,
            subject=subject,
        )
        self.refresh[again] = RefreshToken(token=again, client_id=client, scopes=[], subject=subject)
        return OAuthToken(access_token=access, expires_in=LIFETIME, refresh_token=again)


ADDRESS = AnyHttpUrl(f"http://127.0.0.1:{PORT}")
server = FastMCP(
    "desk",
    port=PORT,
    auth_server_provider=Accounts(),
    auth=AuthSettings(
        issuer_url=ADDRESS,
        resource_server_url=AnyHttpUrl(f"{ADDRESS}mcp"),
        client_registration_options=ClientRegistrationOptions(enabled=True),
    ),
)


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def whose() -> str:
    """Tell whose account it is."""
    token = get_access_token()
    return f"the account of {token.subject if token else 'nobody'}"


@server._mcp_server.list_tools()
async def list_for_one() -> list[Tool]:
    """Tell each account of a tool in its own words: some servers write names and projects there."""
    token = get_access_token()
    owner = token.subject if token else "nobody"
    mine = await server.list_tools()
    return [each.model_copy(update={"description": f"Tell whose account it is: of {owner}"}) for each in mine]


server.run("streamable-http")
