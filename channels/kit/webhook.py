"""Channels that are spoken to over HTTP."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from starlette.routing import BaseRoute, Route


class Webhook(Route):
    """A route for a platform's own servers, which come from anywhere and under any host name.

    It stands outside the console's checks of host, origin and token, so its endpoint has to make sure
    who calls, and to bound what it reads.
    """


@runtime_checkable
class ServesHttp(Protocol):
    """A channel whose routes the console's HTTP server mounts at its root."""

    def routes(self) -> Sequence[BaseRoute]:
        """Routes with paths that no other channel has."""
        ...
