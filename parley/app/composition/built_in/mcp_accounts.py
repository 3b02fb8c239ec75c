"""People's accounts on MCP servers of the built-in agent: how they sign in, and how all of it goes again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence

from starlette.routing import BaseRoute

from parley.app.settings.addresses import sign_in_address
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import ACCOUNTS
from parley.channels.kit.webhook import Webhook
from parley.console.api.sign_in import SignInPages
from parley.core.model.address import User, account_key
from parley.core.ports.sign_ins import CALLBACK_PATH, SIGN_IN_PATH
from parley.core.privacy.sources import ExportPiece
from parley.server.accounts.files import AccountFiles
from parley.server.accounts.sign_ins import SignIns


def open_sign_ins(loaded: LoadedSettings) -> SignIns:
    """Return the sign-ins of this Parley."""
    return SignIns(AccountFiles(loaded.data_dir / ACCOUNTS), sign_in_address(loaded))


def sign_in_routes(sign_ins: SignIns) -> Sequence[BaseRoute]:
    """Return the pages, in front of the console's checks: who has a link in a chat has none of its tokens."""
    pages = SignInPages(sign_ins)
    return [
        Webhook(SIGN_IN_PATH, pages.begin, methods=["GET", "POST"]),
        Webhook(CALLBACK_PATH, pages.end, methods=["GET"]),
    ]


class McpAccounts:
    """What is kept of people who have signed in. An export names the servers, and none of what opens them."""

    def __init__(self, loaded: LoadedSettings) -> None:
        self._files = AccountFiles(loaded.data_dir / ACCOUNTS)

    async def kept(self, user: User) -> AsyncIterator[ExportPiece]:
        """Yield the names of the servers."""
        if servers := self._files.servers(account_key(user)):
            yield ExportPiece("mcp-accounts.json", json.dumps({"signed_in": servers}).encode())

    async def erase(self, user: User) -> int:
        """Remove what opens them; returns how many there were."""
        return self._files.erase(account_key(user))
