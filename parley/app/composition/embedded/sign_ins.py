"""How people sign in to MCP servers of the built-in agent."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.routing import BaseRoute

from parley.app.settings.addresses import sign_in_address
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import ACCOUNTS
from parley.channels.kit.webhook import Webhook
from parley.console.api.sign_in import SignInPages
from parley.core.ports.sign_ins import CALLBACK_PATH, SIGN_IN_PATH
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
