"""The port of people's sign-ins to servers whose tools an agent uses with their accounts."""

from __future__ import annotations

from typing import Protocol

SIGN_IN_PATH = "/mcp/sign-in"
"""Where the link in the chat leads."""
CALLBACK_PATH = "/mcp/callback"
"""Where a server sends the browser back to."""


class PendingLink(Protocol):
    """A sign-in that somebody was sent a link for."""

    @property
    def server(self) -> str:
        """The server."""
        ...

    @property
    def name(self) -> str:
        """What the person is called in the chat where they asked."""
        ...

    @property
    def url(self) -> str:
        """Where the server has people sign in."""
        ...


class SignInLinks(Protocol):
    """The links that hold."""

    def find(self, state: str) -> PendingLink | None:
        """Return the sign-in of a link, while it holds."""
        ...

    async def finish(self, state: str, code: str) -> bool:
        """Hand on the code that a browser brought; tell whether the server took it. A link is used once."""
        ...
