"""The SDK's OAuth for one account of a person at a server, with what is kept of it in their file."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata, OAuthToken

from parley.server.accounts.files import Account, AccountFiles
from parley.server.accounts.sign_ins import PATIENCE, SignIns
from parley.server.default_agent.mcp.server_file import McpServer


class _AccountTokens:
    """The SDK's port for tokens, on the file of an account.

    The SDK does not keep when a token ends and where another is asked for: that is kept, too.
    """

    def __init__(self, files: AccountFiles, account: Account, server: McpServer, callback: str) -> None:
        self._files, self._account, self._server = files, account, server
        self._callback = callback
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
        self._files.write(self._account, self._kept)

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
) -> OAuthClientProvider:
    """Return what signs requests with an account; where that needs a person, `show` is given the address.

    `answer` returns the code that the person's browser brought, and its state.
    """
    tokens = _AccountTokens(sign_ins.files, account, server, sign_ins.callback)
    scopes = server.oauth.scopes if server.oauth else ()
    metadata = OAuthClientMetadata.model_validate(
        {"redirect_uris": [sign_ins.callback], "client_name": "Parley", "scope": " ".join(scopes) or None}
    )
    made = OAuthClientProvider(server.url, metadata, tokens, show, answer, timeout=PATIENCE)
    tokens.restore(made)
    return made
