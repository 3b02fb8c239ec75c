"""The SDK's OAuth for one account of a person at a server, with what is kept of it in their file."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

import httpx
from mcp.client.auth import OAuthClientProvider, OAuthTokenError
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata, OAuthToken

from parley.server.accounts.files import Account, AccountFiles
from parley.server.accounts.sign_ins import PATIENCE, Issuer, SignIns
from parley.server.default_agent.mcp.server_file import McpServer

log = logging.getLogger(__name__)

_REFUSALS = frozenset({"invalid_client", "invalid_grant", "unauthorized_client"})
"""What a server says of a sign-in that is over (RFC 6749, 5.2); all else may be better at the next try."""


class AccountProvider(OAuthClientProvider):
    """The SDK's provider, which keeps an account while its server has trouble.

    The SDK drops the tokens at any answer that is not 200, and a refresh token that an answer leaves out,
    although it goes on to be valid then (RFC 6749, 6).
    """

    forget: Callable[[], None]
    """Removes what is kept of the account, unless somebody signed in again meanwhile. Raises OSError."""
    issuer: Issuer | None = None
    """Who signs people in, as the newest metadata names it; None before there is any."""

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Sign a request as the SDK does, and note the issuer, whose exact name the SDK does not keep."""
        async with aclosing(super().async_auth_flow(request)) as flow:
            asked = await anext(flow)
            while True:
                response = yield asked
                if asked is not request and response.status_code == 200:
                    self.issuer = _issuer_in(await response.aread()) or self.issuer
                try:
                    asked = await flow.asend(response)
                except StopAsyncIteration:
                    return

    async def _handle_refresh_response(self, response: httpx.Response) -> bool:
        """Take renewed tokens; False where the sign-in is over. Raises OAuthTokenError to try again later."""
        body, before = await response.aread(), self.context.current_tokens
        if response.status_code in (400, 401) and _error_in(body) in _REFUSALS:
            self.context.clear_tokens()
            return False
        try:
            if response.status_code != 200:
                raise ValueError(f"HTTP {response.status_code}")
            renewed = OAuthToken.model_validate_json(body)
        except ValueError as error:
            log.warning("a token was not renewed (HTTP %s); it is tried again later", response.status_code)
            raise OAuthTokenError("the server did not renew the token this time") from error
        if before is not None:
            kept = {"refresh_token": before.refresh_token, "scope": before.scope}
            renewed = renewed.model_copy(
                update={key: value for key, value in kept.items() if getattr(renewed, key) is None}
            )
        await self.context.storage.set_tokens(renewed)
        self.context.current_tokens = renewed
        self.context.update_token_expiry(renewed)
        return True


def _issuer_in(body: bytes) -> Issuer | None:
    """Return the issuer of an authorization server's metadata (RFC 8414), None for other answers."""
    try:
        OAuthMetadata.model_validate_json(body)
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return Issuer(found["issuer"], found.get("authorization_response_iss_parameter_supported") is True)


def _error_in(body: bytes) -> str:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    return str(found.get("error")) if isinstance(found, dict) else ""


class _AccountTokens:
    """The SDK's port for tokens, on the file of an account.

    The SDK does not keep when a token ends and where another is asked for: that is kept, too.
    """

    def __init__(self, files: AccountFiles, account: Account, server: McpServer, callback: str) -> None:
        self._files, self._account, self._server = files, account, server
        self._callback = callback
        self._generation = files.generation(account.person)
        self._kept = files.read(account)
        self.provider: OAuthClientProvider | None = None

    async def get_tokens(self) -> OAuthToken | None:
        found = self._kept.get("tokens")
        return OAuthToken.model_validate(found) if found else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        context = self.provider.context if self.provider else None
        metadata = context.oauth_metadata if context else None
        client = context.client_info if context else None
        self._kept = {
            "tokens": tokens.model_dump(mode="json"),
            "ends": time.time() + tokens.expires_in if tokens.expires_in else None,
            "metadata": metadata.model_dump(mode="json") if metadata else self._kept.get("metadata"),
            "client": client.model_dump(mode="json") if client else None,
        }
        self._files.write(self._account, self._kept, self._generation)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        oauth = self._server.oauth
        if oauth is not None and oauth.client_id:
            return OAuthClientInformationFull.model_validate(
                {
                    "client_id": oauth.client_id,
                    "client_secret": oauth.client_secret or None,
                    "redirect_uris": [self._callback],
                }
            )
        found = self._kept.get("client")
        return OAuthClientInformationFull.model_validate(found) if found else None

    def forget(self) -> None:
        """Remove what is kept of the account, unless there is something else by now. Raises OSError."""
        self._files.forget(self._account, self._kept)

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep it with the tokens, once there are some."""

    def restore(self, provider: OAuthClientProvider) -> None:
        """Tell the provider what it does not ask for."""
        self.provider = provider
        provider.context.token_expiry_time = self._kept.get("ends")
        if metadata := self._kept.get("metadata"):
            provider.context.oauth_metadata = OAuthMetadata.model_validate(metadata)


def oauth_provider(
    server: McpServer,
    sign_ins: SignIns,
    account: Account,
    show: Callable[[str], Awaitable[None]],
    answer: Callable[[], Awaitable[tuple[str, str | None]]],
) -> AccountProvider:
    """Return what signs requests with an account; where that needs a person, `show` is given the address.

    `answer` returns the code that the person's browser brought, and its state.
    """
    tokens = _AccountTokens(sign_ins.files, account, server, sign_ins.callback)
    scopes = server.oauth.scopes if server.oauth else ()
    metadata = OAuthClientMetadata.model_validate(
        {"redirect_uris": [sign_ins.callback], "client_name": "Parley", "scope": " ".join(scopes) or None}
    )
    made = AccountProvider(server.url, metadata, tokens, show, answer, timeout=PATIENCE)
    made.forget = tokens.forget
    tokens.restore(made)
    return made
