"""The port of people's sign-ins to servers whose tools an agent uses with their accounts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

SIGN_IN_PATH = "/mcp/sign-in"
"""Where the link in the chat leads."""
CALLBACK_PATH = "/mcp/callback"
"""Where a server sends the browser back to."""


class PendingLink(Protocol):
    """A sign-in that somebody was sent a link for. Hosts are as the network knows them, without Unicode."""

    @property
    def server(self) -> str:
        """The server, as the operator calls it."""
        ...

    @property
    def host(self) -> str:
        """The host whose tools are used with the account."""
        ...

    @property
    def authority(self) -> str:
        """The host where people sign in."""
        ...

    @property
    def name(self) -> str:
        """What the person is called in the chat where they asked, "" where they have no name."""
        ...

    @property
    def platform(self) -> str:
        """The platform of that chat."""
        ...


class SignInLinks(Protocol):
    """The links that hold."""

    @property
    def address(self) -> str:
        """Where browsers reach this Parley."""
        ...

    def find(self, link: str) -> PendingLink | None:
        """Return the sign-in of a link, while it holds."""
        ...

    def admits(self, link: str, browser: str) -> bool:
        """Return whether no other browser has the sign-in of a link."""
        ...

    def bind(self, link: str, browser: str) -> str:
        """Give a sign-in to one browser for good; return where it goes on, "" where another one has it."""
        ...

    def returned(self, state: str) -> PendingLink | None:
        """Return the sign-in that a browser is sent back from, while it holds."""
        ...

    def is_bound(self, state: str, browser: str) -> bool:
        """Return whether a browser is the one that the sign-in was given to."""
        ...

    async def finish(self, state: str, browser: str, code: str, issuers: Sequence[str]) -> bool:
        """Hand on the code that the sign-in's browser brought, once; tell whether the server took it.

        A code of another issuer than the sign-in's, by the `issuers` that came with it, is not handed on.
        """
        ...
